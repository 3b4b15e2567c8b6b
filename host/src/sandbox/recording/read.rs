//! Reads a recording: its lines into calls of exports, each with what the guest asked of the host in it.

mod open;

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::sandbox::CONTRACT;

use super::FORMAT;
use super::error::{RecordingError, json_cause};
use super::header::{FirstLine, RecordedLayer};
use super::line::Line;
use super::recorder::Recorder;
use open::Open;

/// Bytes that are read at most: more than any recorder writes, whatever its bound.
const READ_MAX: u64 = 4 * Recorder::BYTES_MAX;

/// A recording that was read.
#[derive(Debug)]
pub struct Recording {
    layer: RecordedLayer,
    calls: Vec<ExportCall>,
    cut: Option<String>,
}

/// A call into the layer.
#[derive(Clone, Debug)]
pub(super) struct ExportCall {
    /// The line in the file, from 1.
    pub(super) line: usize,
    pub(super) instance: u32,
    pub(super) export: String,
    pub(super) arguments: Vec<Box<RawValue>>,
    /// What the guest asked of the host, in order.
    pub(super) steps: Vec<Step>,
    pub(super) end: End,
    /// Its line; 0 when it is not told.
    pub(super) end_line: usize,
}

/// A call of the guest to the host.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) line: usize,
    pub(super) function: String,
    pub(super) arguments: Vec<(String, Box<RawValue>)>,
    /// What it came to; `None` when the recording does not tell.
    pub(super) answer: Option<StepAnswer>,
}

/// What the host did.
#[derive(Clone, Debug)]
pub(super) enum StepAnswer {
    Value(Box<RawValue>),
    /// It ended the guest.
    Trap,
}

/// How a call into the layer ended.
#[derive(Clone, Debug)]
pub(super) enum End {
    Value(Box<RawValue>),
    Fault(String),
    /// The host waited no longer.
    GivenUp,
    /// The recording ends before.
    Untold,
}

impl Recording {
    /// Reads the recording of a file.
    ///
    /// # Errors
    /// When it can't be read, is no recording, or a line of it does not fit.
    pub fn open(path: &Path) -> Result<Self, RecordingError> {
        let unreadable =
            |error: std::io::Error| RecordingError::File { path: path.to_owned(), cause: error.to_string() };
        // Asked before it is opened: to open a pipe waits for its writer.
        if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
            let cause = "it is no plain file".to_owned();
            return Err(RecordingError::File { path: path.to_owned(), cause });
        }
        let file = File::open(path).map_err(unreadable)?;
        Self::read(BufReader::new(file)).map_err(|error| match error {
            RecordingError::File { cause, .. } => RecordingError::File { path: path.to_owned(), cause },
            error => error,
        })
    }

    /// Reads a recording. The last line may be incomplete: then its program was ended while it wrote.
    ///
    /// # Errors
    /// As for [`Recording::open`].
    pub fn read(from: impl BufRead) -> Result<Self, RecordingError> {
        let mut lines = Lines { from: from.take(READ_MAX), number: 0, incomplete: false };
        let first = lines.next()?.unwrap_or_default();
        let layer = header(&first)?;
        let mut open = Open::default();
        let mut cut = None;
        while let Some(text) = lines.next()? {
            if cut.is_some() {
                return Err(lines.damaged("there is nothing after the end of a full recording"));
            }
            let line: Line =
                serde_json::from_slice(&text).map_err(|error| lines.damaged(json_cause(&error)))?;
            if let Line::Full { bytes_max } = line {
                cut = Some(format!("it has the {bytes_max} bytes that it may have"));
            } else {
                open.take(lines.number, line).map_err(|cause| lines.damaged(cause))?;
            }
        }
        if lines.incomplete {
            cut = Some(format!("line {} is incomplete", lines.number + 1));
        }
        Ok(Self { layer, calls: open.calls, cut })
    }

    /// The layer that was recorded.
    pub fn layer(&self) -> &RecordedLayer {
        &self.layer
    }

    /// Why the recording ends before the layer did.
    pub fn cut(&self) -> Option<&str> {
        self.cut.as_deref()
    }

    pub(super) fn calls(&self) -> &[ExportCall] {
        &self.calls
    }
}

/// The lines of a recording.
struct Lines<R> {
    from: std::io::Take<R>,
    /// The line that was read last, from 1.
    number: usize,
    /// Whether the text ended within a line.
    incomplete: bool,
}

impl<R: BufRead> Lines<R> {
    /// The next whole line, without its end.
    fn next(&mut self) -> Result<Option<Vec<u8>>, RecordingError> {
        let mut text = Vec::new();
        self.from.read_until(b'\n', &mut text).map_err(|error| RecordingError::File {
            path: std::path::PathBuf::new(),
            cause: error.to_string(),
        })?;
        if self.from.limit() == 0 {
            return Err(RecordingError::Large { bytes_max: READ_MAX });
        }
        if text.pop_if(|last| *last == b'\n').is_none() {
            self.incomplete = !text.is_empty();
            // A first line without an end is no less to look at: it says what the file is.
            return Ok((self.number == 0 && self.incomplete).then_some(text));
        }
        self.number += 1;
        Ok(Some(text))
    }

    fn damaged(&self, cause: impl std::fmt::Display) -> RecordingError {
        RecordingError::Damaged { line: self.number, cause: cause.to_string() }
    }
}

/// The format alone, which is read first: what else there is depends on it.
#[derive(Deserialize)]
struct Format {}

fn header(text: &[u8]) -> Result<RecordedLayer, RecordingError> {
    let foreign = |error: serde_json::Error| RecordingError::Foreign { cause: json_cause(&error) };
    let first: FirstLine<Format> = serde_json::from_slice(text).map_err(foreign)?;
    let version = |what, recorded: &str, offered: &str| RecordingError::Version {
        what,
        recorded: recorded.to_owned(),
        offered: offered.to_owned(),
    };
    if first.format != FORMAT {
        return Err(version("format", &first.format.to_string(), &FORMAT.to_string()));
    }
    let first: FirstLine<RecordedLayer> = serde_json::from_slice(text).map_err(foreign)?;
    if first.layer.contract != CONTRACT {
        return Err(version("contract", &first.layer.contract, CONTRACT));
    }
    Ok(first.layer)
}
