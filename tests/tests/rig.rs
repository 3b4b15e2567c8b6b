//! What a middleware meets in the SDK's rig it meets in a host: one table of cases, and the same guests in both.

use cepa::chain::{ModelCall, Note, NoteKind, Reply, Sink, endpoint_fn};
use cepa::error::Error;
use cepa::event::Event;
use cepa::message::{Block, FinishReason, ToolState};
use cepa::policy::Grants;
use cepa::request::{ModelRequest, ModelResponse, ReplyRequest, ReplyRequestData, ReplyResponse};
use cepa_sdk::rig::{Answer, Rig, with};
use cepa_tests::agent::{agent, ask, model};
use cepa_tests::chain::{LayerPlan, call, load};
use cepa_tests::guest;
use guest_forge::Forge;
use guest_observe::Observe;
use guest_uses::Uses;
use serde_json::json;

/// What a guest has logged in the rig.
fn rig_log() -> Vec<String> {
    with(|world| world.log.iter().map(|(_, line)| line.clone()).collect())
}

/// What the layers have logged in a host.
fn host_log(notes: &[Note]) -> Vec<String> {
    let lines = notes.iter().filter_map(|note| match &note.kind {
        NoteKind::Log { message, .. } => Some(message.clone()),
        _ => None,
    });
    lines.collect()
}

fn rig_request() -> cepa_sdk::ReplyRequest {
    cepa_sdk::ReplyRequest::from(cepa_sdk::rig::ReplyRequestData {
        input: vec![cepa_sdk::Message::user("Go")],
        resumed: false,
        output_schema: None,
        tool_choice: cepa_sdk::ToolChoice::Auto,
        metadata: Default::default(),
    })
}

#[tokio::test]
async fn state_keeps_and_refuses_the_same() {
    let config = json!({ "before": [
        { "get": ["reply", "a"] },
        { "set": ["reply", "a", "1"] },
        { "set": ["reply", "ab", ""] },
        { "keys": ["reply", "a"] },
        { "keys": ["session", ""] },
        { "compare-and-set": ["reply", "a", "0", "2"] },
        { "compare-and-set": ["reply", "a", "1", "2"] },
        { "compare-and-set": ["reply", "new", null, "3"] },
        { "compare-and-set": ["reply", "new", "3", null] },
        { "delete": ["reply", "new"] },
        { "increment": ["reply", "a", 40] },
        { "increment": ["reply", "a", -0.5] },
        { "increment": ["reply", "a", 9_007_199_254_740_992_u64] },
        { "increment": ["layer", "absent", -3] },
        { "set": ["reply", "b", "x"] },
        { "increment": ["reply", "b", 1] },
        { "set": ["reply", "b", "0.5"] },
        { "increment": ["reply", "b", 1] },
        { "set": ["reply", "b", "9007199254740994"] },
        { "increment": ["reply", "b", -2] },
        { "get": ["reply", "a"] },
        { "set-long": ["reply", 512, 1_048_576] },
        { "set-long": ["reply", 513, 1] },
        { "set-long": ["reply", 1, 1_048_577] },
    ] });
    let component = load("uses", guest!("uses")).await;
    let grants = Grants { state: true, ..Grants::default() };
    let layer = LayerPlan::new("uses").grants(grants).config(config.clone()).entry(&component);
    let model = model("[[turn]]\ntext = \"Well.\"");
    let agent = agent(&model).middleware(layer).build().await.unwrap();
    let told = ask(&agent, "Go").await;

    let rig = Rig::<Uses>::from_json(&config.to_string()).unwrap();
    rig.on_reply(rig_request(), [Answer::text("Well.")]).result.unwrap();
    assert_eq!(rig_log(), host_log(&told.notes));
}

/// What may come from inside a layer.
fn streams() -> [Vec<Event>; 3] {
    let start = |id: &str| Event::ModelCallStart { id: id.into(), model: "m".into() };
    let end = |id: &str| {
        let finish_reason = FinishReason::Stop;
        Event::ModelCallEnd { id: id.into(), finish_reason, usage: None, error: None }
    };
    let text = |text: &str| Event::TextDelta { id: "b".into(), text: text.into() };
    let (call_id, name) = (|| "c".to_owned(), || "look".to_owned());
    let arguments = |text: &str| Event::ToolCallDelta { call_id: call_id(), text: text.into() };
    let answer = |text: &str| Event::ToolResultText { call_id: call_id(), text: text.into() };
    [
        vec![
            Event::TextStart { id: "b".into() },
            text("It "),
            text("is."),
            Event::TextEnd { id: "b".into() },
        ],
        vec![
            start("m"),
            Event::ToolCallStart { call_id: call_id(), name: name() },
            arguments("{\"x\":"),
            arguments("1}"),
            Event::ToolCallEnd { call_id: call_id() },
            end("m"),
            Event::ToolResultStart { call_id: call_id(), name: name() },
            answer("one "),
            answer("two"),
            Event::ToolResultEnd { call_id: call_id(), state: ToolState::Success },
        ],
        vec![
            start("m1"),
            text("It is"),
            Event::Withdrawn { id: "m1".into() },
            start("m2"),
            text("It was."),
            end("m2"),
        ],
    ]
}

/// An event of the host as the SDK has it.
fn in_sdk(event: &Event) -> cepa_sdk::Event {
    use cepa_sdk::{Event as Sdk, ModelCallEnd, ModelCallStart, TextDelta, ToolEnd, ToolStart, ToolText};
    match event.clone() {
        Event::TextStart { id } => Sdk::TextStart(id),
        Event::TextDelta { id, text } => Sdk::TextDelta(TextDelta { id, text }),
        Event::TextEnd { id } => Sdk::TextEnd(id),
        Event::ModelCallStart { id, model } => Sdk::ModelCallStart(ModelCallStart { id, model }),
        Event::ModelCallEnd { id, .. } => {
            let finish_reason = cepa_sdk::FinishReason::Stop;
            Sdk::ModelCallEnd(ModelCallEnd { id, finish_reason, usage: None, error: None })
        }
        Event::ToolCallStart { call_id, name } => Sdk::ToolCallStart(ToolStart { call_id, name }),
        Event::ToolCallDelta { call_id, text } => Sdk::ToolCallDelta(ToolText { call_id, text }),
        Event::ToolCallEnd { call_id } => Sdk::ToolCallEnd(call_id),
        Event::ToolResultStart { call_id, name } => Sdk::ToolResultStart(ToolStart { call_id, name }),
        Event::ToolResultText { call_id, text } => Sdk::ToolResultText(ToolText { call_id, text }),
        Event::ToolResultEnd { call_id, .. } => {
            Sdk::ToolResultEnd(ToolEnd { call_id, state: cepa_sdk::ToolState::Success })
        }
        Event::Withdrawn { id } => Sdk::Withdrawn(id),
        other => panic!("no case has this event: {other:?}"),
    }
}

fn all_in_sdk(events: &[Event]) -> Vec<cepa_sdk::Event> {
    events.iter().map(in_sdk).collect()
}

async fn reply(stream: Vec<Event>, out: Sink) -> Result<ReplyResponse, Error> {
    out.emit(stream).await?;
    Ok(ReplyResponse::answer(vec![Block::Text { text: "Well.".into() }]))
}

async fn respond(stream: Vec<Event>, out: Sink) -> Result<ModelResponse, Error> {
    out.emit(stream).await?;
    Ok(ModelResponse::answer(Vec::new()))
}

#[tokio::test]
async fn what_is_the_hosts_to_say_is_refused_alike() {
    let component = load("forge", guest!("forge")).await;
    for stream in streams() {
        let inside = stream.clone();
        let endpoint = endpoint_fn(move |_: ReplyRequest, out: Sink| reply(inside.clone(), out));
        let layer = LayerPlan::new("forge").entry(&component);
        let request = ReplyRequest::new(ReplyRequestData::default());
        let in_host = call::<Reply>(&[layer], request, endpoint).await;
        in_host.result.unwrap();

        let rig = Rig::<Forge>::new(cepa_sdk::NoConfig {}).unwrap();
        let answer = Answer::response(cepa_sdk::ReplyResponse::new(&[])).after(all_in_sdk(&stream));
        let in_rig = rig.on_reply(rig_request(), [answer]);
        in_rig.result.unwrap();
        assert_eq!(in_rig.events, all_in_sdk(&in_host.events), "of {stream:#?}");
        assert_eq!(rig_log(), host_log(&in_host.notes), "of {stream:#?}");
    }
}

#[tokio::test]
async fn what_a_layer_was_given_it_may_pass_on_in_both() {
    let component = load("observe", guest!("observe")).await;
    for stream in streams() {
        let inside = stream.clone();
        let endpoint = endpoint_fn(move |_: ModelRequest, out: Sink| respond(inside.clone(), out));
        let layer = LayerPlan::new("observe").entry(&component);
        let in_host = call::<ModelCall>(&[layer], ModelRequest::to("main"), endpoint).await;
        in_host.result.unwrap();
        assert_eq!(in_host.events, stream);

        let rig = Rig::<Observe>::new(cepa_sdk::NoConfig {}).unwrap();
        let answer = Answer::response(cepa_sdk::ModelResponse::new(&[])).after(all_in_sdk(&stream));
        let in_rig = rig.on_model_call(cepa_sdk::ModelRequest::new("main"), [answer]);
        in_rig.result.unwrap();
        assert_eq!(in_rig.events, all_in_sdk(&stream));
    }
}
