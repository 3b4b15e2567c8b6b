//! The files of a project.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::snippets::Snippet;
use crate::cli::exit::Failure;

/// What every middleware here uses.
const BASE: [&str; 2] = ["Error", "Middleware"];

/// A project that is about to be written.
pub(super) struct Project<'a> {
    pub(super) name: &'a str,
    pub(super) hooks: Vec<&'static Snippet>,
    pub(super) sdk: PathBuf,
}

impl Project<'_> {
    /// Writes the files into a folder that is not there yet.
    pub(super) fn write(&self, folder: &Path) -> Result<(), Failure> {
        let failed = |path: &Path, cause: &std::io::Error| {
            Failure::usage(format!("`{}` can't be written: {cause}", path.display()))
        };
        if folder.exists() {
            let problem = format!("`{}` is there already", folder.display());
            return Err(Failure::usage(problem).hint("name a folder that is not there yet"));
        }
        for (name, text) in self.files() {
            let path = folder.join(name);
            let parent = path.parent().unwrap_or(folder);
            fs::create_dir_all(parent).map_err(|cause| failed(parent, &cause))?;
            fs::write(&path, text).map_err(|cause| failed(&path, &cause))?;
        }
        format(&folder.join("src").join("lib.rs"));
        Ok(())
    }

    fn files(&self) -> [(&'static str, String); 6] {
        [
            ("Cargo.toml", self.fill(include_str!("template/Cargo.toml.txt"))),
            ("src/lib.rs", self.code()),
            ("README.md", self.fill(include_str!("template/README.md"))),
            ("cepa.toml", self.fill(include_str!("template/cepa.toml"))),
            ("script.toml", include_str!("template/script.toml").to_owned()),
            (".gitignore", "/target\n/*.wasm\n/cepa.db*\n".to_owned()),
        ]
    }

    /// A template with this project's names in it.
    fn fill(&self, template: &str) -> String {
        let hooks: Vec<String> = self.hooks.iter().map(|snippet| format!("`{}`", snippet.hook)).collect();
        template
            .replace("{name}", self.name)
            .replace("{Name}", &self.type_name())
            .replace("{hooks}", &hooks.join(", "))
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

    /// `say-please` as a type: `SayPlease`.
    fn type_name(&self) -> String {
        let word = |word: &str| {
            let mut letters = word.chars();
            letters
                .next()
                .map(|first| first.to_ascii_uppercase())
                .into_iter()
                .chain(letters)
                .collect::<String>()
        };
        self.name.split('-').map(word).collect()
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
