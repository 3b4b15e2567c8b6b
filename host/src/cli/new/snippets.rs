//! What a new project says in each hook.

/// One hook: its implementation and a test. `{Name}` is the middleware's type, `{name}` its name.
pub(super) struct Snippet {
    /// The contract's name.
    pub(super) hook: &'static str,
    /// The trait.
    pub(super) name: &'static str,
    /// What the implementation uses of the SDK, the trait included.
    pub(super) uses: &'static [&'static str],
    /// What the test uses of the rig.
    pub(super) rig: &'static [&'static str],
    pub(super) code: &'static str,
    pub(super) test: &'static str,
}

/// The snippets of all hooks, in the order of the contract.
pub(super) const SNIPPETS: [Snippet; 11] = [
    Snippet {
        hook: "on-reply",
        name: "OnReply",
        uses: &["OnReply", "ReplyNext", "ReplyRequest", "ReplyResponse", "Sink", "info"],
        rig: &["Answer", "ReplyRequestData"],
        code: r#"impl OnReply for {Name} {
    fn on_reply(
        &self,
        request: ReplyRequest,
        next: ReplyNext,
        _: Sink,
    ) -> Result<ReplyResponse, Error> {
        let response = next.run(request)?;
        info!("{} The reply has {} bytes.", self.config.note, response.text().len());
        Ok(response)
    }
}

"#,
        test: r#"
    #[test]
    fn a_reply_stays_as_it_is() -> Result<(), Error> {
        let rig = Rig::<{Name}>::new(Config::default())?;
        let request = ReplyRequest::from(ReplyRequestData {
            input: vec![cepa_sdk::Message::user("Hello")],
            resumed: false,
            output_schema: None,
            tool_choice: cepa_sdk::ToolChoice::Auto,
            metadata: Default::default(),
        });
        let called = rig.on_reply(request, [Answer::text("Hi.")]);
        assert_eq!(called.result?.text(), "Hi.");
        Ok(())
    }
"#,
    },
    Snippet {
        hook: "on-reasoning",
        name: "OnReasoning",
        uses: &["OnReasoning", "ReasoningNext", "ReasoningRequest", "ReasoningResponse", "Sink"],
        rig: &["Answer", "ReasoningRequestData"],
        code: r#"impl OnReasoning for {Name} {
    fn on_reasoning(
        &self,
        request: ReasoningRequest,
        next: ReasoningNext,
        _: Sink,
    ) -> Result<ReasoningResponse, Error> {
        request.add_hint("{name}", &self.config.note);
        next.run(request)
    }
}

"#,
        test: r#"
    #[test]
    fn a_step_gets_the_note_as_a_hint() -> Result<(), Error> {
        let rig = Rig::<{Name}>::new(Config::default())?;
        let request = ReasoningRequest::from(ReasoningRequestData {
            step: 0,
            tool_choice: cepa_sdk::ToolChoice::Auto,
            tools: Vec::new(),
            catalogue: Vec::new(),
            hints: Vec::new(),
            parameters: Default::default(),
        });
        let called = rig.on_reasoning(request, [Answer::text("Hi.")]);
        let hint = ("{name}".to_owned(), "Say please.".to_owned());
        assert_eq!(called.requests[0].hints(), [hint]);
        Ok(())
    }
"#,
    },
    Snippet {
        hook: "on-model-call",
        name: "OnModelCall",
        uses: &["ModelNext", "ModelRequest", "ModelResponse", "OnModelCall", "Sink"],
        rig: &["Answer"],
        code: r#"impl OnModelCall for {Name} {
    fn on_model_call(
        &self,
        request: ModelRequest,
        next: ModelNext,
        _: Sink,
    ) -> Result<ModelResponse, Error> {
        let prompt = request.system_prompt().unwrap_or_default();
        request.set_system_prompt(Some(&format!("{prompt}\n{}", self.config.note)));
        next.run(request)
    }
}

"#,
        test: r#"
    #[test]
    fn the_model_is_told_the_note() -> Result<(), Error> {
        let rig = Rig::<{Name}>::new(Config::default())?;
        let called = rig.on_model_call(ModelRequest::new("main"), [Answer::text("Hi.")]);
        assert_eq!(called.result?.text(), "Hi.");
        assert_eq!(called.requests[0].system_prompt().as_deref(), Some("\nSay please."));
        Ok(())
    }
"#,
    },
    Snippet {
        hook: "on-acting",
        name: "OnActing",
        uses: &["OnActing", "Sink", "ToolNext", "ToolRequest", "ToolResponse", "info"],
        rig: &["Answer", "ToolRequestData"],
        code: r#"impl OnActing for {Name} {
    fn on_acting(
        &self,
        request: ToolRequest,
        next: ToolNext,
        _: Sink,
    ) -> Result<ToolResponse, Error> {
        info!("{} Tool `{}` is called.", self.config.note, request.name());
        next.run(request)
    }
}

"#,
        test: r#"
    #[test]
    fn a_result_stays_as_it_is() -> Result<(), Error> {
        let rig = Rig::<{Name}>::new(Config::default())?;
        let request = ToolRequest::from(ToolRequestData {
            call_id: "c1".to_owned(),
            name: "look".to_owned(),
            arguments: "{}".to_owned(),
            offered: Vec::new(),
            metadata: Default::default(),
        });
        let called = rig.on_acting(request, [Answer::text("seen")]);
        assert_eq!(called.result?.text(), "seen");
        Ok(())
    }
"#,
    },
    Snippet {
        hook: "on-compress-context",
        name: "OnCompressContext",
        uses: &["CompressNext", "CompressRequest", "CompressResponse", "OnCompressContext", "Sink"],
        rig: &["Answer", "CompressRequestData"],
        code: r"impl OnCompressContext for {Name} {
    fn on_compress_context(
        &self,
        request: CompressRequest,
        next: CompressNext,
        _: Sink,
    ) -> Result<CompressResponse, Error> {
        request.set_instructions(Some(&self.config.note));
        next.run(request)
    }
}

",
        test: r#"
    #[test]
    fn a_summary_is_made_with_the_note() -> Result<(), Error> {
        let rig = Rig::<{Name}>::new(Config::default())?;
        let request = CompressRequest::from(CompressRequestData::default());
        let kept = CompressResponse::new(false, None);
        let called = rig.on_compress_context(request, [Answer::response(kept)]);
        assert!(!called.result?.compressed());
        assert_eq!(called.requests[0].instructions().as_deref(), Some("Say please."));
        Ok(())
    }
"#,
    },
    Snippet {
        hook: "on-check-permission",
        name: "OnCheckPermission",
        uses: &["OnCheckPermission", "PermissionDecision", "PermissionNext", "PermissionRequest", "info"],
        rig: &["Answer", "PermissionRequestData"],
        code: r#"impl OnCheckPermission for {Name} {
    fn on_check_permission(
        &self,
        request: PermissionRequest,
        next: PermissionNext,
    ) -> Result<PermissionDecision, Error> {
        info!("{} Tool `{}` asks.", self.config.note, request.call().name);
        next.run(request)
    }
}

"#,
        test: r#"
    #[test]
    fn a_decision_stays_as_it_is() -> Result<(), Error> {
        let rig = Rig::<{Name}>::new(Config::default())?;
        let request = PermissionRequest::from(PermissionRequestData {
            call: cepa_sdk::ToolCall {
                id: "c1".to_owned(),
                name: "look".to_owned(),
                arguments: "{}".to_owned(),
            },
            definition: None,
            confirmed: false,
        });
        let permission = cepa_sdk::Permission::Deny;
        let denied = PermissionDecision { permission, reason: "no".to_owned() };
        let called = rig.on_check_permission(request, [Answer::response(denied)]);
        assert_eq!(called.result?.reason, "no");
        Ok(())
    }
"#,
    },
    Snippet {
        hook: "on-system-prompt",
        name: "OnSystemPrompt",
        uses: &["OnSystemPrompt"],
        rig: &[],
        code: r#"impl OnSystemPrompt for {Name} {
    fn on_system_prompt(&self, prompt: String) -> Result<String, Error> {
        Ok(format!("{prompt} {}", self.config.note))
    }
}

"#,
        test: r#"
    #[test]
    fn the_prompt_ends_with_the_note() -> Result<(), Error> {
        let rig = Rig::<{Name}>::new(Config::default())?;
        let prompt = rig.middleware.on_system_prompt("Be brief.".to_owned())?;
        assert_eq!(prompt, "Be brief. Say please.");
        Ok(())
    }
"#,
    },
    Snippet {
        hook: "on-events",
        name: "OnEvents",
        uses: &["Event", "EventKinds", "OnEvents", "info"],
        rig: &[],
        code: r#"impl OnEvents for {Name} {
    fn kinds(&self) -> EventKinds {
        EventKinds::REPLY
    }

    fn on_events(&self, events: Vec<Event>) -> Result<Vec<Event>, Error> {
        info!("{} {} events pass.", self.config.note, events.len());
        Ok(events)
    }
}

"#,
        test: r#"
    #[test]
    fn events_pass() -> Result<(), Error> {
        let rig = Rig::<{Name}>::new(Config::default())?;
        let events = vec![Event::TextEnd("t".to_owned())];
        assert_eq!(rig.middleware.on_events(events.clone())?, events);
        Ok(())
    }
"#,
    },
    Snippet {
        hook: "on-draft",
        name: "OnDraft",
        uses: &["Draft", "OnDraft", "Verdict"],
        rig: &["DraftData"],
        code: r#"impl OnDraft for {Name} {
    fn on_draft(&self, draft: Draft) -> Result<Verdict, Error> {
        if draft.text().trim().is_empty() {
            return Ok(Verdict::Retry(format!("The answer is empty. {}", self.config.note)));
        }
        Ok(Verdict::Accept)
    }
}

"#,
        test: r#"
    #[test]
    fn an_empty_draft_is_asked_for_again() -> Result<(), Error> {
        let rig = Rig::<{Name}>::new(Config::default())?;
        let draft = Draft::from(DraftData {
            message: cepa_sdk::Message::user(""),
            structured_output: None,
            attempt: 1,
            max_attempts: 3,
        });
        assert!(matches!(rig.middleware.on_draft(draft)?, Verdict::Retry(_)));
        Ok(())
    }
"#,
    },
    Snippet {
        hook: "tool-source",
        name: "ToolSource",
        uses: &[
            "ResultPart",
            "Sink",
            "ToolDefinition",
            "ToolRequest",
            "ToolResponse",
            "ToolSource",
            "ToolState",
        ],
        rig: &[],
        code: r##"impl ToolSource for {Name} {
    fn list_tools(&self) -> Result<Vec<ToolDefinition>, Error> {
        Ok(vec![ToolDefinition {
            name: "read_note".to_owned(),
            description: "Reads the note.".to_owned(),
            parameters: r#"{ "type": "object" }"#.to_owned(),
            parallel: true,
            metadata: String::new(),
        }])
    }

    fn call_tool(&self, _: ToolRequest, _: Sink) -> Result<ToolResponse, Error> {
        let note = ResultPart::Text(self.config.note.clone());
        Ok(ToolResponse::new(ToolState::Success, &[note]))
    }
}

"##,
        test: r#"
    #[test]
    fn the_tool_reads_the_note() -> Result<(), Error> {
        let rig = Rig::<{Name}>::new(Config::default())?;
        let called = rig.call_tool("read_note", "{}");
        assert_eq!(called.result?.text(), "Say please.");
        Ok(())
    }
"#,
    },
    Snippet {
        hook: "on-turn-end",
        name: "OnTurnEnd",
        uses: &["OnTurnEnd", "TurnSummary", "info"],
        rig: &["TurnSummaryData", "with"],
        code: r#"impl OnTurnEnd for {Name} {
    fn on_turn_end(&self, turn: TurnSummary) {
        info!("{} {} steps.", self.config.note, turn.steps());
    }
}

"#,
        test: r#"
    #[test]
    fn the_end_is_logged() -> Result<(), Error> {
        let rig = Rig::<{Name}>::new(Config::default())?;
        rig.middleware.on_turn_end(TurnSummary::from(TurnSummaryData {
            outcome: cepa_sdk::Outcome::Replied,
            message: None,
            error: None,
            usage: cepa_sdk::Usage::unknown(),
            steps: 2,
            tool_calls: 0,
            duration_ms: 1,
        }));
        assert_eq!(with(|world| world.log[0].1.clone()), "Say please. 2 steps.");
        Ok(())
    }
"#,
    },
];
