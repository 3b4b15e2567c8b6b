//! `[permissions]`: which tool calls may run.

use super::problem::Problem;
use super::reader::Reader;
use super::section::Section;
use crate::agent::{PermissionRule, PermissionRules};
use crate::request::Permission;

pub(super) fn read(reader: &mut Reader<'_>, root: &mut Section<'_>) -> PermissionRules {
    let Some(mut section) = root.table(reader, "permissions") else { return PermissionRules::default() };
    let words = [("allow", Permission::Allow), ("ask", Permission::Ask), ("deny", Permission::Deny)];
    let rules = PermissionRules {
        default: section.word(reader, "default", &words).unwrap_or(PermissionRules::default().default),
        allow: list(reader, &mut section, "allow"),
        ask: list(reader, &mut section, "ask"),
        deny: list(reader, &mut section, "deny"),
    };
    section.finish(reader);
    rules
}

fn list(reader: &mut Reader<'_>, section: &mut Section<'_>, key: &'static str) -> Vec<PermissionRule> {
    let mut rules = Vec::new();
    for text in section.texts(reader, key).unwrap_or_default() {
        match text.value.parse::<PermissionRule>() {
            Ok(rule) => rules.push(rule),
            Err(error) => reader.report(
                Problem::at(text.span, format!("`{}` is no rule about tool calls", error.rule))
                    .says(error.cause)
                    .help("write `tool` or `tool(argument=pattern)`, where `*` stands for any characters"),
            ),
        }
    }
    rules
}
