//! Keys and other words that no message, log or debug print may show.

use std::fmt;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use reqwest::Url;

/// The longest file that is read as a secret, in bytes. Longer ones are surely something else.
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// Secrets shorter than this are not scrubbed from texts, since every text would be full of holes.
const MIN_SCRUBBED_BYTES: usize = 4;

/// A text that is used and never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<str>);

/// Why there is no secret. Never holds any part of it.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// The environment lacks the variable.
    #[error("environment variable `{0}` is not set")]
    Unset(String),
    /// The variable or file holds nothing but white space.
    #[error("{0} is empty")]
    Empty(String),
    /// The variable or file is not UTF-8.
    #[error("{0} is not valid UTF-8")]
    NotText(String),
    /// The file is larger than any key.
    #[error("file `{0}` is larger than the {MAX_FILE_BYTES} bytes that a secret may have")]
    TooLong(String),
    /// The file can't be read.
    #[error("can't read file `{file}`: {cause}")]
    Unreadable {
        /// The file.
        file: String,
        /// What the system says.
        cause: std::io::Error,
    },
}

impl Secret {
    /// Keeps this text secret.
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        Self(text.into())
    }

    /// The value of an environment variable, without white space around it.
    ///
    /// # Errors
    /// When the variable is unset, empty or not UTF-8.
    pub fn from_env(name: &str) -> Result<Self, SecretError> {
        match std::env::var(name) {
            Ok(text) => Self::trimmed(&text, || format!("environment variable `{name}`")),
            Err(std::env::VarError::NotPresent) => Err(SecretError::Unset(name.to_owned())),
            Err(std::env::VarError::NotUnicode(_)) => {
                Err(SecretError::NotText(format!("environment variable `{name}`")))
            }
        }
    }

    /// The content of a file, without white space around it.
    ///
    /// # Errors
    /// When the file can't be read, is empty, longer than 64 KiB or not UTF-8.
    pub fn from_file(path: &Path) -> Result<Self, SecretError> {
        let file = path.display().to_string();
        let unreadable = |cause| SecretError::Unreadable { file: file.clone(), cause };
        // No more is read than may be: a device has no size, and no end.
        let opened = std::fs::File::open(path).map_err(unreadable)?;
        let mut content = Vec::new();
        opened.take(MAX_FILE_BYTES + 1).read_to_end(&mut content).map_err(unreadable)?;
        if content.len() as u64 > MAX_FILE_BYTES {
            return Err(SecretError::TooLong(file));
        }
        let text = String::from_utf8(content).map_err(|_| SecretError::NotText(format!("file `{file}`")))?;
        Self::trimmed(&text, || format!("file `{file}`"))
    }

    fn trimmed(text: &str, place: impl FnOnce() -> String) -> Result<Self, SecretError> {
        match text.trim() {
            "" => Err(SecretError::Empty(place())),
            text => Ok(Self::new(text)),
        }
    }

    /// The text itself, for the one place that sends it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The text with every occurrence of this secret replaced by `***`.
    pub fn scrub(&self, text: &str) -> String {
        if self.0.len() < MIN_SCRUBBED_BYTES { text.to_owned() } else { text.replace(&*self.0, "***") }
    }
}

/// What of an address nobody may see: its password, and what its query holds, as it stands there and as it is meant.
pub(crate) fn address_secrets(url: &Url) -> Vec<Secret> {
    let raw = url.query().into_iter().flat_map(|query| query.split('&'));
    let raw = raw.map(|pair| pair.split_once('=').map_or(pair, |(_, value)| value).to_owned());
    let meant = url.query_pairs().map(|(_, value)| value.into_owned());
    let password = url.password().map(str::to_owned);
    raw.chain(meant).chain(password).filter(|text| !text.is_empty()).map(Secret::new).collect()
}

/// An address without its password and its query, for debug prints.
pub(crate) fn shown_address(address: &str) -> String {
    let Some(mut url) = Url::parse(address).ok().filter(Url::has_host) else { return "***".to_owned() };
    // It can be set, since there is a host.
    let _ = url.set_password(url.password().map(|_| "***"));
    let hidden = url.query().map(|_| "***");
    url.set_query(hidden);
    url.into()
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(***)")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_print_shows_it() {
        let secret = Secret::new("hunter22");
        assert_eq!(
            format!("{secret} {secret:?} {:#?}", Some(&secret)),
            "*** Secret(***) Some(\n    Secret(***),\n)"
        );
        assert_eq!(secret.scrub("key hunter22, again hunter22"), "key ***, again ***");
    }

    #[test]
    fn a_file_is_trimmed_and_a_bad_one_explained() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("key");
        std::fs::write(&file, "  sk-1\n")?;
        assert_eq!(Secret::from_file(&file)?.expose(), "sk-1");

        let complaint = |path: &Path| {
            let place = path.display().to_string();
            Secret::from_file(path).err().map(|error| error.to_string().replace(&place, "PATH"))
        };
        std::fs::write(&file, "\n")?;
        assert_eq!(complaint(&file).as_deref(), Some("file `PATH` is empty"));
        std::fs::write(&file, [0xff, 0xfe])?;
        assert_eq!(complaint(&file).as_deref(), Some("file `PATH` is not valid UTF-8"));
        std::fs::write(&file, vec![b'x'; 70_000])?;
        assert_eq!(
            complaint(&file).as_deref(),
            Some("file `PATH` is larger than the 65536 bytes that a secret may have")
        );
        let endless = Secret::from_file(Path::new("/dev/zero")).err().map(|error| error.to_string());
        assert!(endless.is_some_and(|error| error.contains("is larger than the 65536 bytes")));
        let missing = complaint(&folder.path().join("none")).unwrap_or_default();
        assert!(missing.starts_with("can't read file `PATH`: "), "{missing}");
        Ok(())
    }

    #[test]
    fn an_address_is_shown_without_password_and_query() -> Result<(), Box<dyn std::error::Error>> {
        let address = "https://me:pass%20word@host/mcp?key=ab%2Fcd&v";
        assert_eq!(shown_address(address), "https://me:***@host/mcp?***");
        assert_eq!(shown_address("http://host/v1"), "http://host/v1");
        assert_eq!(shown_address("me:secret@host"), "***");
        let secrets = address_secrets(&Url::parse(address)?);
        let secrets: Vec<&str> = secrets.iter().map(Secret::expose).collect();
        assert_eq!(secrets, ["ab%2Fcd", "v", "ab/cd", "pass%20word"]);
        Ok(())
    }

    #[test]
    fn an_unset_variable_is_named() {
        let error = Secret::from_env("CEPA_TEST_NO_SUCH_VARIABLE").err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), Some("environment variable `CEPA_TEST_NO_SUCH_VARIABLE` is not set"));
    }
}
