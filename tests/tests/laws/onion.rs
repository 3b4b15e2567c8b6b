//! The laws of the chain in every onion hook. `model_call.rs` has what is said of streams as well, in the hook that has
//! the richest one.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use cepa::chain::{
    Acting, Chain, ChainEntry, CheckPermission, CompressContext, Endpoint, ModelCall, Note, NoteKind,
    Reasoning, Reply, Sink, endpoint_fn,
};
use cepa::error::{Error, ErrorKind};
use cepa::event::Event;
use cepa::sandbox::Component;
use cepa::services::NoServices;
use cepa_tests::chain::{Happened, LayerPlan, call, call_in, context, load};
use cepa_tests::guest;
use cepa_tests::onion::{Deed, OnionHook, native};
use proptest::prelude::*;
use serde_json::json;

use crate::{layers, place, runtime};

const RUNS_MAX: u32 = 3;
const CASES: u32 = 40;

/// Everything one can see of a call from outside.
#[derive(Debug, PartialEq)]
struct Seen {
    answer: Result<String, Error>,
    events: Vec<Event>,
    notes: Vec<Note>,
    endpoint_calls: u32,
}

impl Seen {
    fn of<H: OnionHook>(happened: Happened<H::Response>, calls: &AtomicU32) -> Self {
        Self {
            answer: happened.result.map(|response| H::text(&response)),
            events: happened.events,
            notes: happened.notes,
            endpoint_calls: calls.load(Ordering::Relaxed),
        }
    }

    /// The log lines `enter` and `exit`, with the layer's number.
    fn passages(&self) -> Vec<(bool, usize)> {
        let passage = |note: &Note| {
            let NoteKind::Log { message, .. } = &note.kind else { return None };
            Some((message == "enter", place(&note.layer)?))
        };
        self.notes.iter().filter_map(passage).collect()
    }
}

/// Answers with what it was asked; fails when asked to.
fn endpoint<H: OnionHook>(calls: Arc<AtomicU32>) -> Arc<dyn Endpoint<H>> {
    endpoint_fn(move |request: H::Request, _: Sink| {
        calls.fetch_add(1, Ordering::Relaxed);
        let said = H::said(&request);
        async move {
            if said.iter().any(|word| word == "boom") {
                return Err(Error::new(ErrorKind::Overloaded, "boom"));
            }
            Ok(H::answer(said.join("+")))
        }
    })
}

fn component() -> &'static Component {
    static COMPONENT: OnceLock<Component> = OnceLock::new();
    COMPONENT.get_or_init(|| runtime().block_on(load("onion", guest!("onion"))))
}

fn see<H: OnionHook>(entries: &[ChainEntry]) -> Seen {
    let calls = Arc::new(AtomicU32::new(0));
    Seen::of::<H>(runtime().block_on(call(entries, H::request(), endpoint::<H>(Arc::clone(&calls)))), &calls)
}

/// The outer layers around an endpoint that is itself a chain of the inner layers.
fn see_nested<H: OnionHook>(outer: &[ChainEntry], inner: &[ChainEntry]) -> Seen {
    let calls = Arc::new(AtomicU32::new(0));
    let context = context(Arc::new(NoServices));
    let inner = Chain::open(inner, Arc::clone(&context));
    let innermost = endpoint::<H>(Arc::clone(&calls));
    let nested = endpoint_fn(move |request: H::Request, out: Sink| {
        let (inner, innermost) = (inner.clone(), Arc::clone(&innermost));
        async move { inner.call(request, innermost, out).await }
    });
    let chain = Chain::open(outer, context);
    Seen::of::<H>(runtime().block_on(call_in::<H>(&chain, H::request(), nested)), &calls)
}

fn sandboxed(name: &str, deeds: &[Deed], quiet: bool) -> ChainEntry {
    LayerPlan::new(name)
        .config(json!({ "deeds": deeds, "quiet": quiet }))
        .limits(|limits| limits.next_runs = RUNS_MAX)
        .entry(component())
}

fn components(programs: &[Vec<Deed>]) -> Vec<ChainEntry> {
    layers(programs, |name, deeds| sandboxed(name, deeds, false))
}

fn natives(programs: &[Vec<Deed>]) -> Vec<ChainEntry> {
    layers(programs, |name, deeds| native(name, deeds.to_vec(), RUNS_MAX))
}

fn deed() -> impl Strategy<Value = Deed> {
    let word = prop_oneof!["a", "b", "héllo", "boom"].prop_map(|word: String| word);
    prop_oneof![
        2 => word.clone().prop_map(Deed::Say),
        4 => Just(Deed::Run),
        1 => word.clone().prop_map(Deed::Emit),
        1 => word.clone().prop_map(Deed::Answer),
        1 => word.prop_map(Deed::Fail),
    ]
}

fn check(property: impl Fn(&[Vec<Deed>]) -> Result<(), TestCaseError>) {
    let programs = prop::collection::vec(prop::collection::vec(deed(), 0..5), 1..=4);
    crate::check(CASES, &programs, |programs| property(&programs));
}

fn a_component_does_what_the_native_layer_does<H: OnionHook>() {
    check(|programs| {
        prop_assert_eq!(see::<H>(&natives(programs)), see::<H>(&components(programs)));
        Ok(())
    });
}

fn an_identity_layer_changes_nothing_anywhere<H: OnionHook>() {
    check(|programs| {
        let plain = components(programs);
        let expected = see::<H>(&plain);
        for place in 0..=plain.len() {
            let mut entries = plain.clone();
            entries.insert(place, sandboxed("identity", &[Deed::Run], true));
            prop_assert_eq!(&see::<H>(&entries), &expected, "identity at {}", place);
        }
        Ok(())
    });
}

fn stacking_is_associative<H: OnionHook>() {
    check(|programs| {
        let entries = components(programs);
        let expected = see::<H>(&entries);
        for place in 0..=entries.len() {
            let (outer, inner) = entries.split_at(place);
            prop_assert_eq!(&see_nested::<H>(outer, inner), &expected, "split at {}", place);
        }
        Ok(())
    });
}

fn entries_are_in_order_exits_reversed_and_k_runs_are_k_runs_inside<H: OnionHook>() {
    check(|programs| {
        let seen = see::<H>(&components(programs));
        let mut inside: Vec<usize> = Vec::new();
        for (enters, layer) in seen.passages() {
            if enters {
                prop_assert_eq!(inside.len(), layer, "layer {} is entered from the one around it", layer);
                inside.push(layer);
            } else {
                prop_assert_eq!(inside.pop(), Some(layer), "the innermost layer leaves first");
            }
        }
        let mut entered = 1;
        for (layer, program) in programs.iter().enumerate() {
            let count = seen.passages().iter().filter(|passage| **passage == (true, layer)).count();
            prop_assert_eq!(count, entered, "layer {}", layer);
            let runs = program.iter().filter(|deed| **deed == Deed::Run).count();
            entered *= runs.min(RUNS_MAX as usize);
        }
        prop_assert_eq!(seen.endpoint_calls as usize, entered);
        Ok(())
    });
}

/// The same natively and in the sandbox.
fn seen<H: OnionHook>(programs: &[Vec<Deed>]) -> Seen {
    let sandboxed = see::<H>(&components(programs));
    assert_eq!(see::<H>(&natives(programs)), sandboxed);
    sandboxed
}

fn what_is_inside_is_hidden_without_next_and_fails_as_a_value<H: OnionHook>() {
    let hidden = seen::<H>(&[vec![Deed::Answer("mine".into())], vec![Deed::Run]]);
    assert_eq!((hidden.answer, hidden.endpoint_calls), (Ok("mine".to_owned()), 0));
    let fails = vec![Deed::Fail("no".into())];
    let caught = seen::<H>(&[vec![Deed::Run, Deed::Answer("caught".into())], fails.clone()]);
    assert_eq!(caught.answer, Ok("caught".to_owned()));
    let passed = seen::<H>(&[vec![Deed::Run], fails]).answer.unwrap_err();
    assert_eq!((passed.kind, passed.message.as_str()), (ErrorKind::Rejected, "no"));
    let many = seen::<H>(&[vec![Deed::Run; RUNS_MAX as usize + 1]]);
    assert_eq!(many.answer.unwrap_err().message, "limit `next-runs` reached: 4 of 3 allowed");
}

fn the_inner_layer_sees_what_the_outer_one_changed<H: OnionHook>() {
    let mut request = H::request();
    H::say(&mut request, "outer");
    H::say(&mut request, "inner");
    let programs = ["outer", "inner"].map(|word| vec![Deed::Say(word.into()), Deed::Run]);
    assert_eq!(seen::<H>(&programs).answer, Ok(H::said(&request).join("+")));
}

/// Every law as a test of every hook.
macro_rules! laws {
    ($($module:ident: $hook:ty;)+) => {
        $(mod $module {
            use super::*;

            laws! { @of $hook:
                a_component_does_what_the_native_layer_does
                an_identity_layer_changes_nothing_anywhere
                stacking_is_associative
                entries_are_in_order_exits_reversed_and_k_runs_are_k_runs_inside
                what_is_inside_is_hidden_without_next_and_fails_as_a_value
                the_inner_layer_sees_what_the_outer_one_changed
            }
        })+
    };
    (@of $hook:ty: $($law:ident)+) => {
        $(#[test]
        fn $law() {
            super::$law::<$hook>();
        })+
    };
}

laws! {
    on_reply: Reply;
    on_reasoning: Reasoning;
    on_model_call: ModelCall;
    on_acting: Acting;
    on_compress_context: CompressContext;
    on_check_permission: CheckPermission;
}
