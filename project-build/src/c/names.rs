//! Gives what the bindings declare the contract's short names.
//!
//! The bindings have `raw_requests_method_model_request_push_message`, tell borrowed handles from owned ones, and take
//! each value by its address. A middleware says `cepa_model_request_push_message(request, message, err)`.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::contract::{HOOKS, IMPORTS};
use crate::patterns::pattern;

use super::header::{Function, Header, Parameter};

/// What names from these begin with in C goes unsaid; those of other interfaces keep it.
const SHARED: [&str; 3] = ["events", "requests", "flow"];

static NAME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(r"^raw_({})_(?:(method|static|constructor)_)?(\w+)$", IMPORTS.join("|")))
});
static TYPE: LazyLock<Regex> = LazyLock::new(|| {
    let hooks = HOOKS.join("|").replace('-', "_");
    pattern(&format!(r"^(?:raw_({})|exports_(?:{hooks}))_(?:(own|borrow)_)?(\w+_t)$", IMPORTS.join("|")))
});

/// The short names of one header of bindings.
pub(super) struct Names {
    pub(super) header: Header,
    declared: HashSet<String>,
    /// Short and long, in the header's order.
    types: Vec<(String, String)>,
}

impl Names {
    pub(super) fn new(header: Header) -> Self {
        let declared = header.functions.iter().map(|function| function.name.clone()).collect();
        let mut names = Self { declared, types: Vec::new(), header };
        for long in names.header.types.clone() {
            // Several interfaces make a `list-message`, all alike; the first one stands for all.
            let short = names.ty(&long);
            let taken = names.has_type(&short);
            if !taken && !long.starts_with("exports_") && !long.contains("_borrow_") {
                names.types.push((short, long));
            }
        }
        names
    }

    /// All short names, as a header on top of that of the bindings.
    pub(super) fn header(&self) -> String {
        let types = self.types.iter().filter(|(short, long)| short != long);
        let types = types.map(|(short, long)| format!("typedef {long} {short};\n"));
        let constants = self.header.constants.iter().filter(|name| name.starts_with("RAW_"));
        let constants = constants.map(|name| format!("#define {} {name}\n", short_constant(name)));
        let functions = self.header.functions.iter();
        let functions =
            functions.filter_map(|function| Some(self.wrapped(function, &short_name(&function.name)?)));
        let lines: String = types.chain(constants).chain(functions).collect();
        format!("#pragma once\n#include \"cepa.h\"\n\n{lines}")
    }

    /// What a middleware calls a type of the bindings.
    pub(super) fn ty(&self, long: &str) -> String {
        let Some(found) = TYPE.captures(long) else { return long.to_owned() };
        let part = |at| found.get(at).map(|part| part.as_str());
        let (interface, handle, rest) = (part(1), part(2), part(3).unwrap_or_default());
        let short = format!("cepa_{rest}");
        match interface {
            Some(interface) if handle.is_none() && !SHARED.contains(&interface) && !self.has_type(&short) => {
                format!("cepa_{interface}_{rest}")
            }
            _ => short,
        }
    }

    /// What a middleware gives a function, or is given.
    pub(super) fn parameters(&self, function: &Function) -> String {
        let declared: Vec<String> =
            function.parameters.iter().map(|one| self.plain(one).declared()).collect();
        if declared.is_empty() { "void".to_owned() } else { declared.join(", ") }
    }

    fn has_type(&self, short: &str) -> bool {
        self.types.iter().any(|(known, _)| known == short)
    }

    fn plain(&self, one: &Parameter) -> Parameter {
        let name = if one.name == "self" { "handle" } else { &one.name };
        Parameter { ty: self.ty(&one.ty), pointer: one.pointer && may_be_null(one), name: name.to_owned() }
    }

    /// A function of the short name, which calls that of the bindings. Its comment stays behind: what the contract takes
    /// away, such as a request, is a copy here.
    fn wrapped(&self, function: &Function, short: &str) -> String {
        let given: Vec<String> =
            function.parameters.iter().map(|one| self.passed(one, &function.name)).collect();
        let call = format!("{}({})", function.name, given.join(", "));
        let mut made = function.clone();
        made.result = self.ty(&function.result);
        let body = match function.parameters.iter().find(|one| one.name == "ret") {
            None if is_handle(&function.result) => format!("return ({}){{{call}.__handle}};", made.result),
            None if made.result == "void" => format!("{call};"),
            None => format!("return {call};"),
            // What a loop asks: whether there were any.
            Some(_) if function.name.ends_with("_run_next") => {
                made.result = "bool".to_owned();
                format!("{call}; return ret->len > 0;")
            }
            // Nothing else can come of it, so it is the result.
            Some(ret) if made.result == "void" => {
                made.result = self.ty(&ret.ty);
                made.parameters.retain(|one| one.name != "ret");
                let call = call.replace("*)ret", "*)&given");
                format!("{} given = {{0}}; {call}; return given;", made.result)
            }
            // The bindings leave it undefined where there is nothing to give.
            Some(ret) => format!("*ret = ({}){{0}}; return {call};", self.ty(&ret.ty)),
        };
        let parameters = self.parameters(&made);
        format!("static inline {} {short}({parameters}) {{ {body} }}\n", made.result)
    }

    /// How the bindings' function `of` is given a parameter.
    fn passed(&self, one: &Parameter, of: &str) -> String {
        let plain = self.plain(one);
        if one.pointer {
            return format!("({} *){}{}", one.ty, if plain.pointer { "" } else { "&" }, plain.name);
        }
        if !is_handle(&one.ty) {
            return plain.name;
        }
        // What goes in is a copy, which costs nothing, so that the caller's handle stays its own.
        let resource = plain.ty.trim_start_matches("cepa_").trim_end_matches("_t");
        let clone = format!("raw_requests_method_{resource}_clone");
        let handed_on =
            one.ty.contains("_own_") && self.declared.contains(&clone) && !of.ends_with("_drop_own");
        match short_name(&clone).filter(|_| handed_on) {
            Some(clone) => format!("({}){{{clone}({}).__handle}}", one.ty, plain.name),
            None => format!("({}){{{}.__handle}}", one.ty, plain.name),
        }
    }
}

/// What a middleware calls a function; none for one that is not the contract's.
fn short_name(long: &str) -> Option<String> {
    let found = NAME.captures(long)?;
    let part = |at| found.get(at).map(|part| part.as_str());
    let (interface, kind, rest) = (part(1)?, part(2), part(3)?);
    Some(match (kind, rest.strip_suffix("_drop_own")) {
        (Some("constructor"), _) => format!("cepa_{rest}_new"),
        (_, Some(resource)) => format!("cepa_{resource}_drop"),
        (Some(_), None) => format!("cepa_{rest}"),
        (None, None) => format!("cepa_{interface}_{rest}"),
    })
}

fn short_constant(long: &str) -> String {
    let (interface, rest) = long.trim_start_matches("RAW_").split_once('_').unwrap_or(("", long));
    if SHARED.contains(&interface.to_lowercase().as_str()) {
        format!("CEPA_{rest}")
    } else {
        format!("CEPA_{interface}_{rest}")
    }
}

fn is_handle(ty: &str) -> bool {
    TYPE.captures(ty).is_some_and(|found| found.get(2).is_some())
}

/// Whether a middleware gives an address: of where something goes, or of what may be absent.
fn may_be_null(one: &Parameter) -> bool {
    ["ret", "err"].contains(&one.name.as_str()) || one.name.starts_with("maybe_")
}
