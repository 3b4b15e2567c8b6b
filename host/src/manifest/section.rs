//! One table of the manifest, read key by key.

mod tables;

use std::ops::RangeInclusive;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::{Problem, Span};
use super::reader::{At, Reader};
use super::values;
use super::words::{listed, nearest, shown, suggestion};

/// A table of the manifest while it is read.
pub(super) struct Section<'t> {
    table: &'t DeTable<'t>,
    /// As it stands in messages: `[agent]`.
    title: String,
    /// Where it is: `/agent`.
    pointer: String,
    span: Span,
    known: Vec<&'static str>,
    /// Required keys that are not there, and what to do about each.
    missing: Vec<(&'static str, &'static str)>,
    /// Whether a misspelt key may hold a secret, so that its value is never shown.
    guarded: bool,
}

impl<'t> Section<'t> {
    pub(super) fn root(table: &'t Spanned<DeTable<'t>>) -> Self {
        Self::new(table.get_ref(), "the manifest".to_owned(), String::new(), 0..0)
    }

    pub(super) fn new(table: &'t DeTable<'t>, title: String, pointer: String, span: Span) -> Self {
        Self { table, title, pointer, span, known: Vec::new(), missing: Vec::new(), guarded: false }
    }

    /// The same, with the values of unknown keys never shown.
    pub(super) fn guarded(mut self) -> Self {
        self.guarded = true;
        self
    }

    /// Where it stands.
    pub(super) fn span(&self) -> Span {
        self.span.clone()
    }

    /// As it stands in messages.
    pub(super) fn title(&self) -> &str {
        &self.title
    }

    /// The value of a key, which is a known one from now on.
    pub(super) fn value(
        &mut self,
        reader: &mut Reader<'_>,
        key: &'static str,
    ) -> Option<&'t Spanned<DeValue<'t>>> {
        if !self.known.contains(&key) {
            self.known.push(key);
        }
        let value = self.table.get(key)?;
        reader.marks.insert(format!("{}/{key}", self.pointer), value.span());
        Some(value)
    }

    /// Requires a key. One that is not there is reported by [`Section::finish`], unless it was misspelt.
    pub(super) fn require(&mut self, key: &'static str, help: &'static str) {
        if !self.table.contains_key(key) {
            self.missing.push((key, help));
        }
    }

    /// Reports two required keys of which neither is there.
    pub(super) fn missing_both(&self, reader: &mut Reader<'_>, one: &str, other: &str) {
        if !self.table.contains_key(one) && !self.table.contains_key(other) {
            let message = format!("{} has neither `{one}` nor `{other}`", self.title);
            reader.report(Problem::at(self.span.clone(), message).help("add one of them"));
        }
    }

    /// A string, its references replaced.
    pub(super) fn text(&mut self, reader: &mut Reader<'_>, key: &'static str) -> Option<At<String>> {
        let value = self.value(reader, key)?;
        match value.get_ref() {
            DeValue::String(text) => {
                let value = At { value: reader.expand(text, &value.span())?, span: value.span() };
                Some(value)
            }
            _ => self.wrong(reader, key, value, "a string"),
        }
    }

    /// A string that must not be empty.
    pub(super) fn filled_text(&mut self, reader: &mut Reader<'_>, key: &'static str) -> Option<At<String>> {
        let text = self.text(reader, key)?;
        if text.value.trim().is_empty() {
            reader.report(Problem::at(text.span, format!("`{key}` in {} is empty", self.title)));
            return None;
        }
        Some(text)
    }

    /// A whole number from `least` on.
    pub(super) fn count(&mut self, reader: &mut Reader<'_>, key: &'static str, least: u32) -> Option<u32> {
        self.count_within(reader, key, least..=u32::MAX)
    }

    /// A whole number of this range.
    pub(super) fn count_within(
        &mut self,
        reader: &mut Reader<'_>,
        key: &'static str,
        range: RangeInclusive<u32>,
    ) -> Option<u32> {
        let value = self.value(reader, key)?;
        let DeValue::Integer(number) = value.get_ref() else {
            return self.wrong(reader, key, value, "a whole number");
        };
        let count =
            u32::from_str_radix(number.as_str(), number.radix()).ok().filter(|count| range.contains(count));
        if count.is_none() {
            let (least, most) = (range.start(), range.end());
            let message = format!("`{key}` in {} must be a whole number from {least} to {most}", self.title);
            reader.report(Problem::at(value.span(), message));
        }
        count
    }

    /// `true` or `false`.
    pub(super) fn flag(&mut self, reader: &mut Reader<'_>, key: &'static str) -> Option<At<bool>> {
        let value = self.value(reader, key)?;
        match value.get_ref() {
            DeValue::Boolean(flag) => Some(At { value: *flag, span: value.span() }),
            _ => self.wrong(reader, key, value, "`true` or `false`"),
        }
    }

    /// A string in the form that `parse` understands.
    pub(super) fn parsed<T>(
        &mut self,
        reader: &mut Reader<'_>,
        key: &'static str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        self.parsed_at(reader, key, parse).map(|at| at.value)
    }

    /// A string in the form that `parse` understands, and where it stands.
    pub(super) fn parsed_at<T>(
        &mut self,
        reader: &mut Reader<'_>,
        key: &'static str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<At<T>> {
        let text = self.text(reader, key)?;
        match parse(&text.value) {
            Ok(value) => Some(At { value, span: text.span }),
            Err(cause) => {
                let message = format!("`{key}` in {} can't be used", self.title);
                reader.report(Problem::at(text.span, message).says(cause));
                None
            }
        }
    }

    /// One of a few words.
    pub(super) fn word<T: Copy>(
        &mut self,
        reader: &mut Reader<'_>,
        key: &'static str,
        words: &[(&str, T)],
    ) -> Option<T> {
        let text = self.text(reader, key)?;
        let found = words.iter().find(|(word, _)| *word == text.value);
        if found.is_none() {
            let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let says =
                suggestion(&text.value, &known).unwrap_or_else(|| format!("one of {}", listed(&known, "or")));
            let message = format!("unknown `{key}` `{}` in {}", text.value, self.title);
            reader.report(Problem::at(text.span, message).says(says));
        }
        found.map(|(_, value)| *value)
    }

    /// A list of strings.
    pub(super) fn texts(&mut self, reader: &mut Reader<'_>, key: &'static str) -> Option<Vec<At<String>>> {
        let value = self.value(reader, key)?;
        let DeValue::Array(items) = value.get_ref() else {
            return self.wrong(reader, key, value, "a list of strings");
        };
        let mut texts = Vec::new();
        for item in items {
            match item.get_ref() {
                DeValue::String(text) => {
                    texts.extend(
                        reader.expand(text, &item.span()).map(|value| At { value, span: item.span() }),
                    );
                }
                _ => self.wrong(reader, key, item, "a list of strings").unwrap_or(()),
            }
        }
        Some(texts)
    }

    /// Reports the keys that nobody asked for, and the required ones that are not there.
    ///
    /// To be called when all known keys were asked for.
    pub(super) fn finish(self, reader: &mut Reader<'_>) {
        let mut misspelt = Vec::new();
        for (key, value) in self.table {
            let name: &str = key.get_ref();
            if self.known.contains(&name) {
                continue;
            }
            if self.guarded {
                reader.secrets.push(value.span());
            }
            let problem = Problem::at(key.span(), format!("unknown key `{}` in {}", shown(name), self.title));
            reader.report(match nearest(name, &self.known) {
                Some(meant) => {
                    misspelt.push(meant);
                    problem.says(format!("did you mean `{meant}`?"))
                }
                None => problem.help(format!("known keys are {}", listed(&self.known, "and"))),
            });
        }
        for (key, help) in self.missing.iter().filter(|(key, _)| !misspelt.contains(key)) {
            let message = format!("{} has no `{key}`", self.title);
            reader.report(Problem::at(self.span.clone(), message).help(*help));
        }
    }

    /// Reports a value of the wrong type.
    fn wrong<T>(
        &self,
        reader: &mut Reader<'_>,
        key: &str,
        value: &Spanned<DeValue<'_>>,
        wanted: &str,
    ) -> Option<T> {
        let message = format!("`{key}` in {} must be {wanted}", self.title);
        let found = values::type_name(value.get_ref());
        reader.report(Problem::at(value.span(), message).says(format!("this is {found}")));
        None
    }
}
