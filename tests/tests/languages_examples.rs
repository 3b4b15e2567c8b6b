//! The examples of the SDKs: the same three middlewares do the same in each language.

use cepa::agent::Agent;
use cepa::event::Event;
use cepa::policy::Grants;
use cepa_tests::agent::{agent, ask, conversation, model};
use cepa_tests::built::built;
use cepa_tests::chain::{LayerPlan, load};
use serde_json::{Value, json};

const LANGUAGES: [&str; 6] = ["rust", "c", "go", "js", "ts", "python"];

/// An agent with this script behind one example.
async fn around(language: &str, name: &str, config: Value, grants: Grants, script: &str) -> Agent {
    let component = load(&format!("{language}-{name}"), &built(language, name)).await;
    let entry = LayerPlan::new(name).config(config).grants(grants).entry(&component);
    agent(&model(script)).middleware(entry).build().await.unwrap()
}

#[tokio::test]
async fn feedback_asks_again_until_the_answer_has_what_it_must() {
    let script = r#"
    [[turn]]
    text = "no"

    [[turn]]
    text = "{{last-user}} yes"
    "#;
    for language in LANGUAGES {
        let config = json!({ "must-contain": "yes", "attempts": 3 });
        let agent = around(language, "feedback", config, Grants::default(), script).await;
        let told = ask(&agent, "Well?").await;
        let answer = "Your answer must contain \"yes\". Answer again. yes";
        assert_eq!(told.result.response.text(), answer, "{language}");
        assert_eq!(told.streamed(), answer, "{language}");
        assert_eq!(told.log(), "feedback: feedback: attempt 2\n", "{language}");
    }
}

#[tokio::test]
async fn feedback_gives_the_last_answer_when_all_attempts_are_used() {
    let script = "[[turn]]\ntext = \"no\"\nrepeat = true\n";
    for language in LANGUAGES {
        let config = json!({ "must-contain": "yes", "attempts": 3 });
        let agent = around(language, "feedback", config, Grants::default(), script).await;
        let told = ask(&agent, "Well?").await;
        assert_eq!(told.result.response.text(), "no", "{language}");
        let log = "feedback: feedback: attempt 2\nfeedback: feedback: attempt 3\n";
        assert_eq!(told.log(), log, "{language}");
    }
}

#[tokio::test]
async fn redact_finds_its_pattern_wherever_the_stream_is_cut() {
    // Begins a match that comes to nothing, matches twice in a row, and ends within one.
    let answer = "é aab aabaabab and aa";
    for language in LANGUAGES {
        for chunks in [1, 2, 5, 9, 30] {
            let script = format!("[[turn]]\ntext = \"{answer}\"\nchunks = {chunks}\n");
            let config = json!({ "pattern": "aab" });
            let agent = around(language, "redact", config, Grants::default(), &script).await;
            let told = ask(&agent, "Say it").await;
            let expected = answer.replace("aab", "[redacted]");
            assert_eq!(told.result.response.text(), expected, "{language} {chunks}");
            assert_eq!(told.streamed(), expected, "{language} {chunks}");
            let corrected = told.events.iter().any(|event| matches!(event, Event::MessageReplaced { .. }));
            assert!(!corrected, "{language} {chunks}: the stream was right by itself");
        }
    }
}

#[tokio::test]
async fn notes_are_kept_and_a_server_that_was_not_granted_is_an_error_result() {
    let script = r#"
    [[turn]]
    tool-calls = [{ id = "c1", name = "add_note", arguments = { text = "buy onions" } }]

    [[turn]]
    tool-calls = [{ id = "c2", name = "fetch_note", arguments = { url = "http://127.0.0.1:1/" } }]

    [[turn]]
    tool-calls = [{ id = "c3", name = "add_note", arguments = { text = "é" } }]

    [[turn]]
    tool-calls = [{ id = "c4", name = "list_notes", arguments = {} }]

    [[turn]]
    text = "done"
    "#;
    for language in LANGUAGES {
        let grants = Grants { state: true, ..Grants::default() };
        let agent = around(language, "notes", json!({}), grants, script).await;
        ask(&agent, "Note it").await;
        let results: Vec<String> =
            conversation(&agent).await.into_iter().filter(|line| line.starts_with("tool: ")).collect();
        let [first, refused, second, listed] = &results[..] else {
            panic!("{language}: four results: {results:#?}");
        };
        assert_eq!(first, "tool: c1 Success noted: 1 notes", "{language}");
        assert!(
            refused.starts_with("tool: c2 Error the capability `http` is not granted"),
            "{language}: {refused}"
        );
        assert_eq!(second, "tool: c3 Success noted: 2 notes", "{language}");
        assert_eq!(listed, "tool: c4 Success buy onions\né", "{language}");
    }
}
