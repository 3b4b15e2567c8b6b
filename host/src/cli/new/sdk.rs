//! The files of a project in a language whose SDK the program carries: all but Rust.

use std::collections::BTreeSet;
use std::path::Path;

use cepa_project_build::{Language, MANIFEST, sdk_file};
use serde_json::json;

use super::files::{SCRIPT, listed, manifest, type_name, write};
use crate::cli::exit::Failure;

/// A project that is about to be written.
pub(super) struct SdkProject<'a> {
    pub(super) name: &'a str,
    pub(super) language: Language,
    pub(super) hooks: Vec<&'static str>,
}

impl SdkProject<'_> {
    /// Writes the files into a folder that is not there yet.
    pub(super) fn write(&self, folder: &Path) -> Result<(), Failure> {
        let source = self.source();
        let files = [
            (MANIFEST.to_owned(), self.project(&source)),
            (source.clone(), self.code()),
            ("config.json".to_owned(), schema()),
            ("README.md".to_owned(), self.readme(&source)),
            ("cepa.toml".to_owned(), manifest(self.name)),
            ("script.toml".to_owned(), SCRIPT.to_owned()),
            (".gitignore".to_owned(), "/target\n/node_modules\n/*.wasm\n/cepa.db*\n".to_owned()),
        ];
        write(folder, &files)
    }

    /// The main file. Python takes no `-` in the name of a module.
    fn source(&self) -> String {
        let stem = if self.language == Language::Python {
            self.name.replace('-', "_")
        } else {
            self.name.to_owned()
        };
        format!("{stem}.{}", self.ending())
    }

    fn ending(&self) -> &'static str {
        self.language.endings().first().copied().unwrap_or_default()
    }

    fn project(&self, source: &str) -> String {
        let hooks: Vec<String> = self.hooks.iter().map(|hook| format!("{hook:?}")).collect();
        format!(
            "name = {:?}\nlanguage = {:?}\nsource = {source:?}\nhooks = [{}]\nconfig-schema = \"config.json\"\n",
            self.name,
            self.language.name(),
            hooks.join(", ")
        )
    }

    /// The head, a piece for each hook, and where the language wants one, the tail.
    fn code(&self) -> String {
        let piece = |name: &str| {
            let path = format!("guest-sdk/{}/new/{name}.{}.txt", self.language.sdk(), self.ending());
            sdk_file(&path).map(|text| text.trim_end().to_owned())
        };
        let mut imports = BTreeSet::new();
        let mut pieces: Vec<String> = piece("head").into_iter().collect();
        for code in self.hooks.iter().filter_map(|hook| piece(hook)) {
            pieces.push(if self.language == Language::Go {
                without_imports(&code, &mut imports)
            } else {
                code
            });
        }
        let tail = piece("tail").map(|tail| format!("{tail}\n")).unwrap_or_default();
        let whole = format!("{}\n{tail}", pieces.join("\n\n"));
        let whole = whole.replace("{imports}", &import_lines(&imports));
        whole.replace("{name}", self.name).replace("{Name}", &type_name(self.name))
    }

    fn readme(&self, source: &str) -> String {
        include_str!("template/sdk/README.md")
            .replace("{name}", self.name)
            .replace("{source}", source)
            .replace("{hooks}", &listed(self.hooks.iter().copied()))
    }
}

/// A piece of Go without the imports that it begins with, which go to the file's own.
fn without_imports(piece: &str, imports: &mut BTreeSet<String>) -> String {
    let (head, code) = piece.split_once("\n\n").unwrap_or(("", piece));
    imports.extend(head.lines().filter_map(|line| line.strip_prefix("import ")).map(str::to_owned));
    code.to_owned()
}

/// Go's own packages first, then the SDK's, as `gofmt` and its users have it.
fn import_lines(imports: &BTreeSet<String>) -> String {
    let (sdk, standard): (Vec<&String>, Vec<&String>) =
        imports.iter().partition(|import| import.starts_with("\"cepa"));
    let lines = |group: &[&String]| group.iter().map(|import| format!("\t{import}\n")).collect::<String>();
    let between = if standard.is_empty() || sdk.is_empty() { "" } else { "\n" };
    format!("{}{between}{}", lines(&standard), lines(&sdk))
}

/// What a new project may be told.
fn schema() -> String {
    let schema = json!({
        "type": "object",
        "properties": {
            "note": {
                "description": "What it says.",
                "type": "string",
                "minLength": 1,
                "default": "Say please.",
            },
        },
        "additionalProperties": false,
    });
    format!("{schema:#}\n")
}
