//! What components measure, as the operator and the program around an agent see it.

use std::sync::{Arc, Mutex};

use cepa::chain::{Note, NoteKind};
use cepa::event::Outcome;
use cepa::policy::Grants;
use cepa::telemetry::{Count, Source, Span, TelemetrySink};
use cepa_tests::agent::{Told, agent, ask, model};
use cepa_tests::chain::{LayerPlan, load};
use cepa_tests::guest;
use serde_json::{Value, json};

const ANSWERS: &str = "[[turn]]\ntext = \"Answer.\"\nrepeat = true";

/// Keeps what it is told, a line each.
#[derive(Default)]
struct Kept(Mutex<Vec<String>>);

impl TelemetrySink for Kept {
    fn span(&self, source: &Source, span: &Span) {
        let Source { layer, agent, session_id, hook, step, .. } = source;
        self.0
            .lock()
            .unwrap()
            .push(format!("{agent} {session_id} {layer} {hook} {step}: span {}", span.name));
    }

    fn count(&self, source: &Source, count: &Count) {
        self.0.lock().unwrap().push(format!("{}: count {} {}", source.layer, count.name, count.value));
    }
}

fn granted() -> LayerPlan {
    LayerPlan::new("measure").grants(Grants { telemetry: true, ..Grants::default() })
}

/// One reply with a layer that measures, and what the sink was told.
async fn measured(plan: LayerPlan, uses: Value) -> (Told, Vec<String>) {
    let entry = plan.config(json!({ "uses": uses })).entry(&load("measure", guest!("measure")).await);
    let kept = Arc::new(Kept::default());
    let sink = Arc::clone(&kept) as Arc<dyn TelemetrySink>;
    let agent = agent(&model(ANSWERS)).telemetry(sink).middleware(entry).build().await.unwrap();
    let told = ask(&agent, "Go").await;
    let lines = kept.0.lock().unwrap().clone();
    (told, lines)
}

/// The names of the spans, in the order of their ends.
fn spans(told: &Told) -> Vec<&str> {
    let kinds = told.notes.iter().map(|note| &note.kind);
    kinds
        .filter_map(|kind| match kind {
            NoteKind::Span { span, .. } => Some(span.name.as_str()),
            _ => None,
        })
        .collect()
}

#[tokio::test]
async fn spans_and_counts_arrive_under_the_layer_the_hook_and_the_reply() {
    let uses = json!([
        { "start": ["search", "{\"words\": 2}"] },
        { "sleep": 3 },
        { "child": [0, "rank", ""] },
        { "attributes": [0, "{\"found\": [\"a\", \"b\"], \"words\": 3}"] },
        { "sleep": 4 },
        { "fail": [1, "nothing to rank"] },
        { "end": 1 },
        { "end": 1 },
        { "count": ["searches", 1.5, "{\"cold\": true}"] },
        { "drop": 0 },
    ]);
    let (told, kept) = measured(granted(), uses).await;
    assert_eq!(told.log(), "");
    let notes: Vec<Value> = told.notes.iter().map(|note| serde_json::to_value(note).unwrap()).collect();
    let [rank, count, search] = notes.as_slice() else { panic!("three notes: {notes:#?}") };
    assert_eq!(rank["parent"], search["id"]);
    assert_eq!(search["parent"], Value::Null);
    assert!(notes.iter().all(|note| note["reply-id"] == told.result.reply_id.as_str()));
    let shown = |note: &Value| {
        let mut note = note.clone();
        let fields = note.as_object_mut().expect("a note is an object");
        fields.retain(|name, _| !["id", "parent", "reply-id"].contains(&name.as_str()));
        format!("{note:#}")
    };
    insta::assert_snapshot!([rank, count, search].map(shown).join("\n"));
    assert_eq!(
        kept,
        [
            "tester s measure on-reply 0: span rank",
            "measure: count searches 1.5",
            "tester s measure on-reply 0: span search",
        ]
    );
}

#[tokio::test]
async fn what_is_left_open_ends_with_the_hook_call() {
    let uses = json!([
        { "start": ["outer", ""] },
        { "child": [0, "inner", ""] },
        { "forget": 0 },
        { "forget": 1 },
    ]);
    let (told, _) = measured(granted(), uses).await;
    assert_eq!(spans(&told), ["inner", "outer"]);
    let (told, _) = measured(granted(), json!([{ "start": ["broken", ""] }, "panic"])).await;
    assert_eq!(told.result.response.outcome, Outcome::Failed);
    assert_eq!(spans(&told), ["broken"]);
}

#[tokio::test]
async fn what_can_not_be_measured_is_an_error_value() {
    let uses = json!([
        { "start": ["", ""] },
        { "start": ["two\nlines", ""] },
        { "long": 129 },
        { "start": ["s", "{half"] },
        { "start": ["s", "[1]"] },
        { "start": ["s", "{\"deep\": {\"x\": 1}}"] },
        { "start": ["s", "{\"list\": [[1]]}"] },
        { "start": ["s", "{\"nothing\": null}"] },
        { "start": ["s", "{\"\": 1}"] },
        { "count": ["c", -1.0, ""] },
        { "count": ["c\u{1b}", 1.0, ""] },
        { "start": ["good", ""] },
        { "end": 0 },
        { "attributes": [0, "{}"] },
        { "fail": [0, "late"] },
        { "child": [0, "late", ""] },
    ]);
    let (told, kept) = measured(granted(), uses).await;
    insta::assert_snapshot!(told.log());
    assert_eq!(kept, ["tester s measure on-reply 0: span good"]);
}

#[tokio::test]
async fn nothing_is_measured_in_anothers_name() {
    let forged = "{\"layer\": \"outer\", \"agent\": \"other\", \"hook\": \"on-acting\", \"reply-id\": \"x\"}";
    let uses = json!([{ "start": ["outer", forged] }, { "count": ["layer", 1.0, forged] }, { "drop": 0 }]);
    let (told, kept) = measured(granted(), uses).await;
    for note in &told.notes {
        let value = serde_json::to_value(note).unwrap();
        assert_eq!((&value["layer"], &value["hook"]), (&json!("measure"), &json!("on-reply")));
        assert_eq!((&value["agent"], &value["attributes"]["layer"]), (&json!("tester"), &json!("outer")));
    }
    assert_eq!(kept, ["measure: count layer 1", "tester s measure on-reply 0: span outer"]);
}

#[tokio::test]
async fn what_was_not_granted_is_refused_and_noted() {
    let uses = json!([{ "start": ["search", "{half"] }, { "count": ["searches", 1.0, ""] }]);
    let (told, kept) = measured(LayerPlan::new("measure"), uses).await;
    assert_eq!(told.result.response.outcome, Outcome::Replied);
    insta::assert_snapshot!(told.log());
    let denied = |note: &Note| match &note.kind {
        NoteKind::Denied { capability, object } => Some(format!("{}: {capability} {object}", note.layer)),
        _ => None,
    };
    let denied: Vec<String> = told.notes.iter().filter_map(denied).collect();
    assert_eq!(denied, ["measure: telemetry search", "measure: telemetry searches"]);
    assert!(kept.is_empty(), "{kept:?}");
}
