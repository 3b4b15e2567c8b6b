//! Components of one vice each. The host survives each of them, other layers and other sessions are untouched, the
//! next reply works, and the operator is told the cause.

mod crafted;
mod network;
mod promises;
mod row;

use std::time::Duration;

use cepa::policy::{Access, Grants, Limits};
use cepa_tests::guest;
use serde_json::json;

use row::{Row, hold};

/// One test for each row, by its name.
macro_rules! rows {
    ($($name:ident: $row:expr;)+) => {
        /// The names of the rows, for the table of promises.
        pub(crate) const ROWS: &[&str] = &[$(stringify!($name)),+];

        $(#[tokio::test]
        async fn $name() {
            hold($row).await;
        })+
    };
}

fn a_little_time(limits: &mut Limits) {
    limits.cpu = Duration::from_millis(40);
}

fn state() -> Grants {
    Grants { state: true, ..Grants::default() }
}

fn telemetry() -> Grants {
    Grants { telemetry: true, ..Grants::default() }
}

const ANSWERS: &str = "[[turn]]\ntext = \"Answer.\"\nchunks = 2\nrepeat = true";

const CALLS_AGAIN: &str = r#"
[[turn]]
tool-calls = [{ id = "c1", name = "again" }]

[[turn]]
text = "Seen: {{tool-result}}"

[[turn]]
tool-calls = [{ id = "c2", name = "again" }]

[[turn]]
text = "Seen: {{tool-result}}"
"#;

const CALLS_LOOK: &str = r#"
[[turn]]
tool-calls = [{ id = "c1", name = "look" }]

[[turn]]
text = "Answer."

[[turn]]
tool-calls = [{ id = "c2", name = "look" }]

[[turn]]
text = "Answer."
"#;

rows! {
    spins: Row::new(guest!("spin")).limits(a_little_time)
        .faults("on-model-call", &["limit `cpu` reached: 4", " ms of 40 ms allowed"]);

    spins_inside_one_instruction: Row::new(guest!("fill")).limits(a_little_time)
        .faults("on-model-call", &["limit `cpu` reached: 4", " ms of 40 ms allowed"]);

    sleeps_in_the_host: Row::new(guest!("nap")).limits(|limits| limits.wall = Duration::from_millis(50))
        .faults("on-model-call", &["limit `wall` reached: ", " ms of 50 ms allowed"]);

    grows_one_memory: Row::new(guest!("hoard")).limits(|limits| limits.memory = 8 << 20)
        .faults("on-model-call", &["limit `memory` reached: ", " of 8388608 bytes allowed"]);

    grows_many_memories: Row::new(&crafted::grows_memories(8)).limits(|limits| limits.memory = 8 << 20)
        .faults("on-system-prompt", &["limit `memory` reached: ", " of 8388608 bytes allowed"]);

    grows_a_table: Row::new(&crafted::grows_a_table()).limits(|limits| limits.tables = 10_000)
        .faults("on-system-prompt", &["limit `tables` reached: ", " of 10000 elements allowed"]);

    holds_handles: Row::new(guest!("hold-handles")).limits(|limits| limits.handles = 100)
        .faults("on-model-call", &["limit `handles` reached: over 100 of 100 allowed"]);

    recurses: Row::new(guest!("recurse"))
        .faults("on-model-call", &["limit `stack` reached: over 524288 bytes of 524288 bytes allowed"]);

    traps: Row::new(guest!("trap"))
        .faults("on-model-call", &["the guest gave up (trap `unreachable`)"]);

    panics: Row::new(guest!("panic"))
        .faults("on-model-call", &["the sky fell on 1 messages"])
        .says("the sky fell on 1 messages");

    claims_a_length: Row::new(guest!("claim"))
        .faults("on-model-call", &["string pointer/length out of bounds of memory"]);

    sends_one_text_ten_thousand_times_in_a_list: Row::new(guest!("amplify"))
        .faults("on-model-call", &["limit `payload` reached: over 16777216 bytes of 16777216 bytes allowed"]);

    sends_what_is_no_text: Row::new(guest!("garble"))
        .faults("on-model-call", &["invalid utf-8"]);

    sends_what_is_malformed: Row::new(guest!("malform"))
        .grants(Grants { conversation: Access::Write, models: vec!["*".into()], tools: vec!["*".into()], ..state() })
        .works("Answer.");

    sends_events_without_end: Row::new(guest!("flood")).config(json!({ "bytes": 0 }))
        .limits(|limits| limits.events = 500)
        .faults("on-model-call", &["limit `events` reached: 501 of 500 allowed"]);

    sends_large_events_without_end: Row::new(guest!("flood")).config(json!({ "bytes": 9_993 }))
        .limits(|limits| limits.event_bytes = 1_000_000)
        .faults("on-model-call", &["limit `event-bytes` reached: 1010000 bytes of 1000000 bytes allowed"]);

    makes_many_events_of_a_few: Row::new(guest!("multiply")).limits(|limits| limits.events = 500)
        .faults("on-events", &["limit `events` reached: 1000 of 500 allowed"]);

    logs_without_end: Row::new(guest!("chatter")).limits(|limits| limits.log = 1_000)
        .says("limit `log` reached: 1100 of 1000 bytes allowed; further lines of this reply are dropped")
        .works("Answer.");

    prints_without_end: Row::new(guest!("wasi-print")).limits(|limits| limits.log = 1_000)
        .says("limit `log` reached: 1100 of 1000 bytes allowed; further lines of this reply are dropped")
        .works("Answer.");

    keeps_state_without_end: Row::new(guest!("litter")).grants(state()).limits(|limits| limits.state = 100_000)
        .says("limit `state` reached: 100195 bytes of 100000 bytes allowed")
        .works("Answer.");

    writes_files_without_end: Row::new(guest!("litter-files")).config(json!({ "bytes": 1_000 })).files()
        .limits(|limits| limits.workspace_bytes = 50_000)
        .says("`work/999` has no room: limit `workspace-bytes` of its mount reached: 51000 of 50000 allowed")
        .works("Answer.");

    writes_empty_files_without_end: Row::new(guest!("litter-files")).config(json!({ "bytes": 0 })).files()
        .limits(|limits| limits.workspace_files = 50)
        .says("`work/999` has no room: limit `workspace-files` of its mount reached: 51 of 50 allowed")
        .works("Answer.");

    keeps_documents_without_end: Row::new(guest!("litter-index"))
        .grants(Grants { index: true, ..Grants::default() })
        .limits(|limits| limits.index = 50_000)
        .says("limit `index` reached: 50196 bytes of 50000 bytes allowed")
        .works("Answer.");

    runs_agents_without_end: Row::new(guest!("delegate-endlessly"))
        .grants(Grants { agents: vec!["helper".into()], ..Grants::default() })
        .limits(|limits| limits.agent_runs = 3)
        .says("3 answered; limit `agent-runs` reached: 4 of 3 allowed")
        .says("0 answered; limit `agent-runs` reached: 4 of 3 allowed")
        .works("Answer.");

    lets_a_thread_grow_without_end: Row::new(guest!("swell"))
        .grants(Grants { agents: vec!["helper".into()], ..Grants::default() })
        .says("4 answered; thread-bytes")
        .works("Answer.");

    measures_without_end: Row::new(guest!("litter-telemetry")).config(json!({ "bytes": 0 })).grants(telemetry())
        .limits(|limits| limits.telemetry_records = 50)
        .says("limit `telemetry-records` reached: 51 of 50 allowed")
        .works("Answer.");

    measures_large_things_without_end: Row::new(guest!("litter-telemetry")).config(json!({ "bytes": 924 }))
        .grants(telemetry())
        .limits(|limits| limits.telemetry_bytes = 10_000)
        .says("limit `telemetry-bytes` reached: 11000 bytes of 10000 bytes allowed")
        .works("Answer.");

    runs_next_a_million_times: Row::new(guest!("million")).limits(|limits| limits.host_calls = 10_000)
        .says("limit `next-runs` reached: 17 of 16 allowed")
        .faults("on-model-call", &["limit `host-calls` reached: 10001 of 10000 allowed"]);

    calls_the_host_without_end: Row::new(guest!("nag")).limits(|limits| limits.host_calls = 10_000)
        .faults("on-model-call", &["limit `host-calls` reached: 10001 of 10000 allowed"]);

    hands_over_without_end: Row::new(guest!("haul")).limits(|limits| limits.bytes_copied = 1 << 20)
        .faults("on-model-call", &["limit `bytes-copied` reached: ", " bytes of 1048576 bytes allowed"]);

    keeps_answers_without_end: Row::new(guest!("collect"))
        .grants(Grants { tools: vec!["much".into()], ..Grants::default() })
        .limits(|limits| limits.bytes_copied = 8 << 20)
        .faults("on-model-call", &["limit `bytes-copied` reached: ", " bytes of 8388608 bytes allowed"]);

    copies_what_it_shares_without_end: Row::new(guest!("fork")).limits(|limits| limits.bytes_copied = 8 << 20)
        .faults("on-model-call", &["limit `bytes-copied` reached: ", " bytes of 8388608 bytes allowed"]);

    sends_json_that_grows_when_it_is_parsed: Row::new(guest!("inflate"))
        .faults("on-model-call", &["limit `bytes-copied` reached: ", " bytes of 134217728 bytes allowed"]);

    sets_schemas_that_take_long: Row::new(guest!("schemes"))
        .says("long: limit `schema-bytes` reached: 65537 of 65536 allowed")
        .says("many: limit `schema-patterns` reached: 257 of 256 allowed")
        .says("deep: the schema is no JSON Schema: ")
        .says("tools: limit `schemas-bytes` reached: 1114112 of 1048576 allowed")
        .says("fewer tools: taken")
        .says("the tools that there were: taken")
        .says("no schema: taken")
        .works("Answer.");

    keeps_handles_past_their_call: Row::new(guest!("keep-handles")).script(CALLS_LOOK).works("Answer.");

    uses_a_handle_twice: Row::new(guest!("reuse"))
        .faults("on-model-call", &["unknown handle index"]);

    is_called_while_it_is_called: Row::new(guest!("call-back"))
        .grants(Grants { tools: vec!["again".into()], ..Grants::default() })
        .script(CALLS_AGAIN)
        .works("Seen: limit `nested-tool-calls` reached: 9 of 8 allowed");

    returns_before_the_stream_ends: Row::new(guest!("leave-early")).works("left after 1 events");

    breaks_off_in_the_middle: Row::new(guest!("break-off"))
        .faults("on-model-call", &["broken off on purpose"]);

    never_drains_the_stream: Row::new(guest!("never-drain"))
        .limits(|limits| limits.wall = Duration::from_millis(50))
        .faults("on-model-call", &["limit `wall` reached: ", " ms of 50 ms allowed"]);

    drops_next: Row::new(guest!("drop-next")).works("My own answer.");

    writes_in_anothers_name: Row::new(guest!("impersonate"))
        .says("outer: all is well")
        .denied(&[("tools", "outer"), ("state", "")])
        .works("Answer.");

    ends_the_process: Row::new(guest!("wasi-exit"))
        .faults("on-model-call", &["the guest ended itself with exit code 1"]);

    wanders_about_the_network: Row::new(guest!("wander"))
        .config(json!({ "urls": [
            "http://169.254.169.254/latest/meta-data/",
            "http://[fd00:ec2::254]/",
            "http://2852039166/",
            "http://0x7f.1/",
            "http://[::ffff:127.0.0.1]/",
            "http://localhost/",
            "http://[fe80::1%25eth0]/",
            "file:///etc/passwd",
            "http://example.test@169.254.169.254/",
        ] }))
        .grants(Grants { http: vec!["http://*".parse().expect("a rule")], ..Grants::default() })
        .says("file:///etc/passwd: ErrorKind::InvalidInput")
        .says("http://example.test@169.254.169.254/: ErrorKind::InvalidInput")
        .denied(&[
            ("http", "GET http://169.254.169.254/latest/meta-data/"),
            ("http", "GET http://[fd00:ec2::254]/"),
            ("http", "GET http://169.254.169.254/"),
            ("http", "GET http://127.0.0.1/"),
            ("http", "GET http://[::ffff:7f00:1]/"),
            ("http", "localhost, a loopback address"),
        ])
        .works("Answer.");

    looks_through_the_machine: Row::new(guest!("wasi-pry"))
        .says("environment: []")
        .says("arguments: []")
        .says("folder: None")
        .says("folders: 0")
        .says("clock: true")
        .says("tcp: Err(\"access-denied\")")
        .says("udp: Err(\"access-denied\")")
        .says("localhost: Err(\"permanent-resolver-failure\")")
        .says("169.254.169.254: Err(\"permanent-resolver-failure\")")
        .says("chance: 65536")
        .faults("on-model-call", &["requested len 65537 exceeds limit 65536"]);
}

#[tokio::test]
async fn is_too_large_from_its_start() {
    let large = crafted::begins_with_memory(2_000);
    let refused = cepa_tests::chain::sandbox().load("large.wasm", large).await;
    let Err(error) = refused else { panic!("it was loaded") };
    let error = error.to_string();
    assert!(error.starts_with("`large.wasm` fails at its start: limit `memory` reached: "), "{error}");
}

#[tokio::test]
async fn what_is_malformed_is_answered_and_not_taken() {
    let row = Row::new(guest!("malform")).grants(Grants {
        conversation: Access::Write,
        models: vec!["*".into()],
        tools: vec!["*".into()],
        ..Grants::default()
    });
    insta::assert_snapshot!(row::attack(&row).await.log());
}
