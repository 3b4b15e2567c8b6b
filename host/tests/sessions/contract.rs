//! What every store does alike.

use std::sync::Arc;

use cepa::error::ErrorKind;
use cepa::message::{Message, Usage};
use cepa::services::{Scope, StatePlace};
use cepa::session::testing::FailingSessions;
use cepa::session::{CallState, SessionData, SessionStore, Write};
use tempfile::tempdir;

use crate::sample::{QUOTA, append, call, each_store, ids, message, reply, usage};

#[tokio::test]
async fn a_batch_is_written_wholly_or_not_at_all() {
    let folder = tempdir().unwrap();
    for (name, store) in each_store(&folder).await {
        store.write("s".into(), vec![append("a"), append("b")]).await.unwrap();
        let before = store.load("s".into()).await.unwrap();

        let beyond = Write::Replace { start: 1, end: 4, messages: vec![] };
        let error = store.write("s".into(), vec![append("c"), reply("r", 1), beyond]).await.unwrap_err();
        assert_eq!(error.to_string(), "messages 1 to 4 of session `s` can't be replaced: it has 3", "{name}");
        let error =
            store.write("s".into(), vec![append("c"), Write::CloseCall("x".into())]).await.unwrap_err();
        assert_eq!(error.to_string(), "call `x` of session `s` can't be closed: it is not open", "{name}");
        let error = store.write("new".into(), vec![Write::CloseCall("x".into())]).await.unwrap_err();
        assert!(error.to_string().contains("`new`"), "{name}: {error}");
        assert_eq!(store.load("s".into()).await.unwrap(), before, "{name}");
        assert_eq!(store.list().await.unwrap(), ["s"], "{name}");
    }
}

#[tokio::test]
async fn messages_are_replaced_by_fewer_as_many_and_more() {
    let folder = tempdir().unwrap();
    for (name, store) in each_store(&folder).await {
        store.write("s".into(), ["a", "b", "c", "d", "e"].map(append).to_vec()).await.unwrap();
        for (start, end, fresh, expected) in [
            (1, 4, vec!["x"], vec!["a", "x", "e"]),
            (0, 1, vec!["y"], vec!["y", "x", "e"]),
            (1, 1, vec!["p", "q", "r"], vec!["y", "p", "q", "r", "x", "e"]),
            (6, 6, vec!["z"], vec!["y", "p", "q", "r", "x", "e", "z"]),
            (0, 7, vec![], vec![]),
        ] {
            let messages = fresh.into_iter().map(message).collect();
            store.write("s".into(), vec![Write::Replace { start, end, messages }]).await.unwrap();
            assert_eq!(ids(&store, "s").await, expected, "{name}: {start}..{end}");
        }
    }
}

#[tokio::test]
async fn calls_belong_to_a_reply_and_keep_their_order() {
    let folder = tempdir().unwrap();
    for (name, store) in each_store(&folder).await {
        let put = |id, state| Write::PutCall(call(id, state));
        let batch = vec![reply("r1", 1), put("b", CallState::Pending), put("a", CallState::Pending)];
        store.write("s".into(), batch).await.unwrap();
        store.write("s".into(), vec![put("b", CallState::Running), reply("r1", 2)]).await.unwrap();
        let open = store.load("s".into()).await.unwrap().open_calls;
        assert_eq!(open, [call("b", CallState::Running), call("a", CallState::Pending)], "{name}");

        store.write("s".into(), vec![Write::CloseCall("b".into())]).await.unwrap();
        assert_eq!(store.load("s".into()).await.unwrap().open_calls.len(), 1, "{name}");

        let closed_too_late = vec![reply("r2", 1), Write::CloseCall("a".into())];
        store.write("s".into(), closed_too_late).await.unwrap_err();
        store.write("s".into(), vec![reply("r2", 1)]).await.unwrap();
        let data = store.load("s".into()).await.unwrap();
        assert_eq!(data.open_calls, [], "{name}");
        assert_eq!(data.reply.unwrap().id, "r2", "{name}");
    }
}

#[tokio::test]
async fn usage_adds_up_by_model_and_unknown_stays_unknown() {
    let folder = tempdir().unwrap();
    for (name, store) in each_store(&folder).await {
        let batch =
            vec![usage("main", Some(3)), usage("small", None), usage("main", None), usage("main", Some(4))];
        store.write("s".into(), batch).await.unwrap();
        let main = Usage { input_tokens: Some(7), ..Usage::default() };
        let expected = vec![("main".to_owned(), main, 3), ("small".to_owned(), Usage::default(), 1)];
        assert_eq!(store.load("s".into()).await.unwrap().usage, expected, "{name}");
    }
}

#[tokio::test]
async fn ids_are_exact_keys() {
    let sessions = ["", "a", "A", "a::b", "a%", "a_", "a*", "ä", "a\u{308}", "会", "a\0b", "a'b", " a"];
    let folder = tempdir().unwrap();
    for (name, store) in each_store(&folder).await {
        for id in sessions {
            store.write(id.into(), vec![append(id), reply(id, 1)]).await.unwrap();
        }
        for id in sessions {
            let data = store.load(id.into()).await.unwrap();
            assert_eq!(data.messages, [message(id)], "{name}: {id:?}");
            assert_eq!(data.reply.unwrap().id, id, "{name}: {id:?}");
        }
        assert_eq!(store.load("a::".into()).await.unwrap(), SessionData::default(), "{name}");
        let last_first: Vec<_> = sessions.into_iter().rev().collect();
        assert_eq!(store.list().await.unwrap(), last_first, "{name}");
    }
}

#[tokio::test]
async fn empty_and_huge_texts_are_kept() {
    let folder = tempdir().unwrap();
    for (name, store) in each_store(&folder).await {
        let huge = "x\u{0}\"é".repeat(2 << 20);
        for text in [String::new(), huge] {
            store.write("s".into(), vec![Write::Append(Message::user(text.clone()))]).await.unwrap();
            let kept = store.load("s".into()).await.unwrap().messages.pop().unwrap();
            assert!(kept.text() == text, "{name}: {} bytes", text.len());
        }
    }
}

#[tokio::test]
async fn state_is_kept_by_layer_scope_and_owner() {
    let folder = tempdir().unwrap();
    for (name, store) in each_store(&folder).await {
        let state = store.state();
        let places = [
            StatePlace::new("l", Scope::Layer, "s", "r"),
            StatePlace::new("l", Scope::Session, "s", "r"),
            StatePlace::new("l", Scope::Reply, "s", "r"),
            StatePlace::new("l", Scope::Reply, "sr", ""),
            StatePlace::new("l", Scope::Reply, "", "sr"),
            StatePlace::new("m", Scope::Session, "s", "r"),
            StatePlace::new("l", Scope::Session, "t", "r"),
        ];
        for (value, place) in places.iter().enumerate() {
            state.set(place.clone(), "k".into(), value.to_string(), QUOTA).await.unwrap();
        }
        for (value, place) in places.iter().enumerate() {
            let kept = state.get(place.clone(), "k".into()).await.unwrap();
            assert_eq!(kept, Some(value.to_string()), "{name}: {place:?}");
        }
    }
}

#[tokio::test]
async fn state_of_a_reply_goes_when_another_takes_its_place() {
    let folder = tempdir().unwrap();
    for (name, store) in each_store(&folder).await {
        store.write("s".into(), vec![reply("r1", 1)]).await.unwrap();
        let state = store.state();
        let gone =
            [StatePlace::new("a", Scope::Reply, "s", "r1"), StatePlace::new("b", Scope::Reply, "s", "r1")];
        let kept = [
            StatePlace::new("a", Scope::Session, "s", "r1"),
            StatePlace::new("a", Scope::Layer, "s", "r1"),
            StatePlace::new("a", Scope::Reply, "s", "r2"),
            StatePlace::new("a", Scope::Reply, "t", "r1"),
        ];
        for place in gone.iter().chain(&kept) {
            state.set(place.clone(), "k".into(), "v".into(), QUOTA).await.unwrap();
        }
        store.write("s".into(), vec![reply("r1", 2)]).await.unwrap();
        for place in &gone {
            assert!(state.get(place.clone(), "k".into()).await.unwrap().is_some(), "{name}: {place:?}");
        }
        store.write("s".into(), vec![reply("r2", 1)]).await.unwrap();
        for place in gone {
            assert_eq!(state.keys(place.clone(), String::new()).await.unwrap(), [""; 0], "{name}: {place:?}");
        }
        for place in kept {
            assert_eq!(state.keys(place.clone(), String::new()).await.unwrap(), ["k"], "{name}: {place:?}");
        }
    }
}

#[expect(clippy::float_cmp, reason = "whole numbers are exact")]
#[tokio::test]
async fn state_changes_are_conditional_and_counted() {
    let folder = tempdir().unwrap();
    let place = StatePlace::new("l", Scope::Layer, "", "");
    for (name, store) in each_store(&folder).await {
        let state = store.state();
        let swap = async |expected: Option<&str>, value: Option<&str>| {
            let (expected, value) = (expected.map(str::to_owned), value.map(str::to_owned));
            state.compare_and_set(place.clone(), "k".into(), expected, value, QUOTA).await.unwrap()
        };
        assert!(!swap(Some("x"), Some("y")).await, "{name}: absent is not `x`");
        assert!(swap(None, Some("5")).await, "{name}");
        assert!(!swap(None, Some("6")).await, "{name}: present is not absent");
        assert_eq!(state.increment(place.clone(), "k".into(), -7.0, QUOTA).await.unwrap(), -2.0, "{name}");
        assert!(swap(Some("-2"), None).await, "{name}");
        assert!(!state.delete(place.clone(), "k".into()).await.unwrap(), "{name}: already gone");
        assert_eq!(state.increment(place.clone(), "k".into(), 0.0, QUOTA).await.unwrap(), 0.0, "{name}");
        state.increment(place.clone(), "k".into(), 0.5, QUOTA).await.unwrap_err();
        assert!(state.delete(place.clone(), "k".into()).await.unwrap(), "{name}");
        for stored in ["0.5", "x", "", "inf", "NaN", "9007199254740994"] {
            state.set(place.clone(), "k".into(), stored.into(), QUOTA).await.unwrap();
            let refused = state.increment(place.clone(), "k".into(), 1.0, QUOTA).await.unwrap_err();
            assert_eq!(
                refused.kind,
                ErrorKind::InvalidInput,
                "{name}: `{stored}` is no whole number up to 2^53"
            );
            let kept = state.get(place.clone(), "k".into()).await.unwrap();
            assert_eq!(kept.as_deref(), Some(stored), "{name}: what was refused changed nothing");
        }
    }
}

#[tokio::test]
async fn a_place_holds_as_much_as_its_quota() {
    let folder = tempdir().unwrap();
    let place = StatePlace::new("l", Scope::Session, "s", "");
    for (name, store) in each_store(&folder).await {
        let state = store.state();
        let set = async |key: &str, length: usize, quota: u64| {
            let set = state.set(place.clone(), key.into(), "é".repeat(length), quota).await;
            set.map_err(|error| error.message)
        };
        // Each entry counts 64 bytes, its key and its value.
        assert_eq!(set("a", 100, 265).await, Ok(()), "{name}");
        let full = "limit `state` reached: 330 bytes of 265 bytes allowed";
        assert_eq!(set("b", 0, 265).await, Err(full.to_owned()), "{name}");
        assert_eq!(state.get(place.clone(), "b".into()).await.unwrap(), None, "{name}: nothing was changed");
        assert_eq!(set("a", 99, 200).await, Ok(()), "{name}: what grows smaller passes any quota");
        assert!(set("a", 100, 200).await.is_err(), "{name}");
        assert!(state.increment(place.clone(), "n".into(), 1.0, 265).await.is_err(), "{name}");
        let swapped = state.compare_and_set(place.clone(), "n".into(), None, Some("1".into()), 265).await;
        assert!(swapped.is_err(), "{name}");
        let other = StatePlace::new("l", Scope::Session, "t", "");
        assert!(
            state.set(other, "a".into(), "v".into(), 265).await.is_ok(),
            "{name}: each place has its own"
        );
        assert!(state.delete(place.clone(), "a".into()).await.unwrap(), "{name}");
        assert_eq!(set("b", 100, 265).await, Ok(()), "{name}: what was deleted is free again");
    }
}

#[tokio::test]
async fn keys_are_listed_by_prefix_and_sorted() {
    let folder = tempdir().unwrap();
    let place = StatePlace::new("l", Scope::Session, "s", "");
    for (name, store) in each_store(&folder).await {
        let state = store.state();
        for key in ["b", "a%", "a", "", "a_b", "aé", "a\u{10ffff}", "é"] {
            state.set(place.clone(), key.into(), String::new(), QUOTA).await.unwrap();
        }
        for (prefix, expected) in [
            ("a", vec!["a", "a%", "a_b", "aé", "a\u{10ffff}"]),
            ("a%", vec!["a%"]),
            ("", vec!["", "a", "a%", "a_b", "aé", "a\u{10ffff}", "b", "é"]),
            ("c", vec![]),
        ] {
            assert_eq!(
                state.keys(place.clone(), prefix.into()).await.unwrap(),
                expected,
                "{name}: {prefix:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_failing_store_lets_the_first_writes_through_and_then_is_dead() {
    let folder = tempdir().unwrap();
    for (name, inner) in each_store(&folder).await {
        let store: Arc<FailingSessions> = Arc::new(FailingSessions::new(Arc::clone(&inner), 2));
        let place = StatePlace::new("l", Scope::Layer, "", "");
        store.write("s".into(), vec![append("a"), append("b")]).await.unwrap();
        store.state().set(place.clone(), "k".into(), "v".into(), QUOTA).await.unwrap();
        store.load("s".into()).await.unwrap();
        assert!(!store.is_dead(), "{name}");

        store.state().increment(place.clone(), "n".into(), 1.0, QUOTA).await.unwrap_err();
        assert!(store.is_dead(), "{name}");
        store.write("s".into(), vec![append("c")]).await.unwrap_err();
        store.load("s".into()).await.unwrap_err();
        store.list().await.unwrap_err();
        store.state().get(place.clone(), "k".into()).await.unwrap_err();
        assert_eq!(store.written(), 2, "{name}");

        assert_eq!(ids(&inner, "s").await, ["a", "b"], "{name}");
        assert_eq!(inner.state().keys(place, String::new()).await.unwrap(), ["k"], "{name}");
    }
}
