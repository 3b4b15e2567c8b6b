//! Calls that wait: answered by another process, wholly, in part, and wrongly.

use cepa_tests::guest;
use serde_json::Value;

use crate::pipes::bash;
use crate::rig::{Done, Place, run_in};
use crate::web::{Answer, Server};

/// A layer whose tool `remember` adds up numbers and needs a person, and a tool `deploy` that is run outside.
const MANIFEST: &str = r#"
[[middleware]]
name = "remember"
source = "remember.wasm"
grants = { state = true }

[[tool]]
name = "deploy"
description = "Brings a version into service."
parameters = { type = "object", properties = { version = { type = "string" } } }

[permissions]
ask = ["remember"]
deny = ["remember(count=666)"]
"#;

/// A session `s` that waits for these calls. The model's answer is the last result.
fn waiting(calls: &str) -> Place {
    let place = Place::new(MANIFEST).file("remember.wasm", guest!("remember")).script(&format!(
        "[[turn]]\nwhen = {{ contains = \"Go\" }}\ntool-calls = [{calls}]\n\
         [[turn]]\ntext = \"{{{{tool-result}}}}\"\nrepeat = true\n"
    ));
    place.cepa("run . Go --session s").ends_with(4);
    place
}

const ONE: &str = "{ id = \"c1\", name = \"remember\", arguments = { count = 2 } }";
const OTHER: &str = "{ id = \"c2\", name = \"remember\", arguments = { count = 3 } }";
const OUTSIDE: &str = "{ id = \"c3\", name = \"deploy\", arguments = { version = \"7\" } }";

fn resume(place: &Place, answers: &[&str]) -> Done {
    let mut args = vec!["run", ".", "--session", "s", "--resume"];
    args.extend(answers);
    run_in(place.path(), &args, b"")
}

#[test]
fn what_waits_is_said_with_how_to_go_on() {
    let place = waiting(&format!("{ONE}, {OUTSIDE}"));
    let again = place.cepa("run . again --session s").fails_with(4);
    let resumed = resume(&place, &[]).fails_with(4);
    let place = waiting(&format!("{ONE}, {OUTSIDE}"));
    let first = place.cepa("run . Go --session t").ends_with(4);
    assert_eq!(first.out, "");
    let last: String =
        first.err.lines().skip_while(|line| !line.starts_with("waiting")).collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!(format!("{last}\n---\n{}---\n{}", again.err, resumed.err));
}

#[test]
fn as_json_the_result_lists_what_waits() {
    let place = waiting(ONE);
    let done = place.cepa("--json run . Go --session t").ends_with(4);
    let last: Value = serde_json::from_str(done.out.lines().last().expect("a line")).expect("an object");
    assert_eq!((&last["outcome"], done.err.as_str()), (&"parked".into(), ""));
    insta::assert_snapshot!(last["pending"].to_string(), @r#"[{"call-id":"c1","name":"remember","arguments":"{\"count\":2}","reason":"the rule `remember` says ask","external":false}]"#);
}

#[test]
fn an_approved_call_runs() {
    let place = waiting(ONE);
    assert_eq!(resume(&place, &["--approve", "c1"]).ends_with(0).out, "so far 2\n");
    let error = resume(&place, &["--approve", "c1"]).fails_with(2).err;
    assert_eq!(error, "error: session `s` has no reply to resume\n");
}

#[test]
fn an_edited_call_runs_as_it_was_edited() {
    let place = waiting(ONE);
    let done = resume(&place, &["--edit", "c1={\"count\": 5}"]).ends_with(0);
    assert!(done.out.starts_with("so far 5\n[a person changed this call"), "{done:#?}");
}

#[test]
fn an_edited_call_is_checked_again() {
    let place = waiting(ONE);
    let done = resume(&place, &["--edit", "c1={\"count\": 666}"]).ends_with(0);
    assert!(
        done.out.starts_with("denied, so it did not run: the rule `remember(count=666)` says deny"),
        "{done:#?}"
    );
    assert_eq!(sum_after_two_more(&place), "so far 2\n", "the call that was denied added nothing");
}

/// What the session's tool adds up to once it has added 2 more.
fn sum_after_two_more(place: &Place) -> String {
    let parked = place.cepa("--json run . Go --session s").ends_with(4).out;
    let result: Value = serde_json::from_str(parked.lines().last().expect("a line")).expect("an object");
    // The session knows `c1`, so this call has another id.
    let call = result["pending"][0]["call-id"].as_str().expect("a call waits");
    resume(place, &["--approve", call]).ends_with(0).out
}

#[test]
fn a_rejected_call_does_not_run_and_the_model_learns_why() {
    let place = waiting(ONE);
    let done = resume(&place, &["--reject", "c1=too dear"]).ends_with(0);
    assert_eq!(done.out, "denied by a person, so it did not run: too dear\n");
    assert_eq!(sum_after_two_more(&place), "so far 2\n");
}

#[test]
fn part_of_the_answers_is_enough_and_no_call_runs_twice() {
    let place = waiting(&format!("{ONE}, {OTHER}"));
    let done = resume(&place, &["--approve", "c1"]).ends_with(4);
    assert_eq!(done.out, "");
    assert!(done.err.contains("< remember: so far 2\n"), "{done:#?}");
    assert!(done.err.contains("[--approve c2]") && !done.err.contains("[--approve c1]"), "{done:#?}");
    assert_eq!(resume(&place, &["--approve", "c2"]).ends_with(0).out, "so far 5\n");
}

#[test]
fn the_result_of_a_program_outside_is_handed_in() {
    let place = waiting(&format!("{ONE}, {OUTSIDE}"));
    let done = resume(&place, &["--approve", "c1", "--result", "c3=version 7 = live"]).ends_with(0);
    assert_eq!(done.out, "version 7 = live\n");
}

#[test]
fn waiting_calls_are_given_up_for_a_new_prompt() {
    let place = waiting(&format!("{ONE}, {OUTSIDE}"));
    let done = place.cepa("run . on --session s --discard").ends_with(0);
    assert!(done.out.starts_with("interrupted: the conversation went on without it"), "{done:#?}");
}

#[test]
fn an_answer_that_can_not_be_used_is_one_error_and_loses_nothing() {
    let place = waiting(&format!("{ONE}, {OUTSIDE}"));
    let errors: Vec<String> = [
        &["--approve", "c9"][..],
        &["--approve", "c1", "--approve", "c9"],
        &["--approve", "c1", "--reject", "c1"],
        &["--approve", "c3"],
        &["--result", "c1=done"],
        &["--edit", "c1={\"count\": \"two\"}"],
        &["--edit", "c1=two"],
    ]
    .into_iter()
    .map(|answers| resume(&place, answers).fails_with(2).err)
    .collect();
    insta::assert_snapshot!(errors.concat());
    let done = resume(&place, &["--approve", "c1", "--result", "c3=live"]).ends_with(0);
    assert!(done.err.contains("< remember: so far 2\n"), "{done:#?}");
}

#[test]
fn what_is_suggested_can_be_copied_whatever_the_names_are() {
    let server =
        Server::start(vec![Answer::call("call_1__AbC=;==", "deploy", "{}"), Answer::text("It is live.")]);
    let place = server.place("[[tool]]\nname = \"deploy\"\ndescription = \"deploys\"\n");
    std::fs::rename(place.path().join("cepa.toml"), place.path().join("my agent.toml")).expect("renamed");
    let parked =
        run_in(place.path(), &["run", "my agent.toml", "go", "--session=-it's $(mine)"], b"").ends_with(4);
    let between = |from: &str, to: &str| {
        let (_, rest) = parked.err.split_once(from).expect("it is suggested");
        rest.split_once(to).expect("it ends").0.to_owned()
    };
    let answer = between("[", "]").replace("TEXT", "live=yes");
    let command = between("`cepa", "`").replace("...", &answer);
    let (out, err) = bash(&place, &format!("\"$CEPA\"{command}"));
    assert_eq!(out, "It is live.\n", "{command}: {err}");
    let asked = server.asked.iter().last().expect("it was asked").to_string();
    assert!(asked.contains("\"live=yes\""), "{asked}");
}

#[test]
fn a_session_in_memory_can_not_be_answered_later() {
    let place =
        Place::new("[[tool]]\nname = \"deploy\"\ndescription = \"deploys\"\n[sessions]\nmemory = true\n")
            .script("[[turn]]\ntool-calls = [{ name = \"deploy\" }]\n");
    let done = place.cepa("run . go --session s").ends_with(4);
    assert!(
        done.err.contains("hint: `sessions.memory` keeps the session no longer than this run"),
        "{done:#?}"
    );
    assert!(!done.err.contains("--resume"), "{done:#?}");
}
