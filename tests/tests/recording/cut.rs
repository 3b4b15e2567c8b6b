//! Recordings that end early, are damaged, or are none.

use std::os::unix::fs::PermissionsExt as _;

use cepa::sandbox::{CONTRACT, Recording, RecordingError};
use cepa_tests::agent::{agent, model};
use cepa_tests::chain::LayerPlan;
use cepa_tests::guest;
use cepa_tests::recording::{Taken, record, record_bounded};
use proptest::prelude::*;
use proptest::sample::Index;

const ANSWERS: &str = "[[turn]]\ntext = \"Answer, in several words.\"\nrepeat = true";

async fn observed() -> Taken {
    record(agent(&model(ANSWERS)), LayerPlan::new("observe"), guest!("observe")).await
}

#[tokio::test]
async fn a_recording_has_no_more_bytes_than_it_may_and_says_where_it_ends() {
    let whole = observed().await.recorded.bytes;
    for max in [whole / 2, whole * 3 / 4] {
        let (agent, plan) = (agent(&model(ANSWERS)), LayerPlan::new("observe"));
        let taken = record_bounded(agent, plan, guest!("observe"), max).await;
        let size = taken.text().len() as u64;
        assert!(size <= max && size == taken.recorded.bytes, "{size} of {max}");
        assert!(taken.recorded.cut.as_ref().is_some_and(|cut| cut.contains(&format!("{max} bytes"))));
        let recording = Recording::open(&taken.path()).unwrap();
        assert_eq!(recording.cut(), Some(format!("it has the {max} bytes that it may have").as_str()));
        let played = taken.replay().await;
        assert_eq!((played.difference, played.calls.len()), (None, 1));
        assert!(played.calls[0].ends_with(" untold"), "{:?}", played.calls);
    }
}

#[tokio::test]
async fn a_recording_whose_program_was_killed_replays_as_far_as_it_goes() {
    let taken = observed().await;
    let (text, first) = (taken.text(), taken.text().find('\n').unwrap());
    for length in (0..text.len()).step_by(97) {
        let read = Recording::read(&text.as_bytes()[..length]);
        if length <= first {
            assert!(matches!(read, Err(RecordingError::Foreign { .. })), "{length}: {read:?}");
            continue;
        }
        let whole_lines = text.as_bytes()[length - 1] == b'\n';
        assert_eq!(read.unwrap().cut().is_none(), whole_lines, "{length}");
        taken.rewrite(&text[..length]);
        assert_eq!(taken.replay().await.difference, None, "{length}");
    }
}

#[tokio::test]
async fn only_the_owner_can_read_it() {
    let mode = std::fs::metadata(observed().await.path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

fn refusal(text: &str) -> String {
    Recording::read(text.as_bytes()).expect_err("it is refused").to_string()
}

#[tokio::test]
async fn what_is_no_recording_says_so_at_its_line() {
    let text = observed().await.text();
    let (header, rest) = text.split_once('\n').unwrap();
    let with = |lines: &[&str]| refusal(&format!("{header}\n{}\n", lines.join("\n")));
    let start = r#"{"enter":{"instance":0,"export":"start","arguments":[]}}"#;
    let leave = r#"{"leave":{"instance":0,"value":null}}"#;
    let call = r#"{"call":{"instance":0,"function":"clock.now-ms","arguments":[]}}"#;
    let answer = r#"{"answer":{"instance":0,"value":1}}"#;
    let full = r#"{"full":{"bytes-max":1}}"#;
    let refusals = [
        refusal(""),
        refusal("hello\n"),
        refusal("{}\n"),
        refusal(&text.replacen("\"cepa-recording\":1", "\"cepa-recording\":2", 1)),
        refusal(&text.replacen(CONTRACT, "cepa:middleware@0.9.0", 1)),
        refusal(rest),
        with(&["hello"]),
        with(&["{\"other\":{}}"]),
        with(&[start, ""]),
        with(&[leave]),
        with(&[start, start]),
        with(&[start, leave, start]),
        with(&[&start.replace("start", "on-reply.handle")]),
        with(&[start, answer]),
        with(&[start, call, call]),
        with(&[start, call, answer, answer]),
        with(&[full, start]),
    ];
    insta::assert_snapshot!(refusals.join("\n"), @r"
    this is no recording of Cepa: line 1: EOF while parsing a value
    this is no recording of Cepa: line 1: expected value at column 1
    this is no recording of Cepa: line 1: missing field `cepa-recording` at column 2
    the recording has the format `2`, and this program reads `1`
    the recording has the contract `cepa:middleware@0.9.0`, and this program reads `cepa:middleware@0.1.0`
    this is no recording of Cepa: line 1: missing field `cepa-recording` at column 56
    the recording is damaged: line 2: expected value at column 1
    the recording is damaged: line 2: unknown variant `other`, expected one of `enter`, `call`, `answer`, `trap`, `leave`, `fault`, `given-up`, `full` at column 8
    the recording is damaged: line 3: EOF while parsing a value
    the recording is damaged: line 2: instance 0 is in no call
    the recording is damaged: line 3: instance 0 is in a call already
    the recording is damaged: line 4: instance 0 was made before
    the recording is damaged: line 2: instance 0 was not made before
    the recording is damaged: line 3: instance 0 has asked for nothing
    the recording is damaged: line 4: instance 0 waits for the answer to its call
    the recording is damaged: line 5: instance 0 has asked for nothing
    the recording is damaged: line 3: there is nothing after the end of a full recording
    ");
}

proptest! {
    #[test]
    fn damage_is_told_and_breaks_nothing(at in any::<Index>(), byte in any::<u8>(), cut in any::<Index>()) {
        thread_local! {
            static TEXT: Vec<u8> = {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(observed()).text().into_bytes()
            };
        }
        let mut text = TEXT.with(Clone::clone);
        let length = text.len();
        text[at.index(length)] = byte;
        text.truncate(length - cut.index(length / 4));
        match Recording::read(text.as_slice()) {
            Ok(_) | Err(RecordingError::Foreign { .. } | RecordingError::Version { .. }) => {}
            Err(RecordingError::Damaged { line, .. }) => prop_assert!(line > 0),
            Err(error) => prop_assert!(false, "{error}"),
        }
    }
}
