//! The program of a stdio server.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::McpError;
use super::bounded::BoundedLines;

/// What a server sees of the host's environment.
const PASSED: [&str; 3] = ["PATH", "HOME", "LANG"];
/// How long a server may take to leave once its input is closed.
const LEAVE: Duration = Duration::from_millis(500);
/// How long after its output ended the end of a program is waited for.
const ENDING: Duration = Duration::from_secs(2);
/// The longest piece of a server's error output that is logged as one line.
const LOG_LINE_BYTES: usize = 4096;

/// A program that is ended when this is dropped.
pub(super) struct Process {
    /// How it ended, once it has.
    end: watch::Receiver<Option<String>>,
    /// What the host stopped it for.
    verdict: Arc<OnceLock<String>>,
    _leave: DropGuard,
}

/// The two ends to talk to a program.
pub(super) type Pipes = (BoundedLines<ChildStdout>, ChildStdin);

impl Process {
    /// Starts the program of a server.
    pub(super) fn start(
        server: &str,
        command: &str,
        args: &[String],
        env: &BTreeMap<String, String>,
        cwd: Option<&PathBuf>,
    ) -> Result<(Self, Pipes), McpError> {
        let failed =
            |cause: String| McpError::Spawn { server: server.to_owned(), command: command.to_owned(), cause };
        let mut child =
            prepare(command, args, env, cwd).spawn().map_err(|error| failed(error.to_string()))?;
        let (Some(input), Some(output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(failed("it has no pipes".to_owned()));
        };
        tokio::spawn(log(server.to_owned(), errors));
        let leave = CancellationToken::new();
        let (ended, end) = watch::channel(None);
        tokio::spawn(watch_over(child, leave.clone(), ended));
        let verdict = Arc::default();
        let output = BoundedLines::new(output, Arc::clone(&verdict));
        Ok((Self { end, verdict, _leave: leave.drop_guard() }, (output, input)))
    }

    /// How the program ended, after its output did.
    pub(super) async fn how_it_ended(&self) -> String {
        if let Some(verdict) = self.verdict.get() {
            return verdict.clone();
        }
        let mut end = self.end.clone();
        let ended = tokio::time::timeout(ENDING, end.wait_for(Option::is_some)).await;
        match ended {
            Ok(Ok(end)) => end.clone().unwrap_or_default(),
            _ => "closed its output".to_owned(),
        }
    }
}

fn prepare(command: &str, args: &[String], env: &BTreeMap<String, String>, cwd: Option<&PathBuf>) -> Command {
    let mut program = Command::new(command);
    program.args(args).env_clear();
    program.envs(PASSED.iter().filter_map(|name| Some((name, std::env::var_os(name)?)))).envs(env);
    program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    if let Some(cwd) = cwd {
        program.current_dir(cwd);
    }
    // Ctrl-C at the terminal is for the host, which then ends its servers itself, each with its group.
    program.process_group(0);
    program
}

/// Waits for the end of a program, and ends it when it is no longer wanted. What it has started ends with it.
async fn watch_over(mut child: Child, leave: CancellationToken, ended: watch::Sender<Option<String>>) {
    let group = Group::of(&child);
    let status = tokio::select! {
        status = child.wait() => status,
        () = leave.cancelled() => match tokio::time::timeout(LEAVE, child.wait()).await {
            Ok(status) => status,
            Err(_) => {
                group.kill();
                // An error here means that it has ended in this very moment.
                child.kill().await.and(child.wait().await)
            }
        },
    };
    drop(group);
    let how = match status {
        Ok(status) => format!("ended ({status})"),
        Err(error) => format!("ended ({error})"),
    };
    ended.send_replace(Some(how));
}

/// The processes that a program has started and that stayed in its group. They end when this is dropped.
struct Group {
    leader: Option<Pid>,
}

impl Group {
    fn of(child: &Child) -> Self {
        Self { leader: child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw) }
    }

    /// Ends all of them. The group keeps its number while anyone is in it, also after its leader, and an empty one is
    /// no error.
    fn kill(&self) {
        if let Some(leader) = self.leader {
            let _ = killpg(leader, Signal::SIGKILL);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Passes a server's error output on to the log, line by line.
async fn log(server: String, mut errors: impl AsyncRead + Unpin) {
    let mut line = Vec::new();
    let mut chunk = [0; 1024];
    while let Ok(read) = errors.read(&mut chunk).await {
        let fresh = chunk.get(..read).unwrap_or_default();
        for byte in fresh {
            if *byte == b'\n' || line.len() >= LOG_LINE_BYTES {
                write_line(&server, &mut line);
            }
            if *byte != b'\n' {
                line.push(*byte);
            }
        }
        if fresh.is_empty() {
            break;
        }
    }
    write_line(&server, &mut line);
}

fn write_line(server: &str, line: &mut Vec<u8>) {
    let text = String::from_utf8_lossy(line);
    if !text.trim().is_empty() {
        tracing::info!(server, "{}", text.trim_end());
    }
    line.clear();
}
