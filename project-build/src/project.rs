//! What is to be built, as `middleware.toml` says it.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use crate::files::files_below;
use crate::language::{Engine, Language};
use crate::place::{line_of, list};
use crate::{Error, HOOKS};

/// The file that says how a project is built. A crate has none.
pub const MANIFEST: &str = "middleware.toml";

/// The longest name, in bytes: it becomes a file and a layer.
pub const NAME_MAX: usize = 64;

/// Whether a middleware may be called this: words of small letters and digits joined by `-`, a letter first, of
/// [`NAME_MAX`] bytes at most.
pub fn is_name(name: &str) -> bool {
    let sound = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    let begins = name.starts_with(|first: char| first.is_ascii_lowercase());
    begins && name.len() <= NAME_MAX && name.split('-').all(sound)
}

/// A middleware before it is built.
#[derive(Clone, Debug)]
pub struct Project {
    /// Its folder, as it was named.
    pub folder: PathBuf,
    /// Its name: small words joined by `-`.
    pub name: String,
    /// The language.
    pub language: Language,
    /// Its main file.
    pub source: PathBuf,
    /// What it implements, at least one of [`HOOKS`].
    pub hooks: Vec<String>,
    /// The JSON Schema of its configuration.
    pub schema: Option<Schema>,
    /// What runs it, for JavaScript and TypeScript.
    pub engine: Option<Engine>,
    /// The line of the key `hooks`.
    pub(crate) hooks_line: usize,
}

/// The JSON Schema of a configuration.
#[derive(Clone, Debug)]
pub struct Schema {
    /// Its file.
    pub file: PathBuf,
    /// Its text.
    pub text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Keys {
    name: Spanned<String>,
    language: Spanned<String>,
    source: Spanned<String>,
    hooks: Spanned<Vec<Spanned<String>>>,
    config_schema: Option<Spanned<String>>,
    engine: Option<Spanned<String>>,
}

impl Project {
    /// Reads the `middleware.toml` of a folder.
    ///
    /// # Errors
    /// [`Error::NoProject`] if there is none, and a mistake with its line if something in it is wrong.
    pub fn read(folder: &Path) -> Result<Self, Error> {
        let file = folder.join(MANIFEST);
        if !file.is_file() {
            return Err(Error::NoProject(folder.to_owned()));
        }
        let text = fs::read_to_string(&file).map_err(Error::file(&file))?;
        let keys = toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(1, |span| line_of(&text, span.start));
            Error::at(&file, line, error.message().lines().collect::<Vec<_>>().join("; "))
        })?;
        Reader { folder, file: &file, text: &text }.project(keys)
    }

    /// All its source files, sorted: those beside the main one and below it, of the language's ending.
    pub(crate) fn sources(&self) -> Result<Vec<PathBuf>, Error> {
        let folder = self.source.parent().unwrap_or(&self.folder);
        let mut files = files_below(folder)?;
        files.retain(|file| has_ending(file, self.language));
        Ok(files)
    }

    /// The place of the key `hooks`.
    pub(crate) fn at_hooks(&self) -> String {
        format!("{}:{}", self.folder.join(MANIFEST).display(), self.hooks_line)
    }
}

/// Reads one file, and says of each mistake where it stands.
struct Reader<'a> {
    folder: &'a Path,
    file: &'a Path,
    text: &'a str,
}

impl Reader<'_> {
    fn project(&self, keys: Keys) -> Result<Project, Error> {
        self.check_name(&keys.name)?;
        let language = self.language(&keys.language)?;
        let source = self.source(&keys.source, language)?;
        self.check_hooks(&keys.hooks)?;
        let schema = keys.config_schema.as_ref().map(|schema| self.schema(schema)).transpose()?;
        let engine = keys.engine.as_ref().map(|engine| self.engine(engine, language)).transpose()?;
        Ok(Project {
            folder: self.folder.to_owned(),
            language,
            source,
            schema,
            engine,
            hooks_line: line_of(self.text, keys.hooks.span().start),
            name: keys.name.into_inner(),
            hooks: keys.hooks.into_inner().into_iter().map(Spanned::into_inner).collect(),
        })
    }

    fn check_name(&self, name: &Spanned<String>) -> Result<(), Error> {
        if is_name(name.get_ref()) {
            return Ok(());
        }
        let what = format!(
            "`name` must be words of small letters and digits joined by `-`, {NAME_MAX} bytes at most, such as `my-layer`"
        );
        Err(self.mistake(name, what))
    }

    fn language(&self, name: &Spanned<String>) -> Result<Language, Error> {
        match Language::named(name.get_ref()) {
            Some(Language::Rust) => Err(self.mistake(
                name,
                "a crate needs no `middleware.toml`; take it away, and its `Cargo.toml` is built",
            )),
            Some(language) => Ok(language),
            None => {
                let known = Language::ALL.iter().filter(|known| **known != Language::Rust);
                let known = list(known.map(|known| known.name()));
                Err(self
                    .mistake(name, format!("there is no SDK for `{}`; there are {known}", name.get_ref())))
            }
        }
    }

    fn source(&self, source: &Spanned<String>, language: Language) -> Result<PathBuf, Error> {
        let path = self.existing("source", source)?;
        if !has_ending(&path, language) {
            let endings = list(language.endings().iter().map(|ending| format!(".{ending}")));
            return Err(self.mistake(source, format!("a `source` in {language} ends in {endings}")));
        }
        let module = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if language == Language::Python && !is_identifier(module) {
            let what = format!(
                "`source` is a Python module, whose name is letters, digits and `_`: `{module}` can't be imported"
            );
            return Err(self.mistake(source, what));
        }
        Ok(path)
    }

    fn check_hooks(&self, hooks: &Spanned<Vec<Spanned<String>>>) -> Result<(), Error> {
        let names = hooks.get_ref();
        if names.is_empty() {
            return Err(
                self.mistake(hooks, format!("`hooks` is empty; name at least one of {}", list(HOOKS)))
            );
        }
        for (at, hook) in names.iter().enumerate() {
            let name = hook.get_ref();
            if !HOOKS.contains(&name.as_str()) {
                return Err(
                    self.mistake(hook, format!("there is no hook `{name}`; there are {}", list(HOOKS)))
                );
            }
            if names.iter().take(at).any(|earlier| earlier.get_ref() == name) {
                return Err(self.mistake(hook, format!("`{name}` stands here twice; take one away")));
            }
        }
        Ok(())
    }

    fn schema(&self, name: &Spanned<String>) -> Result<Schema, Error> {
        let file = self.existing("config-schema", name)?;
        let text = fs::read_to_string(&file).map_err(Error::file(&file))?;
        match serde_json::from_str(&text) {
            Ok(serde_json::Value::Object(_)) => Ok(Schema { file, text }),
            Ok(_) => Err(Error::at(&file, 1, "this is no JSON Schema of an object; begin it with `{`")),
            Err(error) => Err(Error::at(&file, error.line().max(1), format!("this is no JSON: {error}"))),
        }
    }

    fn engine(&self, name: &Spanned<String>, language: Language) -> Result<Engine, Error> {
        if !language.has_engines() {
            return Err(self.mistake(
                name,
                format!("`engine` is for `js` and `ts`, and this is {language}; take it away"),
            ));
        }
        match name.get_ref().as_str() {
            "quickjs" => Ok(Engine::QuickJs),
            "starlingmonkey" => Ok(Engine::StarlingMonkey),
            other => Err(self.mistake(
                name,
                format!("there is no engine `{other}`; there are `quickjs` and `starlingmonkey`"),
            )),
        }
    }

    fn existing(&self, key: &str, name: &Spanned<String>) -> Result<PathBuf, Error> {
        let path = self.folder.join(name.get_ref());
        if path.is_file() {
            return Ok(path);
        }
        Err(self
            .mistake(name, format!("`{key}` names `{}`, which is no file in this folder", name.get_ref())))
    }

    fn mistake<T>(&self, value: &Spanned<T>, what: impl std::fmt::Display) -> Error {
        Error::at(self.file, line_of(self.text, value.span().start), what)
    }
}

fn has_ending(file: &Path, language: Language) -> bool {
    file.extension().is_some_and(|end| language.endings().iter().any(|known| end == *known))
}

fn is_identifier(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}
