//! Whether a program is new enough.

use std::process::Stdio;

use super::Tool;
use crate::error::Missing;
use crate::language::Language;

/// The program, if it is there and of this version at least.
pub(super) fn check(
    found: Option<Tool>,
    name: &str,
    asked: &[&str],
    least: [u32; 2],
    language: Language,
    how: &str,
) -> Result<Tool, Missing> {
    let missing = |problem: String| Missing { problem, language, how: how.to_owned() };
    let tool = found.ok_or_else(|| missing(format!("`{name}` is missing")))?;
    let told = tool.command().args(asked).stdin(Stdio::null()).output();
    let told =
        told.map_err(|cause| missing(format!("`{}` can't be run: {cause}", tool.program.display())))?;
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    let wanted = format!("{}.{}", least[0], least[1]);
    match version(&text) {
        Some(version) if version >= least => Ok(tool),
        Some([major, minor]) => {
            Err(missing(format!("`{name}` is {major}.{minor} and must be {wanted} or newer")))
        }
        None => {
            let told = format!("{}{}", text.trim(), String::from_utf8_lossy(&told.stderr).trim());
            Err(missing(format!("`{}` does not tell its version: {told}", tool.program.display())))
        }
    }
}

/// The first two numbers with a point between them.
fn version(text: &str) -> Option<[u32; 2]> {
    text.split(|letter: char| !letter.is_ascii_digit() && letter != '.').find_map(|word| {
        let mut numbers = word.split('.').map(str::parse);
        match (numbers.next(), numbers.next()) {
            (Some(Ok(major)), Some(Ok(minor))) => Some([major, minor]),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn a_version_is_found_in_what_each_program_says() {
        assert_eq!(version("Python 3.11.9\n"), Some([3, 11]));
        assert_eq!(version("componentize-py 0.25.1\n"), Some([0, 25]));
        assert_eq!(version("v20.19.5\n"), Some([20, 19]));
        assert_eq!(version("0.17.1\n"), Some([0, 17]));
        assert_eq!(version("go version go1.27.3 linux/amd64\n"), Some([1, 27]));
        assert_eq!(version("no such thing"), None);
    }
}
