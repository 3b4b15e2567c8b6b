//! References in strings: `${env:NAME}` and `${file:PATH}`.
//!
//! `$${` stands for a literal `${`. `${secret:NAME}` and braces without a colon are left alone.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// The largest file that a reference may read, in bytes: prompts and keys, not data.
const FILE_MAX: u64 = 1 << 20;

/// What references are looked up in.
pub struct Surroundings<'a> {
    /// Gives a variable of the environment.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// The folder that relative paths start from.
    pub folder: &'a Path,
}

/// Why a reference has no value.
#[derive(Debug, PartialEq, Eq)]
pub struct Unresolved {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
}

impl Surroundings<'_> {
    /// The text with its references replaced by what they stand for.
    ///
    /// # Errors
    /// The first reference without a value.
    pub fn expand(&self, text: &str) -> Result<String, Unresolved> {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find("${") {
            let (before, from) = rest.split_at(at);
            let inner = from.get(2..).unwrap_or_default();
            if let Some(before) = before.strip_suffix('$') {
                out.push_str(before);
                out.push_str("${");
                rest = inner;
                continue;
            }
            out.push_str(before);
            let Some((reference, after)) = inner.split_once('}') else {
                unclosed(inner)?;
                out.push_str(from);
                return Ok(out);
            };
            match reference.split_once(':') {
                Some((kind, name)) => out.push_str(&self.value(kind, name)?),
                None => {
                    let _ = write!(out, "${{{reference}}}");
                }
            }
            rest = after;
        }
        out.push_str(rest);
        Ok(out)
    }

    fn value(&self, kind: &str, name: &str) -> Result<String, Unresolved> {
        match kind {
            "env" => (self.variable)(name).ok_or_else(|| Unresolved {
                message: format!("environment variable `{name}` is not set"),
                help: format!("set it before the start: `export {name}=...`"),
            }),
            "file" => self.read(name),
            "secret" => Ok(format!("${{secret:{name}}}")),
            _ => Err(Unresolved {
                message: format!("unknown kind of reference `${{{kind}:...}}`"),
                help: "use `${env:NAME}` or `${file:PATH}`, or write `$${` for a literal `${`".to_owned(),
            }),
        }
    }

    /// The text of a file without its last line end.
    pub fn read(&self, name: &str) -> Result<String, Unresolved> {
        let path = self.folder.join(name);
        let unreadable = |cause: &dyn std::fmt::Display| Unresolved {
            message: format!("file `{name}` can't be read: {cause}"),
            help: "the path is relative to the manifest".to_owned(),
        };
        let file = File::open(&path).map_err(|cause| unreadable(&cause))?;
        let mut text = String::new();
        file.take(FILE_MAX + 1).read_to_string(&mut text).map_err(|cause| unreadable(&cause))?;
        if text.len() as u64 > FILE_MAX {
            return Err(unreadable(&format_args!("it is larger than the {FILE_MAX} bytes allowed")));
        }
        if text.ends_with('\n') {
            text.pop();
            if text.ends_with('\r') {
                text.pop();
            }
        }
        Ok(text)
    }
}

/// A reference that begins and never ends is an error; other text with a `${` in it is not.
fn unclosed(inner: &str) -> Result<(), Unresolved> {
    if ["env:", "file:", "secret:"].iter().any(|kind| inner.starts_with(kind)) {
        return Err(Unresolved {
            message: "a reference has no closing `}`".to_owned(),
            help: "write it as `${env:NAME}`, or `$${` for a literal `${`".to_owned(),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn expand(text: &str) -> Result<String, Unresolved> {
        let variable = |name: &str| (name == "WHO").then(|| "world ${env:WHO}".to_owned());
        Surroundings { variable: &variable, folder: Path::new(".") }.expand(text)
    }

    #[test]
    fn references_are_replaced_once() {
        assert_eq!(expand("hello ${env:WHO}!").as_deref(), Ok("hello world ${env:WHO}!"));
        assert_eq!(
            expand("$${env:WHO} ${secret:KEY} ${plain} $x").as_deref(),
            Ok("${env:WHO} ${secret:KEY} ${plain} $x")
        );
        assert_eq!(expand("a ${b").as_deref(), Ok("a ${b"));
    }

    #[test]
    fn what_has_no_value_is_an_error() {
        for text in ["${env:NOBODY}", "${env:}", "${file:no/such/file}", "${evn:WHO}", "${env:WHO"] {
            assert!(expand(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_file_loses_its_last_line_end_only() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("key"), "one\ntwo\r\n").expect("written");
        let surroundings = Surroundings { variable: &|_| None, folder: folder.path() };
        assert_eq!(surroundings.expand("${file:key}").as_deref(), Ok("one\ntwo"));
    }

    proptest! {
        #[test]
        fn text_without_a_dollar_stays(text in "[^$]*") {
            prop_assert_eq!(expand(&text), Ok(text));
        }

        #[test]
        fn any_text_is_expanded_or_an_error(text in "[$ {}:envfilsxWHO]{0,40}") {
            let _ = expand(&text);
        }
    }
}
