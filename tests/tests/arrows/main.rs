//! The rooms of the host name each other only along the arrows of `ARCHITECTURE.md`.

mod names;
mod rules;
mod sources;

use std::collections::BTreeSet;

use rules::{ARROWS, RULES};
use sources::{Source, sources};

const ARCHITECTURE: &str = include_str!("../../../ARCHITECTURE.md");

/// The rooms that arrows lead to from this one, directly or by way of others.
fn reach(room: &str) -> BTreeSet<&'static str> {
    let mut reached = BTreeSet::new();
    let mut ahead = arrows_of(room).to_vec();
    while let Some(next) = ahead.pop() {
        if reached.insert(next) {
            ahead.extend(arrows_of(next));
        }
    }
    reached
}

fn arrows_of(room: &str) -> &'static [&'static str] {
    ARROWS.iter().find(|(from, _)| *from == room).map(|(_, to)| *to).unwrap_or_default()
}

fn is_drawn(room: &str) -> bool {
    ARROWS.iter().any(|(from, _)| *from == room)
}

/// Where a source goes against the arrows.
fn against_the_arrows(source: &Source) -> Vec<String> {
    if !is_drawn(&source.room) {
        return Vec::new();
    }
    let reached = reach(&source.room);
    let strays = |room: &&str| *room != source.room && is_drawn(room) && !reached.contains(room);
    let told = |room: &str| {
        format!(
            "`{}` names `{room}`, and no arrow leads from `{}` to it, but to {reached:?}: turn the dependency round, \
             with a trait or a value, or draw the arrow in ARCHITECTURE.md and in `arrows/rules.rs`",
            source.file, source.room
        )
    };
    source.rooms().filter(strays).map(told).collect()
}

fn assert_none(offences: &[String]) {
    assert!(offences.is_empty(), "\n{}", offences.join("\n"));
}

#[test]
fn rooms_name_each_other_along_the_arrows() {
    assert_none(&sources().iter().flat_map(against_the_arrows).collect::<Vec<_>>());
}

#[test]
fn every_arrow_is_needed_and_none_leads_back() {
    let sources = sources();
    let needed = |from: &str, to: &str| {
        sources
            .iter()
            .filter(|source| source.room == from)
            .any(|source| source.rooms().any(|room| room == to))
    };
    for (from, to) in ARROWS.iter().flat_map(|(from, to)| to.iter().map(move |to| (from, to))) {
        assert!(needed(from, to), "no file of `{from}` names `{to}`: take the arrow away");
        assert!(is_drawn(to), "`{to}` is missing among those that arrows come from");
        assert!(!reach(to).contains(from), "the arrows from `{from}` to `{to}` lead back");
    }
}

#[test]
fn every_room_keeps_to_what_is_said_of_it() {
    let sources = sources();
    let offences = RULES.iter().flat_map(|rule| {
        sources.iter().flat_map(move |source| {
            let told = move |name: &String| {
                format!("`{}` names `{name}`, but ARCHITECTURE.md says: {}", source.file, rule.says)
            };
            source.names.iter().filter(move |name| rule.forbids(&source.room, name)).map(told)
        })
    });
    assert_none(&offences.collect::<Vec<_>>());
}

#[test]
fn what_the_rules_quote_stands_in_the_document() {
    for rule in RULES {
        assert!(ARCHITECTURE.contains(rule.says), "ARCHITECTURE.md does not say: {}", rule.says);
    }
    let (_, section) = ARCHITECTURE.split_once("## Arrows").expect("the section is there");
    let (section, _) = section.split_once("\n## ").expect("another one follows");
    for (room, _) in ARROWS {
        assert!(section.contains(room), "the section `Arrows` does not name `{room}`");
    }
}

#[test]
fn every_room_of_the_tables_is_there() {
    let sources = sources();
    let rooms: BTreeSet<&str> = sources.iter().map(|source| source.room.as_str()).collect();
    let named = ARROWS.iter().map(|(room, _)| *room).chain(RULES.iter().flat_map(|rule| rule.rooms.named()));
    for room in named {
        assert!(rooms.contains(room), "there is no `host/src/{room}`");
    }
}
