//! A process that is killed while it writes leaves whole batches, and loses none that it was told are kept.

use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use cepa::message::Usage;
use cepa::session::{CallState, SessionStore, SqliteSessions, Write};

use crate::sample::{append, call, reply, usage};

/// Set in the child: the file to write to.
const CHILD: &str = "CEPA_TEST_CRASH_FILE";

#[test]
fn a_killed_process_leaves_a_prefix_of_whole_batches() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    if let Some(path) = std::env::var_os(CHILD) {
        runtime.block_on(write_for_ever(Path::new(&path)));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.db");
    let mut done = 0;
    for round in 0..12 {
        let told = kill_after(&path, round * 5 % 17 + 1);
        done = runtime.block_on(verify(&path));
        assert!(done >= told, "batch {told} was confirmed, but only {done} are there");
    }
    assert!(done >= 12);
}

/// Goes on from what the file holds, and prints the number of each batch once it is kept.
async fn write_for_ever(path: &Path) {
    let store = SqliteSessions::open(path).await.unwrap();
    let start = store.load("s".into()).await.unwrap().messages.len() / 2;
    for number in start.. {
        store.write("s".into(), batch(number)).await.unwrap();
        let mut out = std::io::stdout();
        out.write_all(format!("kept {}\n", number + 1).as_bytes()).unwrap();
        out.flush().unwrap();
    }
}

fn batch(number: usize) -> Vec<Write> {
    let id = number.to_string();
    let filler = "x".repeat(number * 997 % 20_000);
    vec![
        append(&id),
        reply(&id, 0),
        Write::PutCall(call(&id, CallState::Running)),
        usage("main", Some(1)),
        append(&format!("{id} {filler}")),
    ]
}

/// Kills a child after it has confirmed some batches, while it is busy with the next; gives the last confirmed.
fn kill_after(path: &Path, batches: usize) -> usize {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::a_killed_process_leaves_a_prefix_of_whole_batches", "--nocapture"])
        .env(CHILD, path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    // The test harness prints lines of its own.
    let kept = lines.filter_map(|line| line.rsplit_once("kept ")?.1.parse().ok());
    let told = kept.take(batches).last().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    told
}

/// Checks that the file holds whole batches from the first on, and gives their number.
async fn verify(path: &Path) -> usize {
    let store = SqliteSessions::open(path).await.unwrap();
    let data = store.load("s".into()).await.unwrap();
    let done = data.messages.len() / 2;
    let expected = (0..done).flat_map(batch).filter_map(|write| match write {
        Write::Append(message) => Some(message),
        _ => None,
    });
    assert!(data.messages == expected.collect::<Vec<_>>(), "not a prefix of whole batches: {done}");
    let last = (done - 1).to_string();
    assert_eq!(data.reply.unwrap().id, last);
    assert_eq!(data.open_calls, [call(&last, CallState::Running)]);
    let count = u32::try_from(done).unwrap();
    let tokens = Usage { input_tokens: Some(count), ..Usage::default() };
    assert_eq!(data.usage, [("main".to_owned(), tokens, u64::from(count))]);
    done
}
