//! What a layer may ask of the agent.

use std::sync::{Arc, Mutex};

use cepa::agent::ReplyItem;
use cepa::chain::{Acting, ChainEntry, HookFuture, HookKind, Layer, Next, Reasoning, Sink};
use cepa::error::Error;
use cepa::message::{Block, Message, Role};
use cepa::request::{ModelRequest, ReasoningRequest, ReasoningResponse, ToolRequest, ToolResponse};
use cepa::services::Services;
use futures::future::BoxFuture;
use serde_json::json;

use crate::rig::{
    Double, Script, agent, ask, ask_before, assert_sound, call, calls, entry, line, opened, says, stored,
    transcript, turn,
};

type Deed = dyn Fn(Arc<dyn Services>) -> BoxFuture<'static, Result<(), Error>> + Send + Sync;

/// Does something once, before the first step's reasoning.
struct Once {
    deed: Mutex<Option<Arc<Deed>>>,
    services: Arc<dyn Services>,
}

impl Layer for Once {
    fn on_reasoning(
        self: Arc<Self>,
        request: ReasoningRequest,
        mut next: Next<Reasoning>,
        _out: Sink,
    ) -> HookFuture<ReasoningResponse> {
        Box::pin(async move {
            let deed = self.deed.lock().unwrap().take();
            if let Some(deed) = deed {
                deed(Arc::clone(&self.services)).await?;
            }
            Ok(next.run(request).await?)
        })
    }
}

fn once<F, R>(deed: F) -> ChainEntry
where
    F: Fn(Arc<dyn Services>) -> R + Send + Sync + 'static,
    R: Future<Output = Result<(), Error>> + Send + 'static,
{
    let deed: Arc<Deed> = Arc::new(move |services| Box::pin(deed(services)));
    opened("once", &[HookKind::Reasoning], move |reply| Once {
        deed: Mutex::new(Some(Arc::clone(&deed))),
        services: Arc::clone(&reply.services),
    })
}

#[tokio::test]
async fn a_layers_own_model_call_is_counted_and_not_streamed() {
    let model = Script::new([says("A thought for myself."), says("Hello.")]);
    let entry = once(|services| async move {
        assert_eq!(services.aliases(), ["main"]);
        let mut request = ModelRequest::to("main");
        request.push_message(Message::user("Think"));
        assert_eq!(services.complete(request).await?.text(), "A thought for myself.");
        let unknown = services.complete(ModelRequest::to("none")).await.unwrap_err();
        assert_eq!(unknown.message, "no model has the alias `none`");
        Ok(())
    });
    let agent = agent(&model).middleware(entry).build().await.unwrap();
    let (told, session) = turn(&agent, "Hi").await;
    assert!(model.asked()[0].internal && !model.asked()[1].internal);
    assert_eq!(told.result.response.usage.input_tokens, Some(20));
    assert_eq!(session.usage[0].2, 2);
    insta::assert_snapshot!(transcript(&told, &session));
}

#[tokio::test]
async fn a_withheld_tool_is_neither_offered_nor_run() {
    let model = Script::new([says("?"), calls([call("c1", "look", &json!({"x": 1}))]), says("No.")]);
    let entry = once(|services| async move {
        services.withhold("look")?;
        assert_eq!(services.withhold("none").unwrap_err().message, "no tool `none` in the catalogue");
        Ok(())
    });
    let agent = agent(&model)
        .tool(Arc::new(Double::echo("look")))
        .tool(Arc::new(Double::echo("see")))
        .middleware(entry);
    let agent = agent.build().await.unwrap();
    ask(&agent, "Hi").await;
    // The next reply offers everything again, and its first step had been decided before the layer ran.
    let told = ask(&agent, "Look").await;
    assert_sound(&told, &stored(&agent).await);
    let offered =
        |at: usize| -> Vec<String> { model.asked()[at].tools.iter().map(|tool| tool.name.clone()).collect() };
    assert_eq!(offered(1), ["look", "see"]);
    assert_eq!(offered(2), ["see"]);
}

#[tokio::test]
async fn a_layers_tool_call_is_checked_like_any_other_and_stored_nowhere() {
    let model = Script::new([says("Done.")]);
    let entry = once(|services| async move {
        let run = |name: &str, arguments: &str| {
            services.call_tool("once".to_owned(), name.to_owned(), arguments.to_owned())
        };
        assert_eq!(run("look", "{\"x\": 1}").await?.text(), "look 1");
        let mut errors = Vec::new();
        for (name, arguments) in
            [("look", "{"), ("none", "{}"), ("write", "{\"x\": 1}"), ("far", "{\"x\": 1}")]
        {
            errors.push(run(name, arguments).await.unwrap_err().message);
        }
        insta::assert_snapshot!(errors.join("\n"));
        Ok(())
    });
    let agent = agent(&model)
        .tool(Arc::new(Double::echo("look")))
        .tool(Arc::new(Double::echo("write")))
        .tool(Arc::new(Double::echo("far").external()))
        .permissions(ask_before(&["write"]))
        .middleware(entry)
        .build()
        .await
        .unwrap();
    let (told, session) = turn(&agent, "Hi").await;
    assert_eq!(told.result.response.text(), "Done.");
    assert_eq!(session.messages.len(), 2);
}

/// Notes each tool execution that it wraps.
struct Watch(Arc<Mutex<Vec<String>>>);

impl Layer for Watch {
    fn on_acting(
        self: Arc<Self>,
        request: ToolRequest,
        mut next: Next<Acting>,
        _out: Sink,
    ) -> HookFuture<ToolResponse> {
        self.0.lock().unwrap().push(format!("{} {}", request.call.name, request.call.arguments));
        Box::pin(async move { Ok(next.run(request).await?) })
    }
}

#[tokio::test]
async fn a_layers_tool_call_goes_through_the_layers_inside_it_and_is_noted() {
    let model = Script::new([says("Done.")]);
    let outside: Arc<Mutex<Vec<String>>> = Arc::default();
    let inside: Arc<Mutex<Vec<String>>> = Arc::default();
    let caller = once(|services| async move {
        let run =
            |name: &str| services.call_tool("once".to_owned(), name.to_owned(), "{\"x\": 1}".to_owned());
        assert_eq!(run("look").await?.text(), "look 1");
        run("write").await.unwrap_err();
        Ok(())
    });
    let agent = agent(&model)
        .tool(Arc::new(Double::echo("look")))
        .tool(Arc::new(Double::echo("write")))
        .permissions(ask_before(&["write"]))
        .middleware(entry("outside", &[HookKind::Acting], Watch(Arc::clone(&outside))))
        .middleware(caller)
        .middleware(entry("inside", &[HookKind::Acting], Watch(Arc::clone(&inside))))
        .build()
        .await
        .unwrap();
    let (told, _) = turn(&agent, "Hi").await;
    assert_eq!(*inside.lock().unwrap(), ["look {\"x\": 1}"]);
    assert!(outside.lock().unwrap().is_empty(), "what a layer does inside is not seen outside");
    let noted = told.items.iter().filter_map(|item| match item {
        ReplyItem::Note(note) => Some(serde_json::to_string(note).unwrap()),
        ReplyItem::Event(_) => None,
    });
    insta::assert_snapshot!(noted.collect::<Vec<_>>().join("\n"), @r#"
    {"layer":"once","type":"layer-tool-call","tool":"look","outcome":"success"}
    {"layer":"once","type":"layer-tool-call","tool":"write","outcome":"no result: tool `write` needs a person's confirmation, which a layer can't get"}
    "#);
}

#[tokio::test]
async fn calls_and_results_stand_in_messages_of_their_own_role_and_have_ids() {
    let model = Script::new([says("Done.")]);
    let entry = once(|services| async move {
        let block = |json: serde_json::Value| -> Block { serde_json::from_value(json).unwrap() };
        let call =
            |id: &str| block(json!({"type": "tool-call", "id": id, "name": "look", "arguments": "{}"}));
        let result = |id: &str| {
            let (name, state) = ("look", "success");
            block(json!({"type": "tool-result", "call-id": id, "name": name, "state": state, "content": []}))
        };
        let message = |role, content| Message::new(role, content);
        let mut errors = Vec::new();
        for messages in [
            vec![message(Role::User, vec![call("a"), result("a")])],
            vec![message(Role::Assistant, vec![call("a")]), message(Role::User, vec![result("a")])],
            vec![message(Role::Assistant, vec![call("")]), message(Role::Tool, vec![result("")])],
            vec![
                message(Role::Assistant, vec![call("a")]),
                message(Role::Assistant, Vec::new()),
                message(Role::Tool, vec![result("a")]),
            ],
        ] {
            errors.push(services.replace(0, 0, messages).await.unwrap_err().message);
        }
        insta::assert_snapshot!(errors.join("\n"), @"
        call `a` stands in no message of the role assistant
        the result of call `a` stands in no message of the role tool
        a call of tool `look` has no id
        call `a` has no result before the assistant's next message
        ");
        let pair = vec![message(Role::Assistant, vec![call("a")]), message(Role::Tool, vec![result("a")])];
        services.replace(0, 0, pair).await
    });
    let agent = agent(&model).middleware(entry).build().await.unwrap();
    let (_, session) = turn(&agent, "Hi").await;
    assert_eq!(session.messages.len(), 4, "a pair of its own kind may be put in");
}

#[tokio::test]
async fn a_replaced_part_of_the_conversation_is_stored_and_never_splits_a_call_from_its_result() {
    let model = Script::new([calls([call("c1", "look", &json!({"x": 1}))]), says("Seen."), says("Short.")]);
    let entry = once(|services| async move {
        let talk = services.conversation();
        if talk.len() < 4 {
            return Ok(());
        }
        let summary = || vec![Message::new(Role::User, vec![Block::Text { text: "In short.".to_owned() }])];
        let mut errors = Vec::new();
        for (start, end) in [(0, 2), (2, 3), (3, 99), (2, 1)] {
            errors.push(services.replace(start, end, summary()).await.unwrap_err().message);
        }
        assert_eq!(services.conversation(), talk, "a refused change changes nothing");
        insta::assert_snapshot!("refused_replacements", errors.join("\n"));
        services.replace(0, 4, summary()).await
    });
    let agent = agent(&model).tool(Arc::new(Double::echo("look"))).middleware(entry).build().await.unwrap();
    ask(&agent, "Look").await;
    let (_, session) = turn(&agent, "And?").await;
    let texts: Vec<String> = session.messages.iter().map(line).collect();
    assert_eq!(texts, ["user: In short.", "user: And?", "assistant: Short."]);
    assert_eq!(session.reply.unwrap().base, 1, "the begin of the reply moved with it");
}
