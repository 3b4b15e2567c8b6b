//! The laws of the hooks that are no onion: of the system prompt, of drafts, and of the filters of events.

use std::sync::{Arc, OnceLock};

use cepa::chain::{Chain, ChainEntry, Note, NoteKind};
use cepa::error::{Error, ErrorKind};
use cepa::sandbox::Component;
use cepa::services::NoServices;
use cepa_tests::chain::{LayerPlan, context, load};
use cepa_tests::transform::{Change, Drafts, Events, Passing, SystemPrompt, changed, native};
use cepa_tests::{guest, in_time};
use proptest::prelude::*;
use serde_json::json;

use crate::{layers, place, runtime};

const CASES: u32 = 40;
const TEXT: &str = "text";

/// What came of a text, and what the layers told.
#[derive(Debug, PartialEq)]
struct Seen {
    end: Result<Option<String>, Error>,
    notes: Vec<Note>,
}

impl Seen {
    /// The text that each layer was given, in the order of the calls.
    fn given(&self) -> Vec<(usize, String)> {
        let given = |note: &Note| match &note.kind {
            NoteKind::Log { message, .. } => Some((place(&note.layer)?, message.clone())),
            _ => None,
        };
        self.notes.iter().filter_map(given).collect()
    }
}

fn component() -> &'static Component {
    static COMPONENT: OnceLock<Component> = OnceLock::new();
    COMPONENT.get_or_init(|| runtime().block_on(load("transform", guest!("transform"))))
}

fn see<H: Passing>(entries: &[ChainEntry], text: &str) -> Seen {
    runtime().block_on(async {
        let chain = Chain::open(entries, context(Arc::new(NoServices)));
        let end = in_time(H::pass(&chain, text.to_owned())).await;
        Seen { end, notes: chain.context().ledger.take_notes() }
    })
}

fn sandboxed(name: &str, changes: &[Change], quiet: bool) -> ChainEntry {
    LayerPlan::new(name).config(json!({ "changes": changes, "quiet": quiet })).entry(component())
}

fn components(programs: &[Vec<Change>]) -> Vec<ChainEntry> {
    layers(programs, |name, changes| sandboxed(name, changes, false))
}

fn natives(programs: &[Vec<Change>]) -> Vec<ChainEntry> {
    layers(programs, |name, changes| native(name, changes.to_vec()))
}

fn change() -> impl Strategy<Value = Change> {
    let word = prop_oneof!["a", "b", "héllo", "boom"].prop_map(|word: String| word);
    prop_oneof![
        6 => word.clone().prop_map(Change::Append),
        1 => word.clone().prop_map(Change::Replace),
        1 => Just(Change::Stop),
        2 => word.prop_map(Change::FailOn),
    ]
}

fn check(property: impl Fn(&[Vec<Change>]) -> Result<(), TestCaseError>) {
    let programs = prop::collection::vec(prop::collection::vec(change(), 0..4), 1..=4);
    crate::check(CASES, &programs, |programs| property(&programs));
}

fn a_component_does_what_the_native_layer_does<H: Passing>() {
    check(|programs| {
        prop_assert_eq!(see::<H>(&natives(programs), TEXT), see::<H>(&components(programs), TEXT));
        Ok(())
    });
}

fn an_identity_layer_changes_nothing_anywhere<H: Passing>() {
    check(|programs| {
        let plain = components(programs);
        let expected = see::<H>(&plain, TEXT);
        for place in 0..=plain.len() {
            let mut entries = plain.clone();
            entries.insert(place, sandboxed("identity", &[], true));
            prop_assert_eq!(&see::<H>(&entries, TEXT), &expected, "identity at {}", place);
        }
        Ok(())
    });
}

/// Layers after layers are one list of layers.
fn stacking_is_associative<H: Passing>() {
    check(|programs| {
        let entries = components(programs);
        let expected = see::<H>(&entries, TEXT);
        for place in 0..=entries.len() {
            let (first, second) = entries.split_at(place);
            let mut seen = see::<H>(first, TEXT);
            if let Ok(Some(between)) = &seen.end {
                let rest = see::<H>(second, between);
                seen.notes.extend(rest.notes);
                seen.end = rest.end;
            }
            prop_assert_eq!(&seen, &expected, "split at {}", place);
        }
        Ok(())
    });
}

/// Each layer is given what the one before it gave, in list order, up to the one that lets nothing through.
fn each_layer_is_given_what_the_one_before_gave<H: Passing>() {
    check(|programs| {
        let seen = see::<H>(&components(programs), TEXT);
        let mut end = Ok(Some(TEXT.to_owned()));
        let mut given = Vec::new();
        for (place, program) in programs.iter().enumerate() {
            let Ok(Some(text)) = &end else { break };
            given.push((place, text.clone()));
            end = changed(text.clone(), program, H::STOPS);
        }
        prop_assert_eq!(seen.given(), given);
        prop_assert_eq!(seen.end, end);
        Ok(())
    });
}

/// The same natively and in the sandbox.
fn seen<H: Passing>(programs: &[Vec<Change>]) -> Seen {
    let sandboxed = see::<H>(&components(programs), TEXT);
    assert_eq!(see::<H>(&natives(programs), TEXT), sandboxed);
    sandboxed
}

fn what_is_let_through_by_none_is_seen_by_none_behind<H: Passing>() {
    let asks = || vec![Change::Append(" and more".to_owned())];
    let failed = seen::<H>(&[vec![Change::FailOn(TEXT.to_owned())], asks()]);
    assert_eq!(failed.given(), [(0, TEXT.to_owned())]);
    assert_eq!(failed.end, Err(Error::new(ErrorKind::Rejected, "not `text`")));
    let stopped = seen::<H>(&[vec![Change::Stop], asks()]);
    let (calls, end) = if H::STOPS { (1, None) } else { (2, Some("text and more".to_owned())) };
    assert_eq!((stopped.given().len(), stopped.end), (calls, Ok(end)));
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
                each_layer_is_given_what_the_one_before_gave
                what_is_let_through_by_none_is_seen_by_none_behind
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
    on_system_prompt: SystemPrompt;
    on_draft: Drafts;
    on_events: Events;
}
