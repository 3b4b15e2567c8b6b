//! Writes a recording.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use serde::Serialize;

use crate::policy::LayerSpec;
use crate::sandbox::Component;
use crate::sandbox::crossing::Shown;

use super::header::RecordedLayer;
use super::line::Line;
use super::{Arguments, START};

/// Bytes that are kept for the line that says that there is no room for more.
const LAST_LINE: u64 = 64;

/// Writes what one layer sees into a file. Each line is written at once and whole, so that the file can be read when the
/// program was killed meanwhile.
#[derive(Debug)]
pub struct Recorder {
    writing: Mutex<Writing>,
}

/// What a recorder has written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// Calls into the layer.
    pub hook_calls: u64,
    /// Calls of the layer to the host.
    pub host_calls: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Why the recording ends before the layer did.
    pub cut: Option<String>,
}

#[derive(Debug)]
struct Writing {
    file: File,
    bytes_max: u64,
    begun: bool,
    instances: u32,
    recorded: Recorded,
}

impl Recorder {
    /// The largest recording, in bytes, unless it is said otherwise.
    pub const BYTES_MAX: u64 = 256 << 20;

    /// Makes the file, or empties the one that is there. A new one can be read by its owner alone, since it will hold a
    /// conversation.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn create(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
        let writing = Writing {
            file,
            bytes_max: Self::BYTES_MAX,
            begun: false,
            instances: 0,
            recorded: Recorded::default(),
        };
        Ok(Self { writing: Mutex::new(writing) })
    }

    /// The same, with at most so many bytes.
    #[must_use]
    pub fn bounded(mut self, bytes_max: u64) -> Self {
        self.writing.get_mut().bytes_max = bytes_max;
        self
    }

    /// What was written so far.
    pub fn recorded(&self) -> Recorded {
        self.writing.lock().recorded.clone()
    }

    /// A layer is made. Whether it is the one that is recorded: the first.
    pub(in crate::sandbox) fn begin(&self, spec: &LayerSpec, component: &Component) -> bool {
        let mut writing = self.writing.lock();
        let first = !std::mem::replace(&mut writing.begun, true);
        if first {
            writing.line(&RecordedLayer::of(spec, component).first_line());
        }
        first
    }
}

impl Writing {
    /// One line, if there is room for it. The first that does not fit ends the recording.
    fn line(&mut self, line: &impl Serialize) {
        if self.recorded.cut.is_some() {
            return;
        }
        let bytes_max = self.bytes_max;
        let text = match serde_json::to_vec(line) {
            Ok(text) => text,
            Err(error) => return self.recorded.cut = Some(error.to_string()),
        };
        if self.recorded.bytes + text.len() as u64 + LAST_LINE > bytes_max {
            let full = serde_json::to_vec(&Line::Full { bytes_max }).unwrap_or_default();
            self.put(full);
            self.recorded.cut = Some(format!("it has the {bytes_max} bytes that a recording may have"));
        } else {
            self.put(text);
        }
    }

    /// Writes a line and its end by one call of the system.
    fn put(&mut self, mut text: Vec<u8>) {
        text.push(b'\n');
        match self.file.write_all(&text) {
            Ok(()) => self.recorded.bytes += text.len() as u64,
            Err(error) => self.recorded.cut = Some(format!("it can't be written: {error}")),
        }
    }
}

/// Writes what happens in one instance.
#[derive(Clone)]
pub(in crate::sandbox) struct InstanceLog {
    recorder: Arc<Recorder>,
    instance: u32,
}

impl InstanceLog {
    /// The log of a fresh instance.
    pub(in crate::sandbox) fn new(recorder: Arc<Recorder>) -> Self {
        let instance = {
            let mut writing = recorder.writing.lock();
            writing.instances += 1;
            writing.instances - 1
        };
        Self { recorder, instance }
    }

    fn enter(&self, export: &str, arguments: Arguments<'_>) {
        let arguments = arguments.iter().map(|(_, value)| value.json()).collect();
        let mut writing = self.recorder.writing.lock();
        writing.recorded.hook_calls += u64::from(export != START);
        writing.line(&Line::Enter { instance: self.instance, export: export.to_owned(), arguments });
    }

    /// The guest calls the host.
    pub(in crate::sandbox) fn call(&self, function: String, arguments: Arguments<'_>) {
        let arguments = arguments.iter().map(|(name, value)| ((*name).to_owned(), value.json())).collect();
        let mut writing = self.recorder.writing.lock();
        writing.recorded.host_calls += 1;
        writing.line(&Line::Call { instance: self.instance, function, arguments });
    }

    /// What the host answered.
    pub(in crate::sandbox) fn answer(&self, answer: Result<&dyn Shown, &wasmtime::Error>) {
        let instance = self.instance;
        self.put(&match answer {
            Ok(value) => Line::Answer { instance, value: value.json() },
            Err(error) => Line::Trap { instance, cause: error.root_cause().to_string() },
        });
    }

    fn put(&self, line: &Line) {
        self.recorder.writing.lock().line(line);
    }
}

/// The log of an instance, and whether it is in a call.
pub(in crate::sandbox) struct OpenLog {
    pub(in crate::sandbox) log: InstanceLog,
    open: bool,
}

impl OpenLog {
    pub(in crate::sandbox) fn new(log: InstanceLog) -> Self {
        Self { log, open: false }
    }

    /// The host calls an export.
    pub(in crate::sandbox) fn enter(&mut self, export: &str, arguments: Arguments<'_>) {
        self.log.enter(export, arguments);
        self.open = true;
    }

    /// The guest answers.
    pub(in crate::sandbox) fn leave(&mut self, value: &dyn Shown) {
        self.log.put(&Line::Leave { instance: self.log.instance, value: value.json() });
        self.open = false;
    }

    /// The guest ends without an answer, unless it has answered: then it is the answer that can't be used.
    pub(in crate::sandbox) fn fault(&mut self, cause: &str) {
        if std::mem::take(&mut self.open) {
            self.log.put(&Line::Fault { instance: self.log.instance, cause: cause.to_owned() });
        }
    }
}

/// An instance that is dropped within a call is one that the host waited for no longer.
impl Drop for OpenLog {
    fn drop(&mut self) {
        if self.open {
            self.log.put(&Line::GivenUp { instance: self.log.instance });
        }
    }
}
