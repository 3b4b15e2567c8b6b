//! The kit's own transcripts.

use std::fmt::Write as _;

use serde_json::Value;

use super::finding::Finding;
use super::rig::Rig;
use super::sample::sample;
use super::subject::Subject;
use super::tools::{BROKEN, KIT, LOOK, WAIT};
use super::transcript::Transcript;

/// Texts of the layer's configuration that the model says, so that a layer which looks for them finds them.
const WORDS_MAX: usize = 4;
/// The longest of them, in characters.
const WORD_MAX: usize = 24;
/// How many of the layer's own tools are called.
const OWN_MAX: usize = 16;

/// What every component takes part in: an answer, tools of the agent and of its own, and what comes after.
pub(super) fn plain(rig: &Rig) -> Result<Vec<Transcript>, Finding> {
    // One call a turn: those of one turn run side by side, and what ends first is chance.
    let own = own_calls(rig).into_iter().take(OWN_MAX);
    let own: String = own.map(|call| format!("[[turn]]\n{}\n", calls(&[call]))).collect();
    let answer = "prompt = [\"Hello\", \"And again\"]\n\
        [[turn]]\nthinking = \"A greeting.\"\ntext = \"Hello, you. I was told: {{system}}\"\nchunks = 4\nusage = { input-tokens = 20, output-tokens = 8 }\n\
        [[turn]]\ntext = \"Again, it is about {{last-user}}.\"\nusage = { input-tokens = 40, output-tokens = 8 }\nrepeat = true\n";
    let tools = format!(
        "prompt = [\"Look around\", \"Go on\"]\n\
        [[turn]]\ntext = \"I look.\"\n{}\n\
        {own}\
        [[turn]]\ntext = \"I saw: {{{{tool-result}}}}\"\nrepeat = true\n",
        calls(&[(LOOK, "{\"at\":\"the sky\"}".to_owned())]),
    );
    Ok(vec![parse("answer", answer)?, parse("tools", &tools)?])
}

/// Answers whose streams can be cut.
pub(super) fn streams(subject: &Subject) -> Result<Vec<Transcript>, Finding> {
    let words = words(&subject.around.config).join(" ");
    let said = text(&format!("Grüße, 世界! 👋🏽 {words}"));
    let asked = format!(
        "prompt = \"Look\"\n[[turn]]\ntext = \"Ich sehe nach… 👀\"\n{}\n[[turn]]\ntext = {said}\nrepeat = true\n",
        calls(&[(LOOK, "{\"at\":\"naïve ☕\"}".to_owned())]),
    );
    let thought =
        format!("prompt = \"Think\"\n[[turn]]\nthinking = \"Hm, für 2 €…\"\ntext = {said}\nrepeat = true\n");
    let plain = format!("prompt = \"Hello\"\n[[turn]]\ntext = {said}\nrepeat = true\n");
    Ok(vec![parse("a text", &plain)?, parse("a thought", &thought)?, parse("a tool call", &asked)?])
}

/// What goes wrong inside a layer.
pub(super) fn failures() -> Result<Vec<Transcript>, Finding> {
    let after = "[[turn]]\ntext = \"Done: {{tool-result}}\"\nrepeat = true\n";
    let error = |kind: &str, more: &str| format!("[[turn]]\nerror = {{ kind = \"{kind}\"{more} }}\n");
    let call =
        |name: &str, arguments: &str| format!("[[turn]]\n{}\n", calls(&[(name, arguments.to_owned())]));
    let cases = [
        ("the model is overloaded once", error("overloaded", "") + after),
        ("the model asks to slow down", error("rate-limited", ", retry-after-ms = 5") + after),
        (
            "the model refuses the key",
            error("authentication", "") + &error("authentication", "") + "repeat = true\n",
        ),
        (
            "the connection is cut",
            format!("[[turn]]\ntext = \"It is cut here\"\nchunks = 3\ncut-after = 3\n{after}"),
        ),
        ("a tool fails", call(BROKEN, "{}") + after),
        ("a tool gets no JSON", call(LOOK, "{\"at\":") + after),
        ("a tool is not there", call("kit_nowhere", "{}") + after),
        ("the answer is empty", "[[turn]]\ntext = \"\"\nrepeat = true\n".to_owned()),
        (
            "the answer is cut short",
            "[[turn]]\ntext = \"And so\"\nfinish-reason = \"length\"\nrepeat = true\n".to_owned(),
        ),
    ];
    cases.iter().map(|(name, turns)| parse(name, &format!("prompt = \"Hello\"\n{turns}"))).collect()
}

/// A call that waits for someone outside.
pub(super) fn waiting() -> Result<Transcript, Finding> {
    let turns = calls(&[(WAIT, "{}".to_owned())]);
    parse(
        "a tool waits",
        &format!("prompt = \"Ask\"\n[[turn]]\n{turns}\n[[turn]]\ntext = \"Done.\"\nrepeat = true\n"),
    )
}

/// A model that says this to whatever it is asked.
pub(super) fn saying(name: &str, said: &str) -> Result<Transcript, Finding> {
    parse(name, &format!("prompt = \"Hello\"\n[[turn]]\ntext = {}\nrepeat = true\n", text(said)))
}

/// A call of each tool that the layer brings.
fn own_calls(rig: &Rig) -> Vec<(String, String)> {
    let tools = rig.agent.tools();
    let own = tools.iter().filter(|tool| !tool.name.starts_with(KIT));
    own.map(|tool| (tool.name.clone(), sample(&tool.parameters).to_string())).collect()
}

/// The tool calls of a turn.
fn calls<S: AsRef<str>>(calls: &[(S, String)]) -> String {
    let mut written = String::from("tool-calls = [");
    for (name, arguments) in calls {
        let _ = write!(written, "{{ name = {}, arguments = {} }}, ", text(name.as_ref()), text(arguments));
    }
    written.push(']');
    written
}

/// A text as TOML writes it.
fn text(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// Some texts of a configuration.
fn words(config: &Value) -> Vec<String> {
    let mut words = Vec::new();
    let mut ahead = vec![config];
    while let Some(value) = ahead.pop() {
        match value {
            // Braces would be a place of a script.
            Value::String(word) if word.chars().count() <= WORD_MAX && !word.contains('{') => {
                words.push(word.clone());
            }
            Value::Array(values) => ahead.extend(values),
            Value::Object(fields) => ahead.extend(fields.values()),
            _ => {}
        }
    }
    words.truncate(WORDS_MAX);
    words
}

fn parse(name: &str, text: &str) -> Result<Transcript, Finding> {
    Transcript::parse(name, text).map_err(|error| {
        Finding::new("the kit can't write a script for this component").seen(error.to_string())
    })
}
