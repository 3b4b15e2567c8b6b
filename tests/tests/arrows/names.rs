//! The paths that a source names.

use std::collections::BTreeSet;

/// The first two parts of each path in a source, such as `crate::chain` or `std::fs`, in groups as well, comments apart.
pub(crate) fn names(source: &str) -> BTreeSet<String> {
    let code: Vec<&str> = source.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let code = code.join("\n");
    let mut names = BTreeSet::new();
    for (at, separator) in code.match_indices("::") {
        let Some(first) = first_part(&code[..at]) else { continue };
        let rest = &code[at + separator.len()..];
        match rest.strip_prefix('{') {
            Some(group) => names.extend(members(group).iter().map(|second| format!("{first}::{second}"))),
            None => {
                names.insert(format!("{first}::{}", word(rest)));
            }
        }
    }
    names
}

fn is_letter(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The word at the end of a text, unless it is a later part of a path.
fn first_part(text: &str) -> Option<&str> {
    let before = text.trim_end_matches(is_letter);
    let word = &text[before.len()..];
    (!word.is_empty() && !before.ends_with("::")).then_some(word)
}

/// The word that a text begins with.
fn word(text: &str) -> &str {
    let behind = text.trim_start_matches(is_letter);
    &text[..text.len() - behind.len()]
}

/// The first word of each member of a group, of which the brace has been read.
fn members(group: &str) -> Vec<&str> {
    let mut members = Vec::new();
    let (mut depth, mut begin) = (1_usize, 0);
    for (at, letter) in group.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 || (depth == 1 && letter == ',') {
            members.push(word(group[begin..at].trim_start()));
            begin = at + 1;
        }
        if depth == 0 {
            break;
        }
    }
    members.retain(|member| !member.is_empty());
    members
}

#[test]
fn paths_are_found_in_groups_and_in_code_but_not_in_comments() {
    let source = "\
//! See `crate::host`.
use crate::{
    chain::{Chain, Sink},
    error::Error, // and not crate::agent
};
use std::{fs, io::{self, Read}};
fn f() -> $crate::hex::Hex { super::f::<crate::world::World>(a::b::c) }
";
    let found = names(source);
    let wanted = [
        "a::b",
        "crate::chain",
        "crate::error",
        "crate::hex",
        "crate::world",
        "std::fs",
        "std::io",
        "super::f",
    ];
    for name in wanted {
        assert!(found.contains(name), "`{name}` is not in {found:?}");
    }
    assert!(!found.contains("crate::host") && !found.contains("crate::agent"), "{found:?}");
}
