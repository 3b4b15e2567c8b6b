//! `grants.http` and `grants.secrets`: which servers a layer may ask, and what goes with its requests.

use super::problem::Problem;
use super::reader::{At, Reader};
use super::secrets::Secrets;
use super::section::Section;
use super::words::{listed, suggestion};
use crate::http::{Rule, SecretGrant};

pub(super) fn rules(reader: &mut Reader<'_>, grants: &mut Section<'_>) -> Vec<Rule> {
    let mut rules = Vec::new();
    for text in grants.texts(reader, "http").unwrap_or_default() {
        match text.value.parse::<Rule>() {
            Ok(rule) => rules.push(rule),
            Err(cause) => {
                let message = format!("`{}` is no rule about requests", text.value);
                reader.report(Problem::at(text.span, message).says(cause));
            }
        }
    }
    rules
}

/// The secrets of a layer, which has requests that they can go with.
pub(super) fn secrets(
    reader: &mut Reader<'_>,
    grants: &mut Section<'_>,
    declared: &Secrets,
    rules: &[Rule],
) -> Vec<SecretGrant> {
    let names = grants.texts(reader, "secrets").unwrap_or_default();
    if let Some(first) = names.first().filter(|_| rules.is_empty()) {
        let message = format!("secret `{}` can't be used without a grant of `http`", first.value);
        let help = "secrets go with requests alone: add `http = [\"https://...\"]` to the grants";
        reader.report(Problem::at(first.span.clone(), message).help(help));
    }
    names.iter().filter_map(|name| secret(reader, name, declared)).collect()
}

fn secret(reader: &mut Reader<'_>, name: &At<String>, declared: &Secrets) -> Option<SecretGrant> {
    let known: Vec<&str> = declared.names.iter().map(String::as_str).collect();
    if !known.contains(&name.value.as_str()) {
        let problem = Problem::at(name.span.clone(), format!("there is no secret `{}`", name.value));
        reader.report(match suggestion(&name.value, &known) {
            Some(says) => problem.says(says),
            None if known.is_empty() => problem.help("add a table like `[secrets.NAME]`"),
            None => problem.help(format!("the secrets are {}", listed(&known, "and"))),
        });
    }
    // One that is declared and can't be used was reported there.
    declared.grants.iter().find(|secret| secret.name() == name.value).cloned()
}
