//! Transcripts of a project: read, written down, compared.

use std::fs;
use std::path::{Path, PathBuf};

use cepa::conformance::{Check, Judged, Kit, Transcript, Verdict};
use cepa_tests::guest;
use cepa_tests::in_time;
use serde_json::json;
use tempfile::TempDir;

use crate::rig::{one, subject};

const GREETING: &str = r#"
prompt = ["Hello", "And what is it?"]

[[turn]]
tool-calls = [{ name = "kit_look", arguments = { at = "the sky" } }]

[[turn]]
text = "I saw {{tool-result}}."

[[turn]]
text = "{{system}}"
"#;

/// A project with one transcript.
fn project() -> TempDir {
    let project = tempfile::tempdir().unwrap();
    fs::create_dir(project.path().join("transcripts")).unwrap();
    fs::write(project.path().join("transcripts/greeting.toml"), GREETING).unwrap();
    project
}

fn golden(project: &Path) -> PathBuf {
    project.join("transcripts/greeting.txt")
}

async fn check(project: &Path, update: bool) -> Judged {
    let transcripts = Transcript::of_project(project).unwrap();
    let subject = subject("prompt", guest!("prompt"), json!({})).await.transcripts(transcripts);
    in_time(Kit::new(subject).updating(update).check(Check::Transcripts)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_happens_is_written_down_and_compared() {
    let project = project();
    let missing = check(project.path(), false).await;
    assert_eq!(missing.verdict, Verdict::Fail);
    assert!(missing.said.contains("`greeting` is not written down yet"), "{missing:?}");

    let written = check(project.path(), true).await;
    assert_eq!(written.said, "1 of the project, 1 written anew");
    insta::assert_snapshot!(fs::read_to_string(golden(project.path())).unwrap());
    assert_eq!(check(project.path(), false).await.said, "1 of the project, as written down");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_difference_is_shown_in_lines() {
    let project = project();
    check(project.path(), true).await;
    let text = fs::read_to_string(golden(project.path())).unwrap().replace("the sky", "the sea");
    fs::write(golden(project.path()), text).unwrap();
    let judged = check(project.path(), false).await;
    assert_eq!(judged.verdict, Verdict::Fail);
    insta::assert_snapshot!(judged.findings[0].seen);
}

#[test]
fn a_transcript_that_can_not_be_used_is_said_with_its_line() {
    let says = |text: &str| Transcript::parse("odd", text).unwrap_err().to_string();
    assert!(says("prompt = \"x\"\nturns = 1\n").contains("unknown field `turns`"));
    assert!(says("prompt = \"x\"\n[[turn]]\ntext = \"{{nothing}}\"\n").contains("turn 1 (line 2)"));
    assert!(says("prompt = []\n").contains("has no prompt"));
    assert!(says("prompt = 1\n").contains("expected a text or a list of texts"));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_any_those_of_the_kit_are_played_twice() {
    let judged = one(subject("prompt", guest!("prompt"), json!({})).await, Check::Transcripts).await;
    assert_eq!(judged.said, "2 of the kit, the same twice");
}
