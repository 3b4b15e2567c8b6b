//! Each check sees through a component that makes a mistake.

use cepa::conformance::{Check, Subject, SubjectError, Surroundings, Verdict};
use cepa_tests::chain::sandbox;
use cepa_tests::guest;
use serde_json::json;

use crate::rig::{all, named, one, report, subject};

/// A mistake, and the checks that find it.
const MISTAKES: [(&str, &[Check]); 6] = [
    ("drops-pieces", &[Check::Streaming]),
    ("expects-the-host", &[Check::HostErrors]),
    ("leaves-a-lock", &[Check::HostErrors, Check::Abort]),
    ("rereads", &[Check::Limits]),
    ("counts-in-memory", &[Check::Instances]),
    ("refuses-its-state", &[Check::Swap]),
];

#[tokio::test(flavor = "multi_thread")]
async fn each_mistake_is_found_by_the_checks_for_it_and_by_no_other() {
    for (mistake, checks) in MISTAKES {
        let checks: Vec<&str> = checks.iter().map(|check| check.name()).collect();
        let careless = subject("careless", guest!("careless"), json!({ "mistake": mistake })).await;
        let judged = all(careless).await;
        assert_eq!(named(&judged, Verdict::Fail), checks, "{mistake}\n{}", report(&judged));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finding_says_where_and_what() {
    let config = json!({ "mistake": "drops-pieces" });
    let judged = one(subject("careless", guest!("careless"), config).await, Check::Streaming).await;
    insta::assert_snapshot!(report(&[judged]));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_swallows_a_wait_is_found() {
    let judged = one(subject("insist", guest!("insist"), json!({})).await, Check::Errors).await;
    assert_eq!(judged.verdict, Verdict::Fail, "{judged:?}");
    assert!(judged.said.contains("a tool waits: "), "{judged:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_breaks_or_hangs_in_a_plain_reply_fails_at_once() {
    for (name, bytes) in [("panic", guest!("panic")), ("spin", guest!("spin")), ("trap", guest!("trap"))] {
        for check in [Check::Loads, Check::Transcripts, Check::Replay] {
            let judged = one(subject(name, bytes, json!({})).await, check).await;
            assert_eq!(judged.verdict, Verdict::Fail, "{name} {judged:?}");
            assert!(judged.said.contains("the layer broke a rule in `"), "{name} {judged:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_needs_a_configuration_says_which_keys() {
    let loaded = Subject::load(sandbox(), guest!("careless"), Surroundings::new("careless")).await;
    let error = loaded.expect_err("it needs one");
    assert!(error.to_string().contains("\"mistake\" is a required property"), "{error}");
    assert!(matches!(error, SubjectError::Config(_)) && error.judged().is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_does_not_load_fails_the_first_check() {
    let loaded = Subject::load(sandbox(), &b"\0asm\x0d\0\x01\0"[..], Surroundings::new("empty")).await;
    let judged = loaded.expect_err("it has no hook").judged().expect("it was tried");
    assert_eq!((judged.check, judged.verdict), (Check::Loads, Verdict::Fail));
    assert!(judged.findings[0].seen.contains("exports no hook"), "{judged:?}");
}
