//! A layer that breaks again and again is taken out: a gap where it may be skipped, a closed door elsewhere.

use cepa::agent::Agent;
use cepa::chain::{HookKind, NoteKind, OnFault, TakenOut};
use cepa::error::ErrorKind;
use cepa::event::Outcome;
use cepa::sandbox::Sandbox;
use cepa_tests::agent::{Told, agent, ask, model};
use cepa_tests::chain::LayerPlan;
use cepa_tests::guest;

const ANSWERS: &str = "[[turn]]\ntext = \"Answer.\"\nrepeat = true";

/// An agent whose layer panics at every model call, and its sandbox, whose counts no other test changes.
async fn panicking(on_fault: OnFault) -> (Agent, Sandbox) {
    let sandbox = Sandbox::new(None).unwrap();
    let component = sandbox.load("panic", guest!("panic").to_vec()).await.unwrap();
    let entry = LayerPlan::new("bad").on_fault(on_fault).max_faults(3).entry_in(&sandbox, &component);
    (agent(&model(ANSWERS)).middleware(entry).build().await.unwrap(), sandbox)
}

/// What the operator is told besides log lines, one word each.
fn marks(told: &Told) -> Vec<&'static str> {
    told.marks()
        .iter()
        .map(|note| match &note.kind {
            NoteKind::Fault { hook: "on-model-call", .. } => "fault",
            NoteKind::Skipped { hook: "on-model-call", .. } => "skipped",
            NoteKind::TakenOut { hook: "on-model-call", faults: 3, .. } => "taken out",
            NoteKind::Out { hook: "on-model-call", faults: 3, .. } => "out",
            other => panic!("{other:?}"),
        })
        .collect()
}

#[tokio::test]
async fn where_it_is_skipped_later_replies_run_without_it() {
    let (agent, sandbox) = panicking(OnFault::Skip).await;
    for expected in [vec!["skipped"], vec!["skipped"], vec!["skipped", "taken out"]] {
        assert_eq!(marks(&ask(&agent, "Hello").await), expected);
    }
    let made = sandbox.counts().stores();
    for _ in 0..2 {
        let told = ask(&agent, "Hello").await;
        assert_eq!(told.result.response.text(), "Answer.");
        assert_eq!(marks(&told), ["out"], "each reply says so");
        assert!(told.result.layers.is_empty(), "the layer is not entered");
    }
    assert_eq!(sandbox.counts().stores(), made, "and costs no instance");
}

#[tokio::test]
async fn where_it_fails_later_replies_fail_at_once() {
    let (agent, sandbox) = panicking(OnFault::default()).await;
    for expected in [vec!["fault"], vec!["fault"], vec!["fault", "taken out"]] {
        assert_eq!(marks(&ask(&agent, "Hello").await), expected);
    }
    let made = sandbox.counts().stores();
    let told = ask(&agent, "Hello").await;
    assert_eq!(told.result.response.outcome, Outcome::Failed, "nothing goes by a gate that broke");
    assert_eq!(told.result.response.error.as_ref().unwrap().kind, ErrorKind::Fault);
    assert_eq!(marks(&told), ["out", "fault"]);
    let Some(NoteKind::Fault { cause, .. }) = told.marks().last().map(|note| &note.kind) else { panic!() };
    let start = "it was taken out after 3 faults in a row in hook `on-model-call`, and waits to be swapped; the last: ";
    assert!(cause.starts_with(start) && cause.contains("the sky fell"), "{cause}");
    assert_eq!(sandbox.counts().stores(), made, "it is not run any more");
}

#[tokio::test]
async fn a_layer_that_is_put_back_is_tried_again() {
    let (agent, _sandbox) = panicking(OnFault::Skip).await;
    assert_eq!(agent.taken_out(), []);
    for _ in 0..3 {
        ask(&agent, "Hello").await;
    }
    let [(layer, TakenOut { hook: HookKind::ModelCall, faults: 3, cause })] = &agent.taken_out()[..] else {
        panic!("{:?}", agent.taken_out());
    };
    assert_eq!(layer, "bad");
    assert!(cause.contains("the sky fell"), "{cause}");
    assert!(!agent.put_back("other"));
    assert!(agent.put_back("bad"));
    assert_eq!(agent.taken_out(), []);
    assert_eq!(marks(&ask(&agent, "Hello").await), ["skipped"]);
}
