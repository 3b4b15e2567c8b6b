//! A layer that broke a rule breaks it again.

use std::sync::Arc;
use std::time::Duration;

use cepa::world::RealWorld;
use cepa_tests::agent::{agent, model};
use cepa_tests::chain::LayerPlan;
use cepa_tests::guest;
use cepa_tests::recording::record;

const ANSWERS: &str = "[[turn]]\ntext = \"Answer.\"\nrepeat = true";

/// The ends of the calls in a replay of this layer that came out the same.
async fn faults(plan: LayerPlan, bytes: &[u8]) -> String {
    let taken = record(agent(&model(ANSWERS)), plan, bytes).await;
    taken.is_the_same().await.join("\n")
}

#[tokio::test]
async fn a_panic_with_what_it_said() {
    insta::assert_snapshot!(faults(LayerPlan::new("panic"), guest!("panic")).await, @r"
    0 on-model-call.handle (3) fault: the guest gave up (trap `unreachable`); it said: panicked at tests/guests/panic/src/lib.rs:18:9:
    the sky fell on 1 messages
    ");
}

#[tokio::test]
async fn a_trap() {
    insta::assert_snapshot!(faults(LayerPlan::new("trap"), guest!("trap")).await, @"0 on-model-call.handle (2) fault: the guest gave up (trap `unreachable`)");
}

#[tokio::test]
async fn limits_that_the_guest_reaches_by_itself() {
    insta::assert_snapshot!(faults(LayerPlan::new("hoard"), guest!("hoard")).await, @"0 on-model-call.handle (1) fault: limit `memory` reached: 68026368 bytes of 67108864 bytes allowed; the guest gave up (trap `unreachable`)");
    insta::assert_snapshot!(faults(LayerPlan::new("recurse"), guest!("recurse")).await, @"0 on-model-call.handle (1) fault: limit `stack` reached: over 524288 bytes of 524288 bytes allowed");
}

#[tokio::test]
async fn limits_that_the_host_counts() {
    let plan = LayerPlan::new("pester").limits(|limits| limits.host_calls = 1_000);
    insta::assert_snapshot!(faults(plan, guest!("pester")).await, @"0 on-model-call.handle (1001) fault: limit `host-calls` reached: 1001 of 1000 allowed");
    let plan = LayerPlan::new("hold").limits(|limits| limits.handles = 100);
    insta::assert_snapshot!(faults(plan, guest!("hold-handles")).await, @"0 on-model-call.handle (195) fault: limit `handles` reached: over 100 of 100 allowed");
    let plan = LayerPlan::new("haul").limits(|limits| limits.bytes_copied = 1 << 20);
    insta::assert_snapshot!(faults(plan, guest!("haul")).await, @"0 on-model-call.handle (33) fault: limit `bytes-copied` reached: 1052743 bytes of 1048576 bytes allowed");
}

#[tokio::test]
async fn limits_of_time_are_told_as_what_they_are() {
    let plan = LayerPlan::new("spin").limits(|limits| limits.cpu = Duration::from_millis(50));
    let text = faults(plan, guest!("spin")).await;
    assert!(text.contains("fault: limit `cpu` reached"), "{text}");
}

#[tokio::test]
async fn a_wait_that_took_too_long_is_given_up() {
    let plan = LayerPlan::new("nap").limits(|limits| limits.wall = Duration::from_millis(50));
    let agent = agent(&model(ANSWERS)).world(Arc::new(RealWorld::default()));
    let taken = record(agent, plan, guest!("nap")).await;
    assert_eq!(taken.is_the_same().await, ["0 on-model-call.handle (2) given up"]);
}

#[tokio::test]
async fn an_answer_that_can_not_be_used_is_an_answer_all_the_same() {
    insta::assert_snapshot!(faults(LayerPlan::new("garble"), guest!("garble")).await, @"0 on-model-call.handle (1) fault: invalid utf-8 sequence of 1 bytes from index 1");
}
