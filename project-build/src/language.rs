//! The languages, and what a source in each of them looks like.

use std::fmt;

use serde::Serialize;

/// A language that middlewares are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Rust.
    Rust,
    /// Python 3.
    Python,
    /// JavaScript.
    Js,
    /// TypeScript.
    Ts,
    /// C.
    C,
    /// Go.
    Go,
}

/// What runs a middleware in JavaScript or TypeScript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// QuickJS: small and quick to start.
    QuickJs,
    /// StarlingMonkey: Firefox's engine, ten times the size.
    StarlingMonkey,
}

impl Language {
    /// Every language.
    pub const ALL: [Self; 6] = [Self::Rust, Self::Python, Self::Js, Self::Ts, Self::C, Self::Go];

    /// The word for it in `middleware.toml` and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Python => "python",
            Self::Js => "js",
            Self::Ts => "ts",
            Self::C => "c",
            Self::Go => "go",
        }
    }

    /// What people call it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Rust => "Rust",
            Self::Python => "Python",
            Self::Js => "JavaScript",
            Self::Ts => "TypeScript",
            Self::C => "C",
            Self::Go => "Go",
        }
    }

    /// The language of that word.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.name() == name)
    }

    /// What its files end in.
    pub const fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Rust => &["rs"],
            Self::Python => &["py"],
            Self::Js => &["js", "mjs"],
            Self::Ts => &["ts", "mts"],
            Self::C => &["c"],
            Self::Go => &["go"],
        }
    }

    /// The folder of its SDK below `guest-sdk`.
    pub const fn sdk(self) -> &'static str {
        match self {
            Self::Ts => "js",
            other => other.name(),
        }
    }

    /// Whether there is more than one engine to run it.
    pub(crate) const fn has_engines(self) -> bool {
        matches!(self, Self::Js | Self::Ts)
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}
