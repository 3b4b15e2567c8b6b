//! The program as its users meet it: what it prints where, and how it ends.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// Runs the program in a folder, with compiled components kept between the tests.
fn cepa(folder: &Path, args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_cepa"))
        .args(args)
        .current_dir(folder)
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .env_remove("CEPA_LOG")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A program that refuses its arguments does not read.
    let _ = child.stdin.take().expect("an input").write_all(input);
    child.wait_with_output().expect("the program ends")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the program writes UTF-8")
}

fn quickstart() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/quickstart")
}

/// A folder with a manifest of one scripted model, and what is added.
fn folder(extra: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let manifest = format!(
        "[agent]\nname = \"a\"\nmodel = \"main\"\n[models.main]\nprovider = \"scripted\"\nscript = \"script.toml\"\n{extra}"
    );
    std::fs::write(folder.path().join("cepa.toml"), manifest).expect("written");
    std::fs::write(
        folder.path().join("script.toml"),
        "[[turn]]\ntext = \"got {{last-user}}\"\nrepeat = true\n",
    )
    .expect("written");
    folder
}

/// Exit code, standard output and standard error of a run in such a folder.
fn outcome(extra: &str, args: &[&str]) -> (Option<i32>, String, String) {
    let folder = folder(extra);
    let output = cepa(folder.path(), args, b"");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn the_quickstart_recovers_and_says_what_each_layer_did() {
    let output = cepa(&quickstart(), &["run", "."], b"");
    let (answer, rest) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{rest}");
    assert!(answer.contains("I am the backup model") && answer.contains("place: your terminal"), "{answer}");
    assert!(
        !answer.contains("Let me look"),
        "the attempt that failed must not be part of the answer: {answer}"
    );
    for layer in ["timing", "context", "fallback", "retry", "rate", "usage"] {
        assert!(
            rest.lines().any(|line| line.starts_with(&format!("{layer} "))),
            "no line of `{layer}`: {rest}"
        );
    }
}

#[test]
fn json_is_nothing_but_objects_and_ends_with_the_result() {
    let output = cepa(&quickstart(), &["--json", "run", "."], b"");
    let lines: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert!(lines.iter().all(|line| line.get("type").is_some_and(Value::is_string)));
    assert!(lines.iter().any(|line| line["type"] == "withdrawn"));
    assert!(lines.iter().any(|line| line["type"] == "layer-log" && line["layer"] == "retry"));
    let last = lines.last().expect("a line");
    assert_eq!((&last["type"], &last["outcome"]), (&"result".into(), &"replied".into()));
}

#[test]
fn no_path_of_the_host_reaches_the_stream() {
    let output = cepa(Path::new("/"), &["--json", "run", &quickstart().display().to_string()], b"");
    assert_eq!(output.status.code(), Some(0));
    assert!(!text(&output.stdout).contains("quickstart/"));
}

#[test]
fn check_shows_layers_and_writes_nothing() {
    let folder = folder("[[middleware]]\nname = \"t\"\nsource = \"bundled:timing\"\n");
    let output = cepa(folder.path(), &["check", "."], b"");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("bundled:timing  on-reply on-model-call on-acting"));
    assert!(!folder.path().join(".cepa").exists());
}

#[test]
fn a_configuration_that_does_not_fit_is_shown_at_its_place() {
    let (code, _, error) = outcome(
        "[[middleware]]\nname = \"r\"\nsource = \"bundled:model-retry\"\nconfig = { max-retries = \"many\" }\n",
        &["check", "."],
    );
    assert_eq!(code, Some(65));
    insta::assert_snapshot!(error);
}

#[test]
fn prompts_come_from_the_arguments_or_the_input() {
    let folder = folder("");
    assert_eq!(text(&cepa(folder.path(), &["-q", "run", ".", "one"], b"").stdout), "got one\n");
    assert_eq!(text(&cepa(folder.path(), &["-q", "run", ".", "-"], b"two").stdout), "got two\n");
    let errors = [&["run", "."][..], &["run", ".", " "], &["run", ".", "-"]].map(|args| {
        let output = cepa(folder.path(), args, b"\n");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{args:?}");
        text(&output.stderr)
    });
    insta::assert_snapshot!(errors.join("\n"));
}

#[test]
fn a_prompt_that_is_too_large_is_one_error_and_the_next_run_works() {
    let folder = folder("");
    let output = cepa(folder.path(), &["run", ".", "-"], &vec![b'a'; 10 << 20]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(text(&output.stderr), "error: the prompt is larger than the 4194304 bytes allowed\n");
    assert_eq!(cepa(folder.path(), &["run", ".", "hello"], b"").status.code(), Some(0));
}

#[test]
fn a_manifest_with_mistakes_ends_with_64() {
    let (code, out, error) = outcome("[agnet]\n", &["run", ".", "hello"]);
    assert_eq!((code, out.as_str()), (Some(64), ""));
    assert!(error.contains("did you mean `agent`?"), "{error}");
}

#[test]
fn files_that_are_no_component_end_with_65() {
    for content in [&b""[..], b"\0asm", b"\0asm\x01\0\0\0", b"text", b"\0asm\x0d\0\x01\0\xff\xff"] {
        let folder = folder("[[middleware]]\nname = \"x\"\nsource = \"x.wasm\"\n");
        std::fs::write(folder.path().join("x.wasm"), content).expect("written");
        let output = cepa(folder.path(), &["run", ".", "hello"], b"");
        assert_eq!(output.status.code(), Some(65), "{content:?}");
        assert!(text(&output.stderr).contains("source = \"x.wasm\""), "{}", text(&output.stderr));
        assert_eq!(cepa(folder.path(), &["inspect", "x.wasm"], b"").status.code(), Some(65));
    }
}

#[test]
fn a_damaged_session_file_ends_with_66_and_stays_as_it_is() {
    let folder = folder("[sessions]\npath = \"s.db\"\n");
    let file = folder.path().join("s.db");
    std::fs::write(&file, "this is no database at all, and that is the point of it").expect("written");
    let output = cepa(folder.path(), &["run", ".", "hello"], b"");
    assert_eq!(output.status.code(), Some(66), "{}", text(&output.stderr));
    assert!(std::fs::read_to_string(&file).is_ok_and(|text| text.starts_with("this is no database")));
}

#[test]
fn a_model_that_fails_ends_with_3() {
    let folder = folder("");
    std::fs::write(folder.path().join("script.toml"), "[[turn]]\nerror = { kind = \"overloaded\" }\n")
        .expect("written");
    let output = cepa(folder.path(), &["run", ".", "hello"], b"");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(3), 0));
    assert!(text(&output.stderr).starts_with("error: the reply failed\n"), "{}", text(&output.stderr));
}

#[test]
fn a_session_goes_on_where_it_was() {
    let folder = folder("");
    for prompt in ["one", "two"] {
        let output = cepa(folder.path(), &["run", ".", prompt, "--session", "s"], b"");
        assert_eq!(output.status.code(), Some(0));
    }
    let resumed = cepa(folder.path(), &["run", ".", "--session", "s", "--resume"], b"");
    assert_eq!(resumed.status.code(), Some(2));
    assert!(text(&resumed.stderr).contains("session `s` has no reply to resume"));
}
