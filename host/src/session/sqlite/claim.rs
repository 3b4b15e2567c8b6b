//! Claims on sessions: a locked file for each session in which a reply runs.

use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::hex::hex;
use crate::lock::Lock;

use super::super::{Claim, StoreError};

/// Claims a session of the session file at `path`.
pub(super) fn claim(path: &Path, session_id: &str) -> Result<Claim, StoreError> {
    let locked = place(path, session_id).and_then(Lock::take);
    match locked {
        Ok(Some(lock)) => Ok(Claim::held(lock)),
        Ok(None) => Err(StoreError::Claimed(session_id.to_owned())),
        Err(cause) => {
            let cause = format!("the session can't be claimed: {cause}");
            Err(StoreError::Io { path: path.display().to_string(), cause })
        }
    }
}

/// Beside the session file, as its log is: the same for whoever reaches it by another path.
fn place(path: &Path, session_id: &str) -> io::Result<PathBuf> {
    let mut folder = path.canonicalize()?.into_os_string();
    folder.push("-claims");
    std::fs::create_dir_all(&folder)?;
    Ok(Path::new(&folder).join(name(session_id)))
}

/// Characters of a name: half a hash tells sessions apart as well.
const NAME_LENGTH: usize = 32;

/// Ids are any text, and names of files are not.
fn name(session_id: &str) -> String {
    let mut name = hex(&Sha256::digest(session_id));
    name.truncate(NAME_LENGTH);
    name
}
