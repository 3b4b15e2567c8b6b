//! The model that answers from a file.

use std::sync::Arc;
use std::time::Duration;

use cepa::message::{Block, Message, ResultPart, Role, ToolResult, ToolState};
use cepa::model::Model;
use cepa::models::ScriptedModel;
use cepa::request::ModelRequest;
use cepa::world::TestWorld;

use super::play::ask;

fn model(text: &str) -> ScriptedModel {
    ScriptedModel::from_toml("script.toml", text, Arc::new(TestWorld::new(1))).expect("a script")
}

fn user(text: &str) -> ModelRequest {
    let mut request = ModelRequest::to("main");
    request.edit().system_prompt = Some("Be brief.".to_owned());
    request.push_message(Message::user(text));
    request
}

const SCRIPT: &str = r#"
[[turn]]
thinking = "hm"
text = "You said: {{last-user}}; told: {{ system }}"
chunks = 9
usage = { input-tokens = 20, output-tokens = 5, cache-read-tokens = 0 }

[[turn]]
tool-calls = [{ name = "get-weather", arguments = { city = "Paris" } }, { id = "b", name = "add", arguments = "{\"a\"" }]
finish-reason = "length"

[[turn]]
chunks = ["The tool says ", "{{tool-result}}"]

[[turn]]
text = "half of it"
error = { kind = "rate-limited", message = "slow down", retry-after-ms = 1500, status = 429 }

[[turn]]
text = "cut"
chunks = 1
cut-after = 3
"#;

#[tokio::test]
async fn each_turn_is_given_in_order() {
    let model = model(SCRIPT);
    let mut after_tool = user("hi");
    let result = ToolResult {
        call_id: "b".to_owned(),
        name: "add".to_owned(),
        state: ToolState::Success,
        content: vec![ResultPart::text("42")],
    };
    after_tool.push_message(Message::new(Role::Tool, vec![Block::ToolResult(result)]));
    let mut record = String::new();
    for request in [user("hi"), user("hi"), after_tool, user("hi"), user("hi"), user("hi")] {
        record.push_str(&ask(&model, request).await.text());
        record.push('\n');
    }
    insta::assert_snapshot!(record);
    assert_eq!(model.requests().len(), 6);
    assert_eq!(model.requests()[2].messages.len(), 2);
}

#[tokio::test]
async fn a_turn_waits_for_what_it_is_about() {
    let model = model(
        r#"
        [[turn]]
        when = { contains = "weather" }
        text = "sunny"
        repeat = true

        [[turn]]
        when = { user-contains = "bye" }
        text = "farewell"

        [[turn]]
        text = "else"
        repeat = true
        "#,
    );
    let mut answers = Vec::new();
    for prompt in ["hi", "the weather?", "bye", "bye", "weather again"] {
        answers.push(ask(&model.clone(), user(prompt)).await.result.expect("an answer").text());
    }
    assert_eq!(answers, ["else", "sunny", "farewell", "else", "sunny"]);
}

#[tokio::test]
async fn a_delay_passes_in_the_world_of_the_model() {
    let world = Arc::new(TestWorld::new(1));
    let script = "[[turn]]\ntext = \"late\"\ndelay-ms = 1500\n";
    let model =
        ScriptedModel::from_toml("s", script, world.clone()).expect("a script").with_context_tokens(9);
    assert_eq!(ask(&model, user("hi")).await.result.expect("an answer").text(), "late");
    assert_eq!(world.slept(), [Duration::from_millis(1500)]);
    assert_eq!((model.context_tokens(), model.model_name()), (Some(9), "s"));
}

#[test]
fn a_mistake_is_shown_where_it_stands() {
    let mistakes = [
        "[[turn]]\ntext = \"a\"\n\n[[turn]]\ntxt = \"b\"\n",
        "[[turn]]\ntext = 5\n",
        "[[turn]]\nusage = { input = 5 }\n",
        "[[turn]]\nerror = { kind = \"odd\" }\n",
        "turns = 1\n",
        "[[turn]]\ntext = \"a\"\nrepeat = true\n\n[[turn]]\ntext = \"b\"\n",
        "[[turn]]\ntext = \"{{user}}\"\n",
        "\n[[turn]]\nchunks = 0\n",
        "[[turn]]\ntext = \"a\"\nchunks = [\"b\"]\n",
        "[[turn]]\nchunks = \"b\"\n",
        "[[turn",
    ];
    let mut record = String::new();
    for mistake in mistakes {
        let error =
            ScriptedModel::from_toml("script.toml", mistake, Arc::new(TestWorld::new(1))).expect_err(mistake);
        record.push_str(&format!("{error}\n\n"));
    }
    insta::assert_snapshot!(record);
}
