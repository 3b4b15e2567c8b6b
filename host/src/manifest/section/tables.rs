//! Tables within a table.

use serde_json::Value;
use toml::de::DeValue;

use super::Section;
use crate::manifest::reader::{At, Reader};
use crate::manifest::values;

/// A named text that must not be shown.
pub(in crate::manifest) struct SecretText {
    pub(in crate::manifest) name: At<String>,
    /// Its references replaced.
    pub(in crate::manifest) value: At<String>,
    /// Whether it was written out, without a reference.
    pub(in crate::manifest) literal: bool,
}

impl<'t> Section<'t> {
    /// A table whose keys are the user's own, with strings as values that must not be shown.
    pub(in crate::manifest) fn secret_texts(
        &mut self,
        reader: &mut Reader<'_>,
        key: &'static str,
    ) -> Vec<SecretText> {
        let Some(value) = self.value(reader, key) else { return Vec::new() };
        let DeValue::Table(table) = value.get_ref() else {
            reader.secrets.push(value.span());
            self.wrong(reader, key, value, "a table of strings").unwrap_or(());
            return Vec::new();
        };
        let mut texts = Vec::new();
        for (name, value) in table {
            reader.hide(value);
            match value.get_ref() {
                DeValue::String(text) => {
                    texts.extend(reader.expand(text, &value.span()).map(|expanded| SecretText {
                        name: At { value: name.get_ref().to_string(), span: name.span() },
                        literal: expanded == *text,
                        value: At { value: expanded, span: value.span() },
                    }));
                }
                _ => self.wrong(reader, key, value, "a table of strings").unwrap_or(()),
            }
        }
        texts
    }

    /// A table whose keys are the user's own, with strings as values, in the order of the text.
    pub(in crate::manifest) fn named_texts(
        &mut self,
        reader: &mut Reader<'_>,
        key: &'static str,
    ) -> Vec<(At<String>, At<String>)> {
        let Some(value) = self.value(reader, key) else { return Vec::new() };
        let DeValue::Table(table) = value.get_ref() else {
            self.wrong(reader, key, value, "a table of strings").unwrap_or(());
            return Vec::new();
        };
        let mut texts = Vec::new();
        for (name, value) in table {
            reader.marks.insert(format!("{}/{key}/{}", self.pointer, name.get_ref()), value.span());
            let DeValue::String(text) = value.get_ref() else {
                self.wrong(reader, key, value, "a table of strings").unwrap_or(());
                continue;
            };
            let name = At { value: name.get_ref().to_string(), span: name.span() };
            texts.extend(
                reader.expand(text, &value.span()).map(|text| (name, At { value: text, span: value.span() })),
            );
        }
        texts.sort_by_key(|(name, _)| name.span.start);
        texts
    }

    /// A table within this one.
    pub(in crate::manifest) fn table(
        &mut self,
        reader: &mut Reader<'_>,
        key: &'static str,
    ) -> Option<Section<'t>> {
        let value = self.value(reader, key)?;
        match value.get_ref() {
            DeValue::Table(table) => {
                let title = self.inner_title(key);
                Some(Section::new(table, title, format!("{}/{key}", self.pointer), value.span()))
            }
            _ => self.wrong(reader, key, value, "a table"),
        }
    }

    /// The tables of a list: `[[key]]`.
    pub(in crate::manifest) fn tables(
        &mut self,
        reader: &mut Reader<'_>,
        key: &'static str,
    ) -> Vec<Section<'t>> {
        let Some(value) = self.value(reader, key) else { return Vec::new() };
        let title = self.list_title(key);
        let DeValue::Array(items) = value.get_ref() else {
            self.wrong(reader, key, value, &format!("a list of tables, written {title}")).unwrap_or(());
            return Vec::new();
        };
        let mut sections = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let pointer = format!("{}/{key}/{index}", self.pointer);
            match item.get_ref() {
                DeValue::Table(table) => {
                    reader.marks.insert(pointer.clone(), item.span());
                    sections.push(Section::new(table, title.clone(), pointer, item.span()));
                }
                _ => self.wrong(reader, key, item, "a list of tables").unwrap_or(()),
            }
        }
        sections
    }

    /// The tables of a table whose keys are the user's own: `[key.NAME]`, in the order of the text.
    pub(in crate::manifest) fn named_tables(
        &mut self,
        reader: &mut Reader<'_>,
        key: &'static str,
    ) -> Vec<(At<String>, Section<'t>)> {
        let Some(value) = self.value(reader, key) else { return Vec::new() };
        let DeValue::Table(table) = value.get_ref() else {
            self.wrong(reader, key, value, &format!("tables, written `[{key}.NAME]`")).unwrap_or(());
            return Vec::new();
        };
        let mut sections = Vec::new();
        for (name, value) in table {
            let title = format!("`[{key}.{}]`", name.get_ref());
            let pointer = format!("{}/{key}/{}", self.pointer, name.get_ref());
            match value.get_ref() {
                DeValue::Table(table) => {
                    let name = At { value: name.get_ref().to_string(), span: name.span() };
                    sections.push((name, Section::new(table, title, pointer, value.span())));
                }
                _ => self.wrong(reader, key, value, &format!("tables, written `{title}`")).unwrap_or(()),
            }
        }
        sections.sort_by_key(|(name, _)| name.span.start);
        sections
    }

    /// A table of any content, as JSON, its references replaced.
    pub(in crate::manifest) fn json(&mut self, reader: &mut Reader<'_>, key: &'static str) -> Option<Value> {
        let value = self.value(reader, key)?;
        match value.get_ref() {
            DeValue::Table(_) => values::json(reader, value, &format!("{}/{key}", self.pointer)),
            _ => self.wrong(reader, key, value, "a table"),
        }
    }

    /// A list of tables as it is written: `[[middleware]]`, or `[[agents.NAME.middleware]]` within another table.
    fn list_title(&self, key: &str) -> String {
        let path = format!("{}/{key}", self.pointer);
        format!("`[[{}]]`", path.trim_start_matches('/').replace('/', "."))
    }

    fn inner_title(&self, key: &str) -> String {
        if self.pointer.is_empty() { format!("`[{key}]`") } else { format!("`{key}` of {}", self.title) }
    }
}
