//! What holds while a component breaks a rule and after it, in one chain.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use cepa::chain::{
    Chain, ChainEntry, Ledger, ModelCall, Note, NoteKind, OnFault, ReplyContext, Sink, endpoint_fn,
};
use cepa::error::ErrorKind;
use cepa::message::{Block, Message};
use cepa::request::{ModelRequest, ModelResponse};
use cepa_tests::chain::{Happened, LayerPlan, call_in, load, sandbox};
use cepa_tests::guest;

/// A reply in the real world: the limits of time hold there.
fn open(entries: &[ChainEntry]) -> Chain {
    Chain::open(
        entries,
        ReplyContext::builder("session", "reply").ledger(Arc::new(Ledger::keeping())).build(),
    )
}

fn request() -> ModelRequest {
    let mut request = ModelRequest::to("main");
    request.push_message(Message::user("hello"));
    request
}

async fn ask(chain: &Chain, calls: &Arc<AtomicU32>) -> Happened<ModelResponse> {
    let calls = Arc::clone(calls);
    let endpoint = endpoint_fn(move |_: ModelRequest, _: Sink| {
        calls.fetch_add(1, Ordering::Relaxed);
        async { Ok(ModelResponse::answer(vec![Block::Text { text: "answer".to_owned() }])) }
    });
    call_in::<ModelCall>(chain, request(), endpoint).await
}

#[tokio::test]
async fn a_guest_that_spins_does_not_keep_others_from_running() {
    let plan = LayerPlan::new("bad").limits(|limits| limits.cpu = Duration::from_millis(200));
    let component = load("bad", guest!("spin")).await;
    let chain = open(&[plan.entry(&component)]);
    let calls = Arc::default();
    let mut turns = 0_u32;
    let beside = async {
        loop {
            tokio::task::yield_now().await;
            turns += 1;
        }
    };
    // Both on one thread: the other future only gets turns because the guest is made to yield.
    tokio::select! {
        happened = ask(&chain, &calls) => assert!(happened.result.is_err()),
        () = beside => {}
    }
    assert!(turns > 10, "{turns} turns");
}

#[tokio::test]
async fn time_inside_is_not_the_layers_own() {
    let component = load("patient", guest!("passthrough")).await;
    let plan = LayerPlan::new("patient").limits(|limits| limits.wall = Duration::from_millis(500));
    let chain = open(&[plan.entry(&component)]);
    let slow = endpoint_fn(|_: ModelRequest, _: Sink| async {
        tokio::time::sleep(Duration::from_millis(700)).await;
        Ok(ModelResponse::answer(Vec::new()))
    });
    assert!(call_in::<ModelCall>(&chain, request(), slow).await.result.is_ok());
}

#[tokio::test]
async fn a_store_that_broke_a_rule_is_never_entered_again() {
    let component = load("bad", guest!("panic")).await;
    let chain = open(&[LayerPlan::new("bad").on_fault(OnFault::Skip).entry(&component)]);
    let calls = Arc::default();
    for round in 1..=3 {
        let made = sandbox().counts().stores();
        assert_eq!(ask(&chain, &calls).await.result.unwrap().text(), "answer");
        assert!(sandbox().counts().stores() > made, "round {round} takes a fresh store");
    }
    assert_eq!(calls.load(Ordering::Relaxed), 3, "what is inside ran once a call");
}

#[tokio::test]
async fn a_skipped_layer_that_had_run_next_keeps_its_result() {
    let component = load("bad", guest!("panic-after-next")).await;
    let chain = open(&[LayerPlan::new("bad").on_fault(OnFault::Skip).entry(&component)]);
    let calls = Arc::default();
    let happened = ask(&chain, &calls).await;
    assert_eq!(happened.result.unwrap().text(), "answer");
    assert_eq!(calls.load(Ordering::Relaxed), 1, "no second run");
    let skipped = |kind: &NoteKind| matches!(kind, NoteKind::Skipped { hook: "on-model-call", .. });
    assert_eq!(happened.notes.iter().filter(|note| skipped(&note.kind)).count(), 1);
}

#[tokio::test]
async fn a_guest_that_logs_without_end_is_cut_short() {
    let component = load("bad", guest!("chatter")).await;
    let chain = open(&[LayerPlan::new("bad").limits(|limits| limits.log = 1_000).entry(&component)]);
    let happened = ask(&chain, &Arc::default()).await;
    assert_eq!(happened.result.unwrap().text(), "answer", "a loud layer still works");
    let lines: Vec<(&str, String)> = happened
        .notes
        .into_iter()
        .filter_map(|note| match note.kind {
            NoteKind::Log { level, message } => Some((level, message)),
            _ => None,
        })
        .collect();
    let (last, kept) = lines.split_last().unwrap();
    // Each line has 99 bytes and its end: ten fit.
    assert_eq!(kept.len(), 10);
    let text = "limit `log` reached: 1100 of 1000 bytes allowed; further lines of this reply are dropped";
    assert_eq!(last, &("warn", text.to_owned()));
}

#[tokio::test]
async fn a_handle_is_void_once_its_call_has_returned() {
    let component = load("bad", guest!("keep-handles")).await;
    let chain = open(&[LayerPlan::new("bad").entry(&component)]);
    let calls = Arc::default();
    for round in 1..=2 {
        let happened = ask(&chain, &calls).await;
        assert_eq!(happened.result.unwrap().text(), "answer", "round {round}");
        assert_eq!(happened.events, [], "round {round}: nothing goes out through an old sink");
    }
    assert_eq!(calls.load(Ordering::Relaxed), 2, "nothing runs through an old `next`");
}

#[tokio::test]
async fn one_layer_in_one_reply_needs_one_store_and_nothing_is_compiled() {
    // A sandbox of its own: its counts are not shared with other tests.
    let sandbox = cepa::sandbox::Sandbox::new(None).unwrap();
    let component = sandbox.load("passthrough", guest!("passthrough").to_vec()).await.unwrap();
    let entry = ChainEntry::shared(sandbox.middleware(LayerPlan::new("one").spec, &component).unwrap());
    let (compiled, made) = (sandbox.counts().compilations(), sandbox.counts().stores());
    let chain = open(&[entry]);
    for _ in 0..50 {
        ask(&chain, &Arc::default()).await.result.unwrap();
    }
    assert_eq!(sandbox.counts().compilations(), compiled);
    assert_eq!(sandbox.counts().stores() - made, 1);
}

#[tokio::test]
async fn more_instances_than_there_may_be_are_an_error_value_until_others_end() {
    let sandbox = cepa::sandbox::Sandbox::with_instances(None, 2).unwrap();
    let component = sandbox.load("passthrough", guest!("passthrough").to_vec()).await.unwrap();
    let entries: Vec<ChainEntry> =
        ["a", "b", "c"].map(|name| LayerPlan::new(name).entry_in(&sandbox, &component)).into();
    for _ in 0..2 {
        let three = ask(&open(&entries), &Arc::default()).await.result.unwrap_err();
        assert_eq!((three.kind, three.code.as_str()), (ErrorKind::Overloaded, "instances"), "{three}");
        let two = ask(&open(&entries[1..]), &Arc::default()).await.result;
        assert_eq!(two.unwrap().text(), "answer");
    }
}

#[tokio::test]
async fn a_layer_that_pesters_hides_no_fault() {
    let pester = load("pester", guest!("pester")).await;
    let trap = load("trap", guest!("trap")).await;
    // Time enough on whatever machine: it is the number of notes that counts.
    let plan = |name| {
        LayerPlan::new(name).on_fault(OnFault::Skip).limits(|limits| limits.cpu = Duration::from_secs(30))
    };
    let chain = open(&[plan("outer").entry(&pester), plan("inner").entry(&trap)]);
    let happened = ask(&chain, &Arc::default()).await;
    assert_eq!(happened.result.unwrap().text(), "answer");
    let told = |note: &Note| match &note.kind {
        NoteKind::Denied { capability, object } => format!("{}: denied {capability} {object}", note.layer),
        NoteKind::Skipped { hook, .. } => format!("{}: skipped in {hook}", note.layer),
        NoteKind::Log { message, .. } => format!("{}: {message}", note.layer),
        other => panic!("{other:?}"),
    };
    let mut lines: Vec<String> = happened.notes.iter().map(told).collect();
    assert_eq!(lines.iter().filter(|line| *line == "outer: denied telemetry again").count(), 1 + 1_000);
    lines.dedup();
    for line in [
        "outer: denied state ",
        "outer: skipped in on-model-call",
        "inner: skipped in on-model-call",
        "outer: 10999 more repeated denials were dropped: 1000 were waiting to be shown",
    ] {
        assert!(lines.iter().any(|told| told == line), "`{line}` is not in {lines:#?}");
    }
}
