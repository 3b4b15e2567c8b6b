//! Documents as components use them.

use std::sync::Arc;

use cepa::chain::{Note, NoteKind};
use cepa::event::Outcome;
use cepa::index::Index;
use cepa::policy::Grants;
use cepa_tests::agent::{Told, agent, model, told};
use cepa_tests::chain::{LayerPlan, load};
use cepa_tests::guest;
use serde_json::{Value, json};

const ANSWERS: &str = "[[turn]]\ntext = \"Answer.\"\nrepeat = true";

fn granted(name: &str) -> LayerPlan {
    LayerPlan::new(name).grants(Grants { index: true, ..Grants::default() })
}

/// One reply in a session with a layer that uses documents kept here.
async fn used(index: &Arc<Index>, plan: LayerPlan, session: &str, uses: Value) -> Told {
    let entry = plan.config(json!({ "uses": uses })).entry(&load("documents", guest!("documents")).await);
    let agent = agent(&model(ANSWERS)).index(Arc::clone(index)).middleware(entry).build().await.unwrap();
    let told = told(agent.reply(session, "Go").await.unwrap()).await;
    assert_eq!(told.result.response.outcome, Outcome::Replied);
    told
}

#[tokio::test]
async fn documents_are_kept_found_and_removed() {
    let uses = json!([
        { "put": ["layer", "notes", "a", "The onion has layers.", "{\"lang\":\"en\",\"year\":1994}"] },
        { "put": ["layer", "notes", "b", "Onion soup and onion bread.", "{\"lang\":\"fr\",\"year\":2001}"] },
        { "put": ["layer", "notes", "c", "東京の玉ねぎ", ""] },
        { "search": ["layer", "notes", "onion", null, 10] },
        { "search": ["layer", "notes", "onion", null, 1] },
        { "search": ["layer", "notes", "ONION", "{\"lang\":\"en\"}", 10] },
        { "search": ["layer", "notes", "onion", "{\"year\":{\"from\":2000}}", 10] },
        { "search": ["layer", "notes", "玉ねぎ", null, 10] },
        { "search": ["layer", "notes", "\" OR *", null, 10] },
        { "search": ["layer", "notes", "onion", "[1]", 10] },
        { "search": ["layer", "notes", "onion", "{\"year\":null}", 10] },
        { "put": ["layer", "notes", "d", "", "{\"nested\":{\"x\":1}}"] },
        { "put": ["layer", "notes", "d", "", "{half"] },
        { "get": ["layer", "notes", "a"] },
        { "get": ["layer", "notes", "d"] },
        { "get": ["session", "notes", "a"] },
        { "count": ["layer", "notes"] },
        { "remove": ["layer", "notes", ["a", "x"]] },
        { "clear": ["layer", "notes"] },
        { "count": ["layer", "notes"] },
    ]);
    insta::assert_snapshot!(used(&Arc::default(), granted("documents"), "s", uses).await.log());
}

#[tokio::test]
async fn a_layer_finds_its_own_documents_and_a_session_those_of_the_session() {
    let index = Arc::new(Index::memory());
    let put = json!([
        { "put": ["layer", "notes", "a", "shared word", ""] },
        { "put": ["session", "notes", "b", "own word", ""] },
    ]);
    let search = json!([
        { "search": ["layer", "notes", "word", null, 10] },
        { "search": ["session", "notes", "word", null, 10] },
    ]);
    used(&index, granted("first"), "one", put).await;
    let mut logs = String::new();
    for (layer, session) in [("first", "one"), ("first", "two"), ("second", "one")] {
        logs += &used(&index, granted(layer), session, search.clone()).await.log();
    }
    insta::assert_snapshot!(logs);
}

#[tokio::test]
async fn documents_that_were_not_granted_are_refused_and_noted() {
    let uses = json!([
        { "put": ["layer", "notes", "a", "", "{half"] },
        { "get": ["layer", "notes", "a"] },
        { "remove": ["layer", "notes", ["a"]] },
        { "clear": ["layer", "notes"] },
        { "search": ["layer", "notes", "word", null, 10] },
        { "count": ["layer", "notes"] },
    ]);
    let told = used(&Arc::default(), LayerPlan::new("documents"), "s", uses).await;
    insta::assert_snapshot!(told.log());
    let denied = |note: &Note| match &note.kind {
        NoteKind::Denied { capability, object } => Some(format!("{}: {capability} {object}", note.layer)),
        _ => None,
    };
    let denied: Vec<String> = told.notes.iter().filter_map(denied).collect();
    assert_eq!(denied, vec!["documents: index notes"; 6]);
}
