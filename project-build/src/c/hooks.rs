//! Writes what stands between the bindings' exports and the functions of a middleware.

use std::fmt::Write as _;
use std::sync::LazyLock;

use regex::Regex;

use crate::contract::HOOKS;
use crate::patterns::pattern;
use crate::project::Project;

use super::header::Function;
use super::names::Names;

/// A function of an interface with several, whose names say what they do. Else it is named after its hook.
const OWN_NAMES: [&str; 3] = ["kinds", "list_tools", "call_tool"];

static EXPORT: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"^exports_({})_(\w+)$", HOOKS.join("|").replace('-', "_"))));

/// A function that a middleware writes.
pub(super) struct Written<'a> {
    /// Its hook, as the contract names it.
    pub(super) hook: String,
    pub(super) name: String,
    function: &'a Function,
}

impl Written<'_> {
    /// As it is declared.
    pub(super) fn prototype(&self, names: &Names) -> String {
        format!("{} {}({})", names.ty(&self.function.result), self.name, names.parameters(self.function))
    }
}

/// What a middleware with these bindings writes.
pub(super) fn written(names: &Names) -> Vec<Written<'_>> {
    let functions = names.header.functions.iter();
    functions
        .filter_map(|function| {
            let found = EXPORT.captures(&function.name)?;
            let (hook, own) = (found.get(1)?.as_str(), found.get(2)?.as_str());
            let name = if OWN_NAMES.contains(&own) { own } else { hook };
            Some(Written { hook: hook.replace('_', "-"), name: name.to_owned(), function })
        })
        .collect()
}

/// The hooks' prototypes.
pub(super) fn header(names: &Names) -> String {
    let lines: String = written(names).iter().map(|one| format!("{};\n", one.prototype(names))).collect();
    format!("#pragma once\n#include \"names.h\"\n\n{lines}")
}

/// The bindings' exports, each of which calls the middleware's function and clears up behind it.
pub(super) fn exports(names: &Names, project: &Project) -> String {
    let mut text = String::from("#include \"cepa.h\"\n\n");
    for one in written(names) {
        text.push_str(&export(names, &one));
    }
    if let Some(schema) = &project.schema {
        let literal = literal(&schema.text);
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "void exports_configuration_schema(cepa_string_t *ret) {{ *ret = CEPA_TEXT({literal}); }}"
        );
    }
    text
}

fn export(names: &Names, written: &Written<'_>) -> String {
    let Written { name, function, .. } = written;
    let (mut begin, mut end) = (vec!["cepa_hook_begins();".to_owned()], Vec::new());
    let (mut given, mut response) = (Vec::new(), None);
    for one in &function.parameters {
        let short = names.ty(&one.ty);
        match one.name.as_str() {
            "ret" | "err" => {
                begin.push(format!("*{} = ({}){{0}};", one.name, one.ty));
                given.push(format!("({short} *){}", one.name));
                if one.name == "ret" && one.ty.contains("_own_") {
                    response = Some(short);
                }
            }
            _ if one.pointer => given.push(format!("*({short} *){}", one.name)),
            _ => {
                let handle = format!("({short}){{{}.__handle}}", one.name);
                end.push(format!("{}({handle});", drop_of(&short)));
                given.push(handle);
            }
        }
    }
    let call = format!("{name}({})", given.join(", "));
    let mut lines = begin;
    match function.result.as_str() {
        "void" => lines.push(format!("{call};")),
        "bool" => {
            lines.push(format!("bool done = {call};"));
            if let Some(response) = response {
                lines.push(format!("if (done && !ret->__handle) done = cepa_forgot(\"{name}\", err);"));
                let drop = drop_of(&response);
                lines.push(format!("if (!done && ret->__handle) {drop}(({response}){{ret->__handle}});"));
            }
            lines.push(format!("if (!done) cepa_explain(\"{name}\", err);"));
        }
        result => lines.push(format!("{result} done = {call};")),
    }
    lines.append(&mut end);
    lines.push("cepa_hook_ends();".to_owned());
    if function.result != "void" {
        lines.push("return done;".to_owned());
    }
    let parameters: Vec<String> =
        function.parameters.iter().map(super::header::Parameter::declared).collect();
    let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
    let body: String = lines.iter().map(|line| format!("  {line}\n")).collect();
    format!("{} {}({parameters}) {{\n{body}}}\n\n", function.result, function.name)
}

fn drop_of(ty: &str) -> String {
    format!("{}_drop", ty.trim_end_matches("_t"))
}

/// A text as C writes it. What is no ASCII goes byte by byte, in octal, since that ends by itself.
fn literal(text: &str) -> String {
    let escaped = |byte: u8| {
        let plain = (32..127).contains(&byte) && !b"\"\\?".contains(&byte);
        if plain { char::from(byte).to_string() } else { format!("\\{byte:03o}") }
    };
    format!("\"{}\"", text.bytes().map(escaped).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::literal;

    #[test]
    fn a_text_is_one_literal_whatever_is_in_it() {
        assert_eq!(literal("{\"a\": 1}\n"), r#""{\042a\042: 1}\012""#);
        assert_eq!(literal("é1??/"), r#""\303\2511\077\077/""#);
    }
}
