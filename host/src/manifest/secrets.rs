//! `[secrets.NAME]`: what layers may have sent in headers, and to which servers. And words that must come from outside.

use super::problem::Problem;
use super::reader::{At, Reader};
use super::render;
use super::section::Section;
use crate::http::{Origin, SecretGrant};
use crate::secret::Secret;

/// The secrets, and every name that was written, the unusable ones too.
pub(super) struct Secrets {
    pub(super) grants: Vec<SecretGrant>,
    pub(super) names: Vec<String>,
}

pub(super) fn read(reader: &mut Reader<'_>, root: &mut Section<'_>) -> Secrets {
    let sections = root.named_tables(reader, "secrets");
    let names = sections.iter().map(|(name, _)| name.value.clone()).collect();
    let grants = sections.into_iter().filter_map(|(name, section)| read_one(reader, name, section)).collect();
    Secrets { grants, names }
}

fn read_one(reader: &mut Reader<'_>, name: At<String>, section: Section<'_>) -> Option<SecretGrant> {
    let mut section = section.guarded();
    section.require("value", "add a line like `value = \"${env:NAME}\"`");
    section
        .require("servers", "name those it may be sent to, as in `servers = [\"https://api.example.com\"]`");
    let named = nameable(reader, &name);
    let value = from_outside(reader, &mut section, "value", "the value");
    let servers = servers(reader, &mut section);
    let title = section.title().to_owned();
    section.finish(reader);
    let (name, value, servers) = (named?, value?, servers?);
    match SecretGrant::new(name, value.value, servers) {
        Ok(secret) => Some(secret),
        Err(cause) => {
            reader.report(Problem::at(value.span, format!("the secret of {title} can't be used: {cause}")));
            None
        }
    }
}

/// A name that can stand in `${secret:NAME}`.
fn nameable(reader: &mut Reader<'_>, name: &At<String>) -> Option<String> {
    let usable = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.');
    if !name.value.is_empty() && name.value.len() <= 64 && name.value.chars().all(usable) {
        return Some(name.value.clone());
    }
    let message = "a secret is called by 1 to 64 letters, digits, `-`, `_` and `.`";
    reader.report(Problem::at(name.span.clone(), message));
    None
}

fn servers(reader: &mut Reader<'_>, section: &mut Section<'_>) -> Option<Vec<Origin>> {
    let texts = section.texts(reader, "servers")?;
    let (title, count) = (section.title().to_owned(), texts.len());
    let mut servers = Vec::new();
    for text in texts {
        match text.value.parse::<Origin>() {
            Ok(origin) => servers.push(origin),
            Err(cause) => {
                let message = format!("`{}` is no server that the secret of {title} can be for", text.value);
                reader.report(Problem::at(text.span, message).says(cause));
            }
        }
    }
    (servers.len() == count).then_some(servers)
}

/// A word that must come from the environment or from a file; `thing` is what it is, in the problem.
pub(super) fn from_outside(
    reader: &mut Reader<'_>,
    section: &mut Section<'_>,
    key: &'static str,
    thing: &str,
) -> Option<At<Secret>> {
    let value = section.value(reader, key)?;
    reader.hide(value);
    match value.as_ref().as_str() {
        Some(text) if !render::is_reference(text) => {
            let message = format!("{thing} of {} stands in the manifest itself", section.title());
            reader.report(Problem::at(value.span(), message).help(format!(
                "keep it out of the file: `{key} = \"${{env:NAME}}\"` or `{key} = \"${{file:PATH}}\"`; a key that was \
                 ever written here should be replaced"
            )));
            None
        }
        _ => {
            let text = section.filled_text(reader, key)?;
            Some(At { value: Secret::new(text.value), span: text.span })
        }
    }
}
