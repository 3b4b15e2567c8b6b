//! What a component keeps, in a session file that the next process opens.

use std::path::Path;
use std::sync::Arc;

use cepa::agent::{Agent, Answer};
use cepa::event::Outcome;
use cepa::policy::Grants;
use cepa::session::SqliteSessions;
use cepa_tests::agent::{Echo, agent, ask, model, told};
use cepa_tests::chain::{LayerPlan, load};
use cepa_tests::guest;
use serde_json::json;

const SCRIPT: &str = r#"
[[turn]]
when = { user-contains = "Look" }
tool-calls = [{ id = "c1", name = "look", arguments = {} }]

[[turn]]
text = "Answer."
repeat = true
"#;

/// A process: an agent on this file with a layer that counts at each scope, and a tool that a person must allow.
async fn process(file: &Path, script: &str) -> Agent {
    let component = load("uses", guest!("uses")).await;
    let plan = LayerPlan::new("counts").grants(Grants { state: true, ..Grants::default() }).config(json!({
        "before": [
            { "increment": ["reply", "n", 1] },
            { "increment": ["session", "n", 1] },
            { "increment": ["layer", "n", 1] },
        ],
    }));
    let rules = cepa::agent::PermissionRules {
        ask: vec!["look".parse().unwrap()],
        ..cepa::agent::PermissionRules::default()
    };
    agent(&model(script))
        .tool(Arc::new(Echo::new("look")))
        .permissions(rules)
        .sessions(Arc::new(SqliteSessions::open(file).await.unwrap()))
        .middleware(plan.entry(&component))
        .build()
        .await
        .unwrap()
}

/// The counts of reply, session and layer, as the log tells them.
fn counts(log: &str) -> Vec<&str> {
    log.lines().filter_map(|line| line.rsplit(": ").next()).collect()
}

#[tokio::test]
async fn state_lasts_as_long_as_its_scope_over_several_processes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sessions.db");
    let first = process(&file, SCRIPT).await;
    assert_eq!(counts(&ask(&first, "One").await.log()), ["1.0", "1.0", "1.0"]);
    let parked = ask(&first, "Look").await;
    assert_eq!(parked.result.response.outcome, Outcome::Parked);
    assert_eq!(counts(&parked.log()), ["1.0", "2.0", "2.0"]);
    drop(first);

    // The same reply goes on: what it kept is there, in the next process as well.
    let second = process(&file, "[[turn]]\ntext = \"Answer.\"\nrepeat = true").await;
    let answer = Answer::Approve { call_id: "c1".to_owned() };
    let resumed = told(second.resume("s", vec![answer]).await.unwrap()).await;
    assert_eq!(resumed.result.response.outcome, Outcome::Replied);
    assert_eq!(counts(&resumed.log()), ["2.0", "3.0", "3.0"]);
    drop(second);

    // Another reply, and another session.
    let third = process(&file, SCRIPT).await;
    assert_eq!(counts(&ask(&third, "Two").await.log()), ["1.0", "4.0", "4.0"]);
    let other = told(third.reply("other", "Three").await.unwrap()).await;
    assert_eq!(counts(&other.log()), ["1.0", "1.0", "5.0"]);
}
