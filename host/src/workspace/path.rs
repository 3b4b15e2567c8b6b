//! What a guest's path may look like: `mount/folder/name`, with names that mean the same on every system.
//!
//! Refused everywhere, so that what works on one system does not mean something else on another: `.` and `..`, a slash
//! at an end, empty names, NUL and other control characters, `\` and `:`, names that end in a dot or a space, and those
//! of Windows' devices in any case, whatever follows their first dot. Whether `A` and `a` are one file is the file
//! system's to say; the names of mounts are exact.

/// Bytes of a path.
pub const PATH_BYTES_MAX: usize = 1024;

/// Bytes of one name in it.
pub const NAME_BYTES_MAX: usize = 255;

/// Windows' devices. `COM` and `LPT` stand with a digit behind them.
const DEVICES: [&str; 7] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"];

/// A path taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Parts<'p> {
    pub(super) mount: &'p str,
    /// What follows the mount's name and its slash; empty for the mount itself.
    pub(super) below: &'p str,
}

/// Why a path can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathProblem {
    /// There is nothing.
    #[error("it is empty; a path begins with the name of a mount")]
    Empty,
    /// More bytes than a path may have.
    #[error("it has {0} bytes, and {PATH_BYTES_MAX} are allowed")]
    Long(usize),
    /// A slash at the begin.
    #[error("it is absolute; a path begins with the name of a mount")]
    Absolute,
    /// A slash at the end.
    #[error("it ends in a slash")]
    Slash,
    /// Two slashes in a row.
    #[error("it has an empty name")]
    EmptyName,
    /// `.` or `..`.
    #[error("it has a name of dots alone")]
    Dots,
    /// More bytes than a name may have.
    #[error("a name in it has {0} bytes, and {NAME_BYTES_MAX} are allowed")]
    LongName(usize),
    /// A character that is no part of a name somewhere.
    #[error("it has {0:?}, which can't be part of a name on every system")]
    Character(char),
    /// A dot or a space at the end of a name.
    #[error("a name in it ends in a dot or a space, which some systems drop")]
    End,
    /// A name that is a device somewhere.
    #[error("`{0}` is a device on some systems")]
    Device(String),
}

/// Takes a path apart.
pub(super) fn parse(path: &str) -> Result<Parts<'_>, PathProblem> {
    if path.is_empty() {
        return Err(PathProblem::Empty);
    }
    if path.len() > PATH_BYTES_MAX {
        return Err(PathProblem::Long(path.len()));
    }
    if path.starts_with('/') {
        return Err(PathProblem::Absolute);
    }
    if path.ends_with('/') {
        return Err(PathProblem::Slash);
    }
    path.split('/').try_for_each(check_name)?;
    let (mount, below) = path.split_once('/').unwrap_or((path, ""));
    Ok(Parts { mount, below })
}

/// Whether a name will do, of a mount or of a file.
///
/// # Errors
/// Why it does not.
pub fn check_name(name: &str) -> Result<(), PathProblem> {
    if name.is_empty() {
        return Err(PathProblem::EmptyName);
    }
    if name.len() > NAME_BYTES_MAX {
        return Err(PathProblem::LongName(name.len()));
    }
    if name.bytes().all(|byte| byte == b'.') {
        return Err(PathProblem::Dots);
    }
    let foreign = |char: &char| char.is_control() || matches!(char, '/' | '\\' | ':');
    if let Some(char) = name.chars().find(foreign) {
        return Err(PathProblem::Character(char));
    }
    if name.ends_with(['.', ' ']) {
        return Err(PathProblem::End);
    }
    if is_device(name) { Err(PathProblem::Device(name.to_owned())) } else { Ok(()) }
}

/// Whether Windows takes a name for a device: by what stands before its first dot, spaces at the end dropped.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end_matches(' ').to_ascii_uppercase();
    let numbered = ["COM", "LPT"].iter().any(|port| {
        let mut rest = stem.strip_prefix(port).unwrap_or_default().chars();
        // Windows takes the raised digits for digits here.
        let digit = rest.next().is_some_and(|char| char.is_ascii_digit() || matches!(char, '¹' | '²' | '³'));
        digit && rest.next().is_none()
    });
    numbered || DEVICES.contains(&stem.as_str())
}
