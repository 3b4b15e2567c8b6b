//! Whatever is written, memory and file hold the same, before and after reopening.

use cepa::message::Message;
use cepa::services::{Scope, StatePlace};
use cepa::session::{CallState, MemorySessions, SessionStore, SqliteSessions, Write};
use proptest::prelude::*;
use proptest::sample::select;

use crate::sample::{append, call, message, reply, usage};

const SESSIONS: [&str; 3] = ["s", "s1", "S"];
const REPLIES: [&str; 2] = ["r", "1r"];

#[derive(Clone, Debug)]
enum Op {
    Batch(&'static str, Vec<Write>),
    Set(StatePlace, String),
    Swap(StatePlace, Option<String>, Option<String>),
    Add(StatePlace, f64),
    Reopen,
}

fn a_write() -> impl Strategy<Value = Write> {
    let id = "[a-c]";
    prop_oneof![
        4 => "\\PC{0,8}".prop_map(|text| Write::Append(Message::user(text))),
        2 => id.prop_map(|id| append(&id)),
        3 => (0..4u32, 0..4u32, prop::collection::vec(id, 0..4)).prop_map(|(start, length, ids)| Write::Replace {
            start,
            end: start + length,
            messages: ids.iter().map(|id| message(id)).collect(),
        }),
        2 => (select(&REPLIES), 0..3u32).prop_map(|(id, step)| reply(id, step)),
        3 => (id, select(&[CallState::Pending, CallState::Running]))
            .prop_map(|(id, state)| Write::PutCall(call(&id, state))),
        1 => id.prop_map(Write::CloseCall),
        1 => (id, prop::option::of(0..9u32)).prop_map(|(model, input)| usage(&model, input)),
    ]
}

fn a_place() -> impl Strategy<Value = StatePlace> {
    (
        select(&["l", "m"]),
        select(&[Scope::Reply, Scope::Session, Scope::Layer]),
        select(&SESSIONS),
        select(&REPLIES),
    )
        .prop_map(|(layer, scope, session, reply)| StatePlace::new(layer, scope, session, reply))
}

fn an_op() -> impl Strategy<Value = Op> {
    let value = "[0-2x]";
    prop_oneof![
        6 => (select(&SESSIONS), prop::collection::vec(a_write(), 0..4)).prop_map(|(id, batch)| Op::Batch(id, batch)),
        2 => (a_place(), value).prop_map(|(place, value)| Op::Set(place, value)),
        1 => (a_place(), prop::option::of(value), prop::option::of(value))
            .prop_map(|(place, expected, value)| Op::Swap(place, expected, value)),
        1 => (a_place(), -2..3i8).prop_map(|(place, delta)| Op::Add(place, f64::from(delta))),
        1 => Just(Op::Reopen),
    ]
}

/// What an operation answered, and what a session then holds, as text.
async fn run(store: &dyn SessionStore, op: &Op) -> String {
    let state = store.state();
    match op {
        Op::Batch(id, batch) => {
            let answer = store.write((*id).to_owned(), batch.clone()).await;
            format!("{answer:?} {:?}", store.load((*id).to_owned()).await)
        }
        Op::Set(place, value) => format!("{:?}", state.set(place.clone(), "k".into(), value.clone()).await),
        Op::Swap(place, expected, value) => {
            let answer =
                state.compare_and_set(place.clone(), "k".into(), expected.clone(), value.clone()).await;
            format!("{answer:?}")
        }
        Op::Add(place, delta) => format!("{:?}", state.increment(place.clone(), "k".into(), *delta).await),
        Op::Reopen => String::new(),
    }
}

/// Everything there is.
async fn all(store: &dyn SessionStore) -> Vec<String> {
    let mut found = vec![format!("{:?}", store.list().await)];
    for session in SESSIONS {
        found.push(format!("{:?}", store.load(session.to_owned()).await));
        for layer in ["l", "m"] {
            for scope in [Scope::Reply, Scope::Session, Scope::Layer] {
                for reply in REPLIES {
                    let place = StatePlace::new(layer, scope, session, reply);
                    let value = store.state().get(place.clone(), "k".into()).await;
                    found.push(format!("{place:?} {value:?}"));
                }
            }
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn memory_and_file_hold_the_same(ops in prop::collection::vec(an_op(), 1..24)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("sessions.db");
            let memory = MemorySessions::default();
            let mut file = SqliteSessions::open(&path).await.unwrap();
            for op in &ops {
                if matches!(op, Op::Reopen) {
                    drop(file);
                    file = SqliteSessions::open(&path).await.unwrap();
                }
                assert_eq!(run(&file, op).await, run(&memory, op).await, "{op:?}");
            }
            let before = all(&file).await;
            assert_eq!(before, all(&memory).await);
            drop(file);
            let file = SqliteSessions::open(&path).await.unwrap();
            assert_eq!(all(&file).await, before, "after reopening");
        });
    }
}
