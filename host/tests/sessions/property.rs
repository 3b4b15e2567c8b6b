//! Whatever is written, memory and file hold the same, before and after reopening.

use cepa::message::Message;
use cepa::services::{Scope, StatePlace};
use cepa::session::{CallState, MemorySessions, SessionStore, SqliteSessions, Write};
use proptest::prelude::*;
use proptest::sample::select;

use crate::sample::{append, call, message, reply, usage};

const SESSIONS: [&str; 3] = ["s", "s1", "S"];
const REPLIES: [&str; 2] = ["r", "1r"];
const KEYS: [&str; 3] = ["k", "l", "m"];
/// Room for two of the three entries.
const QUOTA: u64 = 140;

#[derive(Clone, Debug)]
enum Op {
    Batch(&'static str, Vec<Write>),
    Set(StatePlace, &'static str, String),
    Swap(StatePlace, &'static str, Option<String>, Option<String>),
    Add(StatePlace, &'static str, f64),
    Delete(StatePlace, &'static str),
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

fn a_key() -> impl Strategy<Value = &'static str> {
    select(&KEYS)
}

fn an_op() -> impl Strategy<Value = Op> {
    let value = "[0-2x]";
    prop_oneof![
        6 => (select(&SESSIONS), prop::collection::vec(a_write(), 0..4)).prop_map(|(id, batch)| Op::Batch(id, batch)),
        4 => (a_place(), a_key(), value).prop_map(|(place, key, value)| Op::Set(place, key, value)),
        1 => (a_place(), a_key(), prop::option::of(value), prop::option::of(value))
            .prop_map(|(place, key, expected, value)| Op::Swap(place, key, expected, value)),
        1 => (a_place(), a_key(), -2..3i8).prop_map(|(place, key, delta)| Op::Add(place, key, f64::from(delta))),
        1 => (a_place(), a_key()).prop_map(|(place, key)| Op::Delete(place, key)),
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
        Op::Set(place, key, value) => {
            format!("{:?}", state.set(place.clone(), (*key).into(), value.clone(), QUOTA).await)
        }
        Op::Swap(place, key, expected, value) => {
            let (expected, value) = (expected.clone(), value.clone());
            format!("{:?}", state.compare_and_set(place.clone(), (*key).into(), expected, value, QUOTA).await)
        }
        Op::Add(place, key, delta) => {
            format!("{:?}", state.increment(place.clone(), (*key).into(), *delta, QUOTA).await)
        }
        Op::Delete(place, key) => format!("{:?}", state.delete(place.clone(), (*key).into()).await),
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
                    for key in KEYS {
                        let value = store.state().get(place.clone(), key.into()).await;
                        found.push(format!("{place:?} {key} {value:?}"));
                    }
                }
            }
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn memory_and_file_hold_the_same(ops in prop::collection::vec(an_op(), 1..32)) {
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
