//! A folder with a manifest, and the program that runs in it.

use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

/// How long to wait for what must come: far longer than it takes, so that it only ends tests that fail.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// The program in a folder, with what is compiled kept between the tests.
pub(crate) fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cepa"));
    command
        .current_dir(folder)
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .env("CEPA_GUEST_BUILD_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/../guests"))
        .env_remove("CEPA_LOG")
        .env_remove("CEPA_CACHE_MAX");
    command
}

/// A file or folder of the repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// What a run of the program came to.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl From<Output> for Done {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("the program writes UTF-8");
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

impl Done {
    /// Shows that it ended with this code.
    #[track_caller]
    pub(crate) fn ends_with(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    /// Shows that a terminal would show nothing but text of it: no control characters, and none that reorder text.
    #[track_caller]
    pub(crate) fn steers_no_terminal(self) -> Self {
        let steers = |char: &char| {
            char.is_control() && *char != '\n'
                || matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        let found: Vec<char> = self.out.chars().chain(self.err.chars()).filter(steers).collect();
        assert!(found.is_empty(), "{found:?} in {self:#?}");
        self
    }

    /// Shows that it ended with this code, printed nothing, and gave one error.
    #[track_caller]
    pub(crate) fn fails_with(self, code: i32) -> Self {
        let done = self.ends_with(code);
        let errors = done.err.lines().filter(|line| line.starts_with("error: ")).count();
        assert_eq!((done.out.as_str(), errors), ("", 1), "{done:#?}");
        done
    }
}

/// Runs the program in a folder with this input.
pub(crate) fn run_in(folder: &Path, args: &[&str], input: &[u8]) -> Done {
    let mut command = program(folder);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    // A program that refuses its arguments does not read.
    let _ = child.stdin.take().expect("an input").write_all(input);
    child.wait_with_output().expect("the program ends").into()
}

/// A folder with a manifest of one scripted model, which repeats what the user said.
pub(crate) struct Place(TempDir);

impl Place {
    /// With this added to the manifest.
    pub(crate) fn new(extra: &str) -> Self {
        let place = Self(tempfile::tempdir().expect("a folder"));
        let model = "[models.main]\nprovider = \"scripted\"\nscript = \"script.toml\"\n";
        place.write("cepa.toml", format!("[agent]\nname = \"a\"\nmodel = \"main\"\n{model}{extra}"));
        place.script("[[turn]]\ntext = \"got {{last-user}}\"\nrepeat = true\n")
    }

    /// The same with another script.
    pub(crate) fn script(self, script: &str) -> Self {
        self.write("script.toml", script);
        self
    }

    /// The same with a file of this content.
    pub(crate) fn file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        self.write(name, content);
        self
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path().join(name), content).expect("the folder can be written to");
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Whether there is a file or folder of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.path().join(name).exists()
    }

    /// Runs the program with these arguments, parted by blanks.
    pub(crate) fn cepa(&self, args: &str) -> Done {
        run_in(self.path(), &args.split_whitespace().collect::<Vec<_>>(), b"")
    }

    /// Starts the program, and gives it no input.
    pub(crate) fn start(&self, args: &str) -> Running {
        let mut command = program(self.path());
        command.args(args.split_whitespace()).stdin(Stdio::null());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let out = lines(child.stdout.take().expect("an output"));
        let err = lines(child.stderr.take().expect("an output"));
        Running { child, out, err }
    }
}

/// A program that runs.
pub(crate) struct Running {
    child: Child,
    pub(crate) out: Receiver<String>,
    pub(crate) err: Receiver<String>,
}

impl Running {
    /// Sends the signal that Ctrl-C sends.
    pub(crate) fn interrupt(&self) {
        let pid = i32::try_from(self.child.id()).expect("an id");
        kill(Pid::from_raw(pid), Signal::SIGINT).expect("the program runs");
    }

    /// Waits for the end, and gives what was not read yet.
    pub(crate) fn end(mut self) -> Done {
        let rest = |lines: &Receiver<String>| lines.iter().map(|line| line + "\n").collect();
        let (out, err) = (rest(&self.out), rest(&self.err));
        Done { code: self.child.wait().expect("the program ends").code(), out, err }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // After `end` it is gone; a test that failed leaves nothing behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits for the line that has this text.
#[track_caller]
pub(crate) fn wait_for(lines: &Receiver<String>, text: &str) -> String {
    loop {
        let line = lines.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no line with `{text}` came"));
        if line.contains(text) {
            return line;
        }
    }
}

fn lines(from: impl Read + Send + 'static) -> Receiver<String> {
    let (to, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(from).lines() {
            // The test may have seen enough.
            let _ = to.send(line.expect("the program writes UTF-8"));
        }
    });
    lines
}
