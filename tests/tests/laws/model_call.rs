//! The laws of the chain around model calls, with what holds of the stream.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use cepa::chain::{Chain, ChainEntry, Endpoint, ModelCall, Note, NoteKind, Sink, endpoint_fn};
use cepa::error::{Error, ErrorKind};
use cepa::event::Event;
use cepa::message::{Block, FinishReason, Message};
use cepa::request::{ModelRequest, ModelResponse};
use cepa::sandbox::Component;
use cepa::services::NoServices;
use cepa_tests::chain::{LayerPlan, call, call_in, context, load};
use cepa_tests::guest;
use cepa_tests::program::{Program, Step, native};
use proptest::prelude::*;
use serde_json::json;

use crate::{layers, place, runtime};

/// Everything one can see of a call from outside.
#[derive(Debug, PartialEq)]
struct Seen {
    answer: Result<(String, Option<String>), Error>,
    events: Vec<Event>,
    notes: Vec<Note>,
    endpoint_calls: u32,
}

/// Tells what it was asked, in words and as a stream; fails when asked to.
fn endpoint(calls: Arc<AtomicU32>) -> Arc<dyn Endpoint<ModelCall>> {
    endpoint_fn(move |request: ModelRequest, out: Sink| {
        let call = calls.fetch_add(1, Ordering::Relaxed) + 1;
        async move {
            let id = format!("call-{call}");
            out.send(Event::ModelCallStart { id: id.clone(), model: request.model.clone() }).await?;
            let said: Vec<String> = request.messages.iter().map(|message| message.text()).collect();
            let heard = format!("{} {} {}", request.model, said.join("+"), json!(request.parameters));
            for piece in heard.split_inclusive(' ') {
                out.send(Event::TextDelta { id: id.clone(), text: piece.to_owned() }).await?;
            }
            if said.iter().any(|said| said == "boom") {
                return Err(Error::new(ErrorKind::Overloaded, "boom"));
            }
            let finish_reason = FinishReason::Stop;
            out.send(Event::ModelCallEnd { id, finish_reason, usage: None, error: None }).await?;
            Ok(ModelResponse::answer(vec![Block::Text { text: heard }]))
        }
    })
}

fn request() -> ModelRequest {
    let mut request = ModelRequest::to("main");
    request.push_message(Message::user("hello"));
    request
}

fn run(entries: &[ChainEntry]) -> Seen {
    let calls = Arc::new(AtomicU32::new(0));
    let happened = runtime().block_on(call::<ModelCall>(entries, request(), endpoint(Arc::clone(&calls))));
    Seen {
        answer: happened.result.map(|response| (response.text(), response.message.name.clone())),
        events: happened.events,
        notes: happened.notes,
        endpoint_calls: calls.load(Ordering::Relaxed),
    }
}

struct Bench {
    program: Component,
    passthrough: Component,
}

impl Bench {
    fn new() -> Self {
        let program = runtime().block_on(load("program", guest!("program")));
        let passthrough = runtime().block_on(load("passthrough", guest!("passthrough")));
        Self { program, passthrough }
    }

    fn component(&self, name: &str, program: &[Step]) -> ChainEntry {
        LayerPlan::new(name)
            .config(json!({ "steps": program }))
            .limits(|limits| limits.next_runs = RUNS_MAX)
            .entry(&self.program)
    }

    fn components(&self, programs: &[Program]) -> Vec<ChainEntry> {
        layers(programs, |name, program| self.component(name, program))
    }
}

fn natives(programs: &[Program]) -> Vec<ChainEntry> {
    layers(programs, |name, program| native(name, program.to_vec(), RUNS_MAX))
}

const RUNS_MAX: u32 = 3;
const LAYERS_MAX: usize = 4;

fn step() -> impl Strategy<Value = Step> {
    let word = prop_oneof!["a", "b", "héllo", "boom"].prop_map(|word: String| word);
    prop_oneof![
        1 => word.clone().prop_map(Step::SetModel),
        1 => word.clone().prop_map(Step::PushMessage),
        1 => ("[xy]", prop_oneof!["1", "\\{", "\"s\"", "nul"]).prop_map(|(n, v)| Step::SetParameter(n, v)),
        3 => Just(Step::Run),
        2 => Just(Step::Relay),
        2 => Just(Step::RelayText),
        1 => word.clone().prop_map(Step::Emit),
        1 => word.clone().prop_map(Step::Answer),
        1 => word.clone().prop_map(Step::Rewrite),
        1 => word.prop_map(Step::Fail),
    ]
}

fn programs() -> impl Strategy<Value = Vec<Program>> {
    prop::collection::vec(prop::collection::vec(step(), 0..6), 1..=LAYERS_MAX)
}

/// Runs a property over programs with one bench for all cases.
fn check(count: u32, property: impl Fn(&Bench, Vec<Program>) -> Result<(), TestCaseError>) {
    let bench = Bench::new();
    crate::check(count, &programs(), |programs| property(&bench, programs));
}

#[test]
fn a_component_does_what_the_native_layer_does() {
    check(200, |bench, programs| {
        let natively = run(&natives(&programs));
        let sandboxed = run(&bench.components(&programs));
        prop_assert_eq!(natively, sandboxed);
        Ok(())
    });
}

#[test]
fn native_layers_and_components_mix() {
    check(100, |bench, programs| {
        let natives = natives(&programs);
        let components = bench.components(&programs);
        let mixed: Vec<ChainEntry> = natives
            .iter()
            .zip(&components)
            .enumerate()
            .map(|(n, (a, b))| if n % 2 == 0 { a } else { b }.clone())
            .collect();
        prop_assert_eq!(run(&natives), run(&mixed));
        Ok(())
    });
}

#[test]
fn an_identity_layer_changes_nothing_anywhere() {
    check(100, |bench, programs| {
        let plain = bench.components(&programs);
        let expected = run(&plain);
        for place in 0..=plain.len() {
            let mut entries = plain.clone();
            entries.insert(place, LayerPlan::new("identity").entry(&bench.passthrough));
            prop_assert_eq!(&run(&entries), &expected, "identity at {}", place);
        }
        Ok(())
    });
}

#[test]
fn stacking_is_associative() {
    check(100, |bench, programs| {
        let entries = bench.components(&programs);
        let expected = run(&entries);
        for place in 0..=entries.len() {
            let (outer, inner) = entries.split_at(place);
            prop_assert_eq!(&run_nested(outer, inner), &expected, "split at {}", place);
        }
        Ok(())
    });
}

/// The outer layers around an endpoint that is itself a chain of the inner layers.
fn run_nested(outer: &[ChainEntry], inner: &[ChainEntry]) -> Seen {
    let calls = Arc::new(AtomicU32::new(0));
    let context = context(Arc::new(NoServices));
    let inner = Chain::open(inner, Arc::clone(&context));
    let innermost = endpoint(Arc::clone(&calls));
    let nested = endpoint_fn(move |request: ModelRequest, out: Sink| {
        let (inner, innermost) = (inner.clone(), Arc::clone(&innermost));
        async move { inner.call(request, innermost, out).await }
    });
    let chain = Chain::open(outer, context);
    let happened = runtime().block_on(call_in::<ModelCall>(&chain, request(), nested));
    Seen {
        answer: happened.result.map(|response| (response.text(), response.message.name.clone())),
        events: happened.events,
        notes: happened.notes,
        endpoint_calls: calls.load(Ordering::Relaxed),
    }
}

fn runs(program: &Program) -> usize {
    program.iter().filter(|step| matches!(step, Step::Run | Step::Relay | Step::RelayText)).count()
}

/// The log lines `enter` and `exit`, with the layer's number.
fn passages(seen: &Seen) -> Vec<(bool, usize)> {
    let passage = |note: &Note| {
        let layer = place(&note.layer)?;
        match &note.kind {
            NoteKind::Log { message, .. } if message == "enter" => Some((true, layer)),
            NoteKind::Log { message, .. } if message == "exit" => Some((false, layer)),
            _ => None,
        }
    };
    seen.notes.iter().filter_map(passage).collect()
}

#[test]
fn entries_are_in_order_and_exits_reversed() {
    check(100, |bench, programs| {
        let seen = run(&bench.components(&programs));
        let mut inside: Vec<usize> = Vec::new();
        for (enters, layer) in passages(&seen) {
            if enters {
                prop_assert_eq!(inside.len(), layer, "layer {} is entered from the one around it", layer);
                inside.push(layer);
            } else {
                prop_assert_eq!(inside.pop(), Some(layer), "the innermost layer leaves first");
            }
        }
        prop_assert!(inside.is_empty(), "every layer that was entered has left");
        Ok(())
    });
}

#[test]
fn k_runs_are_k_runs_inside_and_k_is_bounded() {
    check(100, |bench, programs| {
        let seen = run(&bench.components(&programs));
        let mut entered = 1;
        for (layer, program) in programs.iter().enumerate() {
            let count = passages(&seen).iter().filter(|passage| **passage == (true, layer)).count();
            prop_assert_eq!(count, entered, "layer {}", layer);
            entered *= runs(program).min(RUNS_MAX as usize);
        }
        prop_assert_eq!(seen.endpoint_calls as usize, entered);
        Ok(())
    });
}

/// The text that a reader of the stream holds in the end, withdrawn attempts taken away.
fn held(events: &[Event]) -> Vec<(String, String)> {
    let mut held: Vec<(String, String)> = Vec::new();
    for event in events {
        match event {
            Event::TextDelta { id, text } if id != "own" => held.push((id.clone(), text.clone())),
            Event::Withdrawn { id } => held.retain(|(of, _)| of != id),
            _ => {}
        }
    }
    held
}

#[test]
fn a_reader_never_holds_the_text_of_two_attempts() {
    check(200, |bench, programs| {
        let seen = run(&bench.components(&programs));
        let mut calls: Vec<String> = held(&seen.events).into_iter().map(|(id, _)| id).collect();
        calls.dedup();
        prop_assert!(calls.len() <= 1, "text of {:?} is held at once", calls);
        Ok(())
    });
}

fn happened(programs: &[Program]) -> Seen {
    let bench = Bench::new();
    let natively = run(&natives(programs));
    let sandboxed = run(&bench.components(programs));
    assert_eq!(natively, sandboxed);
    sandboxed
}

fn answer(seen: &Seen) -> &str {
    seen.answer.as_ref().map(|(text, _)| text.as_str()).unwrap()
}

#[test]
fn no_next_hides_everything_inside() {
    let seen = happened(&[vec![Step::Answer("mine".into())], vec![Step::Run]]);
    assert_eq!((answer(&seen), seen.endpoint_calls), ("mine", 0));
    assert_eq!(passages(&seen), [(true, 0), (false, 0)]);
}

#[test]
fn inner_layers_see_what_outer_ones_changed_and_the_rest_is_kept() {
    let outer = vec![Step::SetModel("other".into()), Step::SetParameter("x".into(), "1".into()), Step::Run];
    let inner = vec![Step::PushMessage("inner".into()), Step::Run];
    assert_eq!(answer(&happened(&[outer, inner])), r#"other hello+inner {"x":1}"#);
}

#[test]
fn an_inner_failure_reaches_the_outer_layer_as_an_error_value() {
    let inner = vec![Step::Fail("no".into())];
    let caught = happened(&[vec![Step::Run, Step::Answer("caught".into())], inner.clone()]);
    assert_eq!(answer(&caught), "caught");
    let passed = happened(&[vec![Step::Run], inner]);
    assert_eq!(passed.answer.unwrap_err().message, "no");
}

#[test]
fn a_second_run_starts_from_a_request_of_its_own() {
    let outer = vec![Step::Run, Step::Run];
    let inner = vec![Step::PushMessage("inner".into()), Step::Run];
    assert_eq!(answer(&happened(&[outer, inner])), "main hello+inner {}");
}

#[test]
fn one_run_too_many_is_an_error_value_that_names_the_limit() {
    let seen = happened(&[vec![Step::Run; RUNS_MAX as usize + 1]]);
    let error = seen.answer.unwrap_err();
    assert_eq!((error.kind, error.code.as_str()), (ErrorKind::Limit, "next-runs"));
    assert_eq!(error.message, "limit `next-runs` reached: 4 of 3 allowed");
    assert_eq!(seen.endpoint_calls, RUNS_MAX);
}
