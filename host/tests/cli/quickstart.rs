//! The example that the README begins with.

use std::path::Path;

use serde_json::Value;

use crate::rig::{Done, repository, run_in};

fn quickstart(args: &[&str]) -> Done {
    run_in(&repository("examples/quickstart"), args, b"").ends_with(0)
}

#[test]
fn it_recovers_calls_a_tool_and_says_what_each_layer_did() {
    let done = quickstart(&["run", "."]);
    for said in ["You asked: What time is it", "place: your terminal", "1 of 2 done\n[x] look at the clock"] {
        assert!(done.out.contains(said), "no `{said}`: {}", done.out);
    }
    let attempt = "Let me look";
    assert!(!done.out.contains(attempt), "the attempt that failed is no part of the answer: {}", done.out);
    for layer in ["timing", "context", "fallback", "retry", "rate", "usage", "todo"] {
        let row = |line: &str| line.starts_with(&format!("{layer} "));
        assert!(done.err.lines().any(row), "no line of `{layer}`: {}", done.err);
    }
    assert!(done.err.contains("\nusage: run: 2 model calls, "), "{}", done.err);
}

#[test]
fn as_json_it_is_nothing_but_objects_and_ends_with_the_result() {
    let done = quickstart(&["--json", "run", "."]);
    let lines: Vec<Value> =
        done.out.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert!(lines.iter().all(|line| line.get("type").is_some_and(Value::is_string)));
    let has = |kind: &str| lines.iter().any(|line| line["type"] == kind);
    assert!(has("withdrawn") && has("tool-call-start") && has("tool-result-end"));
    assert!(lines.iter().any(|line| line["type"] == "layer-log" && line["layer"] == "retry"));
    let last = lines.last().expect("a line");
    assert_eq!((&last["type"], &last["outcome"]), (&"result".into(), &"replied".into()));
}

#[test]
fn no_path_of_the_host_reaches_the_stream() {
    let manifest = repository("examples/quickstart").display().to_string();
    let done = run_in(Path::new("/"), &["--json", "run", &manifest], b"").ends_with(0);
    assert!(!done.out.contains("quickstart/"));
}

/// What the README shows, line by line, where it does not depend on the moment.
#[test]
fn the_readme_shows_what_it_prints() {
    let readme = std::fs::read_to_string(repository("README.md")).expect("the README is there");
    let done = quickstart(&["run", "."]);
    let printed: Vec<String> =
        done.out.lines().chain(done.err.lines()).map(timeless).filter(|line| !line.is_empty()).collect();
    let (_, section) = readme.split_once("## What the quickstart shows").expect("the section is there");
    let shown = section.split("```").nth(1).expect("a block").lines().skip(1).map(timeless);
    // At a terminal the text is streamed, the attempt that fails included.
    let streamed = |line: &str| line == "Let me look at the clock, it is about";
    let missing: Vec<String> = shown
        .map(|line| line.replace("the attempt above is taken back", "an attempt is taken back"))
        .filter(|line| !line.is_empty() && line != "..." && !streamed(line))
        .filter(|line| !printed.contains(line))
        .collect();
    assert_eq!(missing, Vec::<String>::new(), "{printed:#?}");
}

/// A line with each number as `0`, so that times don't matter; weekdays go, and so do runs of blanks.
fn timeless(line: &str) -> String {
    let days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
    let mut text = String::new();
    for char in line.chars() {
        match char {
            '0'..='9' if text.ends_with('0') => {}
            '0'..='9' => text.push('0'),
            ' ' if text.ends_with(' ') => {}
            other => text.push(other),
        }
    }
    days.iter().fold(text, |text, day| text.replace(day, "a day")).trim().to_owned()
}
