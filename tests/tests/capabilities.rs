//! The capabilities as components use them: what each gives, and what it refuses.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use cepa::agent::{Agent, PermissionRules, ReplyInput};
use cepa::chain::{ChainEntry, Note, NoteKind};
use cepa::event::{Event, Outcome};
use cepa::message::Message;
use cepa::model::Model;
use cepa::models::ScriptedModel;
use cepa::policy::{Access, Grants};
use cepa::world::{RealWorld, World};
use cepa_tests::agent::{Echo, agent, ask, conversation, model, told};
use cepa_tests::chain::{LayerPlan, load};
use cepa_tests::guest;
use serde_json::{Value, json};
use tokio::sync::Notify;

const ANSWERS: &str = "[[turn]]\ntext = \"Answer.\"\nusage = { input-tokens = 100 }\nrepeat = true";

async fn plan(grants: Grants, config: Value) -> ChainEntry {
    let component = load("uses", guest!("uses")).await;
    LayerPlan::new("uses").grants(grants).config(config).entry(&component)
}

async fn using(model: &ScriptedModel, grants: Grants, config: Value) -> Agent {
    agent(model).middleware(plan(grants, config).await).build().await.unwrap()
}

fn state() -> Grants {
    Grants { state: true, ..Grants::default() }
}

#[tokio::test]
async fn state_is_kept_by_scope() {
    let config = json!({
        "before": [
            { "increment": ["reply", "n", 1] },
            { "increment": ["session", "n", 1] },
            { "increment": ["layer", "n", 1] },
        ],
        "after": [{ "get": ["reply", "n"] }, { "get": ["session", "n"] }, { "get": ["layer", "n"] }],
    });
    let agent = using(&model(ANSWERS), state(), config).await;
    ask(&agent, "One").await;
    ask(&agent, "Two").await;
    let other = told(agent.reply("other", "Three").await.unwrap()).await;
    insta::assert_snapshot!(other.log(), @r#"
    uses: Increment(Reply, "n", 1.0): 1.0
    uses: Increment(Session, "n", 1.0): 1.0
    uses: Increment(Layer, "n", 1.0): 3.0
    uses: Get(Reply, "n"): Some("1")
    uses: Get(Session, "n"): Some("1")
    uses: Get(Layer, "n"): Some("3")
    "#);
    insta::assert_snapshot!(ask(&agent, "Four").await.log(), @r#"
    uses: Increment(Reply, "n", 1.0): 1.0
    uses: Increment(Session, "n", 1.0): 3.0
    uses: Increment(Layer, "n", 1.0): 4.0
    uses: Get(Reply, "n"): Some("1")
    uses: Get(Session, "n"): Some("3")
    uses: Get(Layer, "n"): Some("4")
    "#);
}

#[tokio::test]
async fn state_is_changed_exactly_and_within_limits() {
    let config = json!({ "before": [
        { "get": ["reply", "a"] },
        { "set": ["reply", "a", "1"] },
        { "set": ["reply", "b", "x"] },
        { "set": ["reply", "ab", ""] },
        { "keys": ["reply", "a"] },
        { "keys": ["reply", ""] },
        { "keys": ["session", ""] },
        { "compare-and-set": ["reply", "a", "0", "2"] },
        { "compare-and-set": ["reply", "a", "1", "2"] },
        { "compare-and-set": ["reply", "new", null, "3"] },
        { "compare-and-set": ["reply", "new", null, "4"] },
        { "compare-and-set": ["reply", "new", "3", null] },
        { "get": ["reply", "new"] },
        { "increment": ["reply", "a", 40] },
        { "increment": ["reply", "a", -0.5] },
        { "increment": ["reply", "a", 9_007_199_254_740_992_u64] },
        { "increment": ["reply", "b", 1] },
        { "get": ["reply", "a"] },
        { "delete": ["reply", "a"] },
        { "delete": ["reply", "a"] },
        { "set-long": ["reply", 512, 1_048_576] },
        { "set-long": ["reply", 513, 1] },
        { "set-long": ["reply", 1, 1_048_577] },
    ] });
    let agent = using(&model(ANSWERS), state(), config).await;
    insta::assert_snapshot!(ask(&agent, "Go").await.log());
}

#[tokio::test]
async fn what_is_not_granted_is_an_error_value_and_noted() {
    let config = json!({ "before": [
        { "get": ["layer", "a"] },
        { "set": ["layer", "a", "1"] },
        "aliases",
        { "complete": ["main", "hello"] },
        "catalogue",
        { "offer": "look" },
        { "withhold": "look" },
        { "call": ["look", "{}"] },
        "count",
        { "read": [0, 1] },
        { "replace": [0, 1, []] },
        { "fetch": ["GET", "https://example.test/a?key=1", [], ""] },
    ] });
    let model = model(ANSWERS);
    let look = Echo::new("look");
    let agent = agent(&model)
        .tool(Arc::new(look.clone()))
        .middleware(plan(Grants::default(), config).await)
        .build()
        .await
        .unwrap();
    let told = ask(&agent, "Go").await;
    assert_eq!(told.result.response.outcome, Outcome::Replied);
    insta::assert_snapshot!(told.log());
    let denied = |note: &&Note| match &note.kind {
        NoteKind::Denied { capability, object } => Some(format!("{}: {capability} {object}", note.layer)),
        _ => None,
    };
    let denied: Vec<String> = told.marks().iter().filter_map(denied).collect();
    insta::assert_snapshot!(denied.join("\n"));
    assert_eq!((look.calls(), model.requests().len()), (0, 1));
}

#[tokio::test]
async fn models_of_granted_aliases_are_asked_internally() {
    let config = json!({ "before": [
        "aliases",
        { "complete": ["small", "hello"] },
        { "complete": ["large", "hello"] },
        { "complete": ["none", "hello"] },
    ] });
    let (main, small) =
        (model(ANSWERS), model("[[turn]]\ntext = \"<{{last-user}}>\"\nusage = { input-tokens = 7 }"));
    let large = model("");
    let grants = Grants { models: vec!["small".to_owned(), "none".to_owned()], ..Grants::default() };
    let agent = agent(&main)
        .model("small", Arc::new(small.clone()) as Arc<dyn Model>)
        .model("large", Arc::new(large.clone()) as Arc<dyn Model>)
        .middleware(plan(grants, config).await)
        .build()
        .await
        .unwrap();
    let told = ask(&agent, "Go").await;
    insta::assert_snapshot!(told.log(), @r#"
    uses: Aliases: ["small"]
    uses: Complete("small", "hello"): small says "<hello>"
    uses: Complete("large", "hello"): ErrorKind::Denied "not-granted" the capability `models` is not granted for `large`
    uses: Complete("none", "hello"): ErrorKind::NotFound "" no model has the alias `none`; granted are: small
    "#);
    assert!(small.requests()[0].internal);
    assert_eq!(large.requests().len(), 0);
    assert_eq!(told.result.response.usage.input_tokens, Some(107));
    let shown = told.events.iter().filter(|event| matches!(event, Event::ModelCallStart { .. })).count();
    assert_eq!((shown, told.streamed()), (1, "Answer.".to_owned()));
    assert_eq!(conversation(&agent).await, ["user: Go", "assistant: Answer."]);
}

#[tokio::test]
async fn an_unknown_model_is_refused_without_a_list_of_those_that_there_are() {
    let component = load("program", guest!("program")).await;
    let plan = LayerPlan::new("program").config(json!({ "steps": [{ "set-model": "none" }, "run"] }));
    let agent = agent(&model(ANSWERS))
        .model("hidden", Arc::new(model("")) as Arc<dyn Model>)
        .middleware(plan.entry(&component))
        .build()
        .await
        .unwrap();
    let told = ask(&agent, "Go").await;
    let error = told.result.response.error.clone().unwrap();
    assert_eq!(error.message, "no model has the alias `none`");
}

#[tokio::test]
async fn granted_tools_are_offered_withheld_and_called_under_the_operators_rules() {
    let config = json!({
        "before": [
            "catalogue",
            { "withhold": "look" },
            { "withhold": "peek" },
            { "offer": "peek" },
            { "call": ["look", "{\"x\":1}"] },
            { "call": ["look", "{\"x\":\"one\"}"] },
            { "call": ["look", "{half"] },
            { "call": ["secret", "{}"] },
            { "call": ["erase", "{}"] },
            { "call": ["nothing", "{}"] },
            { "offer": "nothing" },
        ],
    });
    let model = model(ANSWERS);
    let tools = ["look", "peek", "erase", "secret"].map(Echo::new);
    let grants = ["look", "peek", "erase", "nothing"].map(str::to_owned).to_vec();
    let rules = PermissionRules { deny: vec!["erase".parse().unwrap()], ..PermissionRules::default() };
    let mut builder = agent(&model).permissions(rules);
    for tool in &tools {
        builder = builder.tool(Arc::new(tool.clone()));
    }
    let entry = plan(Grants { tools: grants, ..Grants::default() }, config).await;
    let agent = builder.middleware(entry).build().await.unwrap();
    let told = ask(&agent, "Go").await;
    insta::assert_snapshot!(told.log());
    assert_eq!(tools.map(|tool| tool.calls()), [1, 0, 0, 0]);
    let offered: Vec<String> = model.requests()[0].tools.iter().map(|tool| tool.name.clone()).collect();
    assert_eq!(offered, ["peek", "erase", "secret"]);
    assert_eq!(
        conversation(&agent).await,
        ["user: Go", "assistant: Answer."],
        "a layer's call is stored nowhere"
    );
}

#[tokio::test]
async fn a_reader_of_the_conversation_changes_nothing() {
    let config = json!({
        "before": ["count", { "read": [0, 1] }, { "read": [0, 2] }, { "read": [1, 0] }, { "replace": [0, 1, []] }],
        "after": ["count"],
    });
    let grants = Grants { conversation: Access::Read, ..Grants::default() };
    let agent = using(&model(ANSWERS), grants, config).await;
    insta::assert_snapshot!(ask(&agent, "Go").await.log(), @r#"
    uses: Count: 1
    uses: Read(0, 1): ["Go"]
    uses: Read(0, 2): ErrorKind::InvalidInput "" range 0..2 is out of bounds: there are 1 messages
    uses: Read(1, 0): ErrorKind::InvalidInput "" range 1..0 is out of bounds: there are 1 messages
    uses: Replace(0, 1, []): ErrorKind::Denied "not-granted" the capability `conversation` is not granted for `write`
    uses: Count: 1
    "#);
    assert_eq!(conversation(&agent).await, ["user: Go", "assistant: Answer."]);
}

#[tokio::test]
async fn a_writer_of_the_conversation_can_not_break_it() {
    let script = "[[turn]]\ntool-calls = [{ id = \"c1\", name = \"look\", arguments = {} }]\n\n[[turn]]\ntext = \"Answer.\"";
    let config = json!({
        "before": [{ "replace": [0, 1, [{ "user": "Please look" }]] }],
        "after": [
            "count",
            { "replace": [0, 9, []] },
            { "replace": [2, 1, []] },
            { "replace": [1, 2, []] },
            { "replace": [2, 3, []] },
            { "replace": [2, 2, [{ "result": "c1" }]] },
            { "replace": [3, 3, [{ "result": "c9" }]] },
            { "replace": [0, 1, [{ "system": "Obey" }]] },
            { "replace": [1, 3, [{ "assistant": "I looked" }]] },
            { "read": [0, 2] },
        ],
    });
    let grants = Grants { conversation: Access::Write, ..Grants::default() };
    let agent = agent(&model(script))
        .tool(Arc::new(Echo::new("look")))
        .middleware(plan(grants, config).await)
        .build()
        .await
        .unwrap();
    insta::assert_snapshot!(ask(&agent, "Look").await.log());
    assert_eq!(
        conversation(&agent).await,
        ["user: Please look", "assistant: I looked", "assistant: Answer."]
    );
}

#[tokio::test]
async fn a_layer_knows_where_it_is_and_has_time_and_chance() {
    let config = json!({ "before": [
        "who",
        { "sleep": 1500 },
        "chance",
        { "random-bytes": 65_536 },
        { "random-bytes": 65_537 },
        { "random-bytes": u32::MAX },
    ], "after": ["who"] });
    let agent = using(&model(ANSWERS), Grants::default(), config).await;
    let input = ReplyInput {
        messages: vec![Message::user("Go")],
        actor: Some("ada".to_owned()),
        ..ReplyInput::default()
    };
    let told = told(agent.reply("s", input).await.unwrap()).await;
    insta::assert_snapshot!(told.log());
}

/// A world in which a sleep never ends, and is told.
#[derive(Debug, Default)]
struct Endless {
    real: RealWorld,
    asleep: Notify,
}

impl World for Endless {
    fn now_ms(&self) -> u64 {
        self.real.now_ms()
    }

    fn monotonic(&self) -> Duration {
        self.real.monotonic()
    }

    fn sleep(&self, _: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        self.asleep.notify_one();
        Box::pin(std::future::pending())
    }

    fn random(&self, buffer: &mut [u8]) {
        self.real.random(buffer);
    }
}

#[tokio::test]
async fn an_abort_ends_a_layers_sleep() {
    let world = Arc::new(Endless::default());
    let config = json!({ "before": [{ "sleep": 3_600_000 }], "after": ["who"] });
    let agent = agent(&model(ANSWERS))
        .world(Arc::clone(&world) as Arc<dyn World>)
        .middleware(plan(Grants::default(), config).await)
        .build()
        .await
        .unwrap();
    let stream = agent.reply("s", "Go").await.unwrap();
    world.asleep.notified().await;
    stream.abort();
    let told = told(stream).await;
    assert_eq!(told.result.response.outcome, Outcome::Aborted);
    assert_eq!(told.log(), "uses: sleeping\n", "the layer is not entered again");
    assert_eq!(conversation(&agent).await, ["user: Go"]);
}
