//! The files of a project in Rust: a crate.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::files::{SCRIPT, listed, manifest, type_name, write};
use super::snippets::Snippet;
use crate::cli::exit::Failure;

/// What every middleware here uses.
const BASE: [&str; 2] = ["Error", "Middleware"];

/// A crate that is about to be written.
pub(super) struct Crate<'a> {
    pub(super) name: &'a str,
    pub(super) hooks: Vec<&'static Snippet>,
    pub(super) sdk: PathBuf,
}

impl Crate<'_> {
    /// Writes the files into a folder that is not there yet.
    pub(super) fn write(&self, folder: &Path) -> Result<(), Failure> {
        write(folder, &self.files())?;
        format(&folder.join("src").join("lib.rs"));
        Ok(())
    }

    fn files(&self) -> [(String, String); 6] {
        [
            ("Cargo.toml", self.fill(include_str!("template/Cargo.toml.txt"))),
            ("src/lib.rs", self.code()),
            ("README.md", self.fill(include_str!("template/README.md"))),
            ("cepa.toml", manifest(self.name)),
            ("script.toml", SCRIPT.to_owned()),
            (".gitignore", "/target\n/*.wasm\n/cepa.db*\n".to_owned()),
        ]
        .map(|(name, text)| (name.to_owned(), text))
    }

    /// A template with this project's names in it.
    fn fill(&self, template: &str) -> String {
        let hooks = listed(self.hooks.iter().map(|snippet| snippet.hook));
        template
            .replace("{name}", self.name)
            .replace("{Name}", &type_name(self.name))
            .replace("{hooks}", &hooks)
            .replace("{sdk}", &toml::Value::from(self.sdk.display().to_string()).to_string())
    }

    fn code(&self) -> String {
        let used = self.hooks.iter().flat_map(|snippet| snippet.uses).chain(&BASE).copied();
        let rigged = self.hooks.iter().flat_map(|snippet| snippet.rig).chain(&["Rig"]).copied();
        let traits: Vec<&str> = self.hooks.iter().map(|snippet| snippet.name).collect();
        let code: String = self.hooks.iter().map(|snippet| snippet.code).collect();
        let tests: String = self.hooks.iter().map(|snippet| snippet.test).collect();
        let whole = include_str!("template/lib.rs.txt")
            .replace("{imports}", &import("cepa_sdk", used))
            .replace("{code}", &code)
            .replace("{export}", &export(&traits))
            .replace("{rig}", &import("cepa_sdk::rig", rigged))
            .replace("{tests}", &tests);
        self.fill(&whole)
    }
}

/// `use KRATE::{…};`, each name once.
fn import<'n>(krate: &str, names: impl Iterator<Item = &'n str>) -> String {
    let names: BTreeSet<&str> = names.collect();
    format!("use {krate}::{{{}}};", Vec::from_iter(names).join(", "))
}

/// Breaks lines as everybody's editor would. Where there is no `rustfmt` they stay long.
fn format(file: &Path) {
    let mut rustfmt = Command::new("rustfmt");
    let _ = rustfmt.args(["--quiet", "--edition", "2024"]).arg(file).stderr(Stdio::null()).status();
}

/// What `export!` is given: one line for a few hooks, else a line for each.
fn export(traits: &[&str]) -> String {
    match traits {
        few @ ([_] | [_, _]) => format!("({{Name}}: {});", few.join(", ")),
        many => format!("(\n    {{Name}}: {},\n);", many.join(",\n    ")),
    }
}
