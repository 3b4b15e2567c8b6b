//! The rig behaves as a host does, as far as a middleware can see.

use cepa_sdk::rig::{Answer, Capability, ReplyRequestData, Rig, with};
use cepa_sdk::schemars::JsonSchema;
use cepa_sdk::serde::Deserialize;
use cepa_sdk::state::{self, Scope};
use cepa_sdk::{
    ContentBlock, Error, ErrorKind, Event, EventKinds, Message, Middleware, ModelCallStart, ModelNext,
    ModelRequest, ModelResponse, NoConfig, OnModelCall, OnReply, Outcome, ReasoningResponse, ReplyEnd,
    ReplyNext, ReplyRequest, ReplyResponse, ResultPart, Role, Sink, TextDelta, ThinkingBlock, ToolCall,
    ToolChoice, ToolResult, ToolState, clock, conversation, random,
};

/// Sends text on in upper case, and lets all else pass.
struct Loud {
    runs: u32,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default, crate = "cepa_sdk::serde")]
#[schemars(crate = "cepa_sdk::schemars")]
struct Config {
    /// How often the model is asked besides.
    extra_runs: u32,
}

impl Middleware for Loud {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        Ok(Self { runs: config.extra_runs })
    }
}

impl OnModelCall for Loud {
    fn on_model_call(
        &self,
        request: ModelRequest,
        next: ModelNext,
        out: Sink,
    ) -> Result<ModelResponse, Error> {
        for _ in 0..self.runs {
            next.run(request.clone())?;
        }
        let run = next.start(request);
        loop {
            let mut events = run.next(EventKinds::TEXT);
            if events.is_empty() {
                break;
            }
            for event in &mut events {
                if let Event::TextDelta(delta) = event {
                    delta.text = delta.text.to_uppercase();
                }
            }
            out.emit(&events)?;
        }
        let response = run.finish()?;
        let twice = run.finish().err().map(|error| error.kind);
        assert_eq!(twice, Some(ErrorKind::InvalidInput));
        Ok(response)
    }
}

cepa_sdk::export!(Loud: OnModelCall);

fn marker(name: &str) -> Event {
    Event::other(name, &cepa_sdk::serde_json::Value::Null)
}

#[test]
fn events_of_other_kinds_pass_by_in_their_place() -> Result<(), Error> {
    let rig = Rig::<Loud>::new(Config::default())?;
    let spoken = Answer::text("hi").after([marker("last")]);
    let called = rig.on_model_call(ModelRequest::new("main"), [spoken]);
    let seen: Vec<String> = called
        .events
        .iter()
        .map(|event| match event {
            Event::TextDelta(delta) => delta.text.clone(),
            other => format!("{:?}", other.kind()),
        })
        .collect();
    assert_eq!(seen.len(), 4);
    assert_eq!(seen.get(1).map(String::as_str), Some("HI"));
    assert_eq!(called.events.last(), Some(&marker("last")));
    Ok(())
}

#[test]
fn a_run_more_than_there_are_answers_meets_the_limit() -> Result<(), Error> {
    let rig = Rig::<Loud>::from_json(r#"{"extra-runs": 1}"#)?;
    let called = rig.on_model_call(ModelRequest::new("main"), [Answer::text("once")]);
    let error = called.result.err().map(|error| (error.kind, error.message));
    let text = "limit `next-runs` reached: the rig has no answer for run 2".to_owned();
    assert_eq!(error, Some((ErrorKind::Limit, text)));
    Ok(())
}

#[test]
fn an_unknown_key_is_refused_and_the_schema_says_so() {
    let error =
        Rig::<Loud>::from_json(r#"{"extra-run": 1}"#).err().map(|error| error.message).unwrap_or_default();
    assert!(error.contains("unknown field `extra-run`, expected `extra-runs`"), "{error}");
    let schema = cepa_sdk::schema::<Loud>();
    assert!(schema.contains(r#""additionalProperties":false"#), "{schema}");
    assert!(schema.contains("How often the model is asked besides."), "{schema}");
}

#[test]
fn edits_are_checked_and_a_clone_is_of_its_own() -> Result<(), Error> {
    let request = ModelRequest::new("main");
    request.push_message(&Message::user("one"))?;
    let other = request.clone();
    other.insert_message(0, &Message::user("zero"))?;
    assert_eq!((request.message_count(), other.message_count()), (1, 2));
    assert_eq!(request.message(9).err().map(|error| error.kind), Some(ErrorKind::InvalidInput));
    assert_eq!(
        request.set_parameter("seed", Some("{broken")).err().map(|e| e.kind),
        Some(ErrorKind::InvalidInput)
    );
    assert_eq!(request.parameter("seed"), None);
    Ok(())
}

#[test]
fn a_change_of_state_is_not_lost_to_another() -> Result<(), Error> {
    Rig::<Loud>::new(Config::default())?;
    let mut meddled = false;
    let sum = state::update_json(Scope::Session, "sum", |sum: &mut u32| {
        if !meddled {
            meddled = true;
            state::set(Scope::Session, "sum", "40")?;
        }
        *sum += 2;
        Ok(*sum)
    })?;
    assert_eq!((sum, state::get(Scope::Session, "sum")?.as_deref()), (42, Some("42")));
    assert_eq!(state::get(Scope::Reply, "sum")?, None);
    assert_eq!(state::keys(Scope::Session, "su")?, ["sum"]);
    Ok(())
}

#[test]
fn only_whole_numbers_are_added_to() -> Result<(), Error> {
    Rig::<Loud>::new(Config::default())?;
    let refused =
        |sum: Result<f64, Error>| sum.err().map(|error| error.kind) == Some(ErrorKind::InvalidInput);
    state::set(Scope::Reply, "n", "0.5")?;
    assert!(refused(state::increment(Scope::Reply, "n", 1.0)), "a fraction is stored");
    state::set(Scope::Reply, "n", "41")?;
    assert!(refused(state::increment(Scope::Reply, "n", 0.5)), "a fraction is added");
    assert!(refused(state::increment(Scope::Reply, "n", 9_007_199_254_740_992.0)), "the sum is not exact");
    state::increment(Scope::Reply, "n", 1.0)?;
    assert_eq!(state::get(Scope::Reply, "n")?.as_deref(), Some("42"));
    Ok(())
}

#[test]
fn what_is_not_granted_is_denied() -> Result<(), Error> {
    Rig::<Loud>::new(Config::default())?;
    with(|world| world.denied.insert(Capability::State));
    assert_eq!(state::get(Scope::Session, "a").err().map(|error| error.kind), Some(ErrorKind::Denied));
    Ok(())
}

#[test]
fn time_moves_only_when_slept_and_chance_repeats() -> Result<(), Error> {
    Rig::<Loud>::new(Config::default())?;
    let (start, number) = (clock::now_ms(), random::number());
    clock::sleep(1500);
    assert_eq!((clock::now_ms() - start, clock::monotonic_us()), (1500, 1_500_000));
    Rig::<Loud>::new(Config::default())?;
    assert_eq!(random::number(), number);
    Ok(())
}

#[test]
fn an_answer_with_calls_stops_for_them() {
    let call = ToolCall { id: "1".to_owned(), name: "add".to_owned(), arguments: "{}".to_owned() };
    let response = ModelResponse::new(&[cepa_sdk::ContentBlock::ToolCall(call)]);
    assert_eq!(response.finish_reason(), cepa_sdk::FinishReason::ToolCalls);
    assert_eq!(response.tool_calls().len(), 1);
}

#[test]
fn what_an_earlier_run_began_is_withdrawn_by_the_host() -> Result<(), Error> {
    let rig = Rig::<Loud>::from_json(r#"{"extra-runs": 1}"#)?;
    let begun = |id: &str| {
        let start = ModelCallStart { id: id.to_owned(), model: "m".to_owned() };
        Answer::response(ModelResponse::new(&[])).after([Event::ModelCallStart(start)])
    };
    let called = rig.on_model_call(ModelRequest::new("main"), [begun("one"), begun("two")]);
    let withdrawn: Vec<_> =
        called.events.iter().filter(|event| matches!(event, Event::Withdrawn(_))).collect();
    assert_eq!(withdrawn, [&Event::Withdrawn("one".to_owned())]);
    assert!(matches!(called.events.last(), Some(Event::ModelCallStart(start)) if start.id == "two"));
    Ok(())
}

/// Answers in upper case, in the stream and in what is stored.
struct Shout;

impl Middleware for Shout {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnReply for Shout {
    fn on_reply(&self, request: ReplyRequest, next: ReplyNext, out: Sink) -> Result<ReplyResponse, Error> {
        let end = ReplyEnd { reply_id: String::new(), outcome: Outcome::Replied, error: None };
        let forged = out.emit(&[Event::ReplyEnd(end)]).err().map(|error| error.kind);
        assert_eq!(forged, Some(ErrorKind::InvalidInput));
        let response = next.run_changing(request, EventKinds::TEXT, &out, |event| match event {
            Event::TextDelta(TextDelta { id, text }) => {
                Some(Event::TextDelta(TextDelta { id, text: text.to_uppercase() }))
            }
            Event::TextEnd(_) => None,
            other => Some(other),
        })?;
        response.set_text(&response.text().to_uppercase())?;
        Ok(response)
    }
}

#[test]
fn a_stream_and_its_response_are_changed_in_two_calls() -> Result<(), Error> {
    let rig = Rig::<Shout>::new(NoConfig {})?;
    let request = ReplyRequest::from(ReplyRequestData {
        input: vec![Message::user("hi")],
        resumed: false,
        output_schema: None,
        tool_choice: ToolChoice::Auto,
        metadata: Default::default(),
    });
    let called = rig.on_reply(request, [Answer::text("hello")]);
    assert_eq!(called.result?.text(), "HELLO");
    let streamed = [
        Event::TextStart("text".to_owned()),
        Event::TextDelta(TextDelta { id: "text".to_owned(), text: "HELLO".to_owned() }),
    ];
    assert_eq!(called.events, streamed);
    Ok(())
}

#[test]
fn a_new_text_leaves_what_else_a_message_has() -> Result<(), Error> {
    let call = ToolCall { id: "1".to_owned(), name: "add".to_owned(), arguments: "{}".to_owned() };
    let call = ContentBlock::ToolCall(call);
    let thought =
        ContentBlock::Thinking(ThinkingBlock { text: "hm".to_owned(), signature: Some("s".to_owned()) });
    let said = [thought.clone(), ContentBlock::text("a"), call.clone(), ContentBlock::text("b")];
    let response = ModelResponse::new(&said);
    response.set_text("c")?;
    assert_eq!(response.message().content, [thought.clone(), ContentBlock::text("c"), call.clone()]);
    let silent = ReasoningResponse::new(&[thought.clone(), call.clone()]);
    silent.set_text("c")?;
    assert_eq!(silent.message().content, [thought, ContentBlock::text("c"), call]);
    Ok(())
}

#[test]
fn a_call_can_not_lose_its_result() -> Result<(), Error> {
    Rig::<Loud>::new(Config::default())?;
    let call = ToolCall { id: "1".to_owned(), name: "add".to_owned(), arguments: "{}".to_owned() };
    let result = ToolResult {
        call_id: "1".to_owned(),
        name: "add".to_owned(),
        state: ToolState::Success,
        content: vec![ResultPart::text("2")],
    };
    let said = vec![
        Message::user("one and one?"),
        Message::new(Role::Assistant, vec![ContentBlock::ToolCall(call)]),
        Message::new(Role::Tool, vec![ContentBlock::ToolResult(result)]),
    ];
    with(|world| world.conversation.clone_from(&said));
    for (start, end) in [(1, 2), (2, 3)] {
        let error = conversation::replace(start, end, &[]).err().map(|error| error.kind);
        assert_eq!(error, Some(ErrorKind::InvalidInput));
        assert_eq!(with(|world| world.conversation.clone()), said);
    }
    conversation::replace(1, 3, &[Message::assistant("two")])?;
    assert_eq!(conversation::count()?, 2);
    Ok(())
}

#[test]
fn enums_are_shown_as_the_contract_names_them() {
    let shown = format!(
        "{} {} {} {} {}",
        ErrorKind::RateLimited,
        cepa_sdk::FinishReason::ToolCalls,
        Outcome::Replied,
        Role::Assistant,
        ToolState::Denied
    );
    assert_eq!(shown, "rate-limited tool-calls replied assistant denied");
}
