//! Reads the functions, types and constants that the bindings declare.

use std::sync::LazyLock;

use regex::Regex;

use crate::patterns::pattern;

static FUNCTION: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^(?:extern )?(\w+) (\w+)\((.*)\);$"));
static TYPE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^(?:typedef \w+ |\} )(\w+_t);$"));
static CONSTANT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^#define ([A-Z]\w+) "));

/// One parameter: its type without the star, and whether it is a pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parameter {
    pub(super) ty: String,
    pub(super) pointer: bool,
    pub(super) name: String,
}

impl Parameter {
    fn read(text: &str) -> Option<Self> {
        let (ty, name) = text.rsplit_once(' ')?;
        let bare = name.trim_start_matches('*');
        Some(Self { ty: ty.to_owned(), pointer: bare.len() < name.len(), name: bare.to_owned() })
    }

    /// As C declares it.
    pub(super) fn declared(&self) -> String {
        format!("{} {}{}", self.ty, if self.pointer { "*" } else { "" }, self.name)
    }
}

/// A function of the bindings.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) result: String,
    pub(super) name: String,
    pub(super) parameters: Vec<Parameter>,
}

/// What one header declares of use to a middleware, in its order.
#[derive(Clone, Debug, Default)]
pub(super) struct Header {
    pub(super) functions: Vec<Function>,
    pub(super) types: Vec<String>,
    pub(super) constants: Vec<String>,
}

impl Header {
    pub(super) fn read(text: &str) -> Self {
        let functions = FUNCTION.captures_iter(text).filter_map(|found| {
            let [result, name, inside] = found.extract().1;
            // Memory is the SDK's, and a middleware owns its handles.
            let wanted = !name.ends_with("_free") && !name.ends_with("_drop_borrow");
            wanted.then(|| Function {
                result: result.to_owned(),
                name: name.to_owned(),
                parameters: inside.split(", ").filter_map(Parameter::read).collect(),
            })
        });
        let first = |pattern: &Regex| -> Vec<String> {
            pattern.captures_iter(text).map(|found| found.extract::<1>().1[0].to_owned()).collect()
        };
        Self { functions: functions.collect(), types: first(&TYPE), constants: first(&CONSTANT) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read_as_the_bindings_write_it() {
        let header = Header::read(concat!(
            "#define CEPA_ROLE_USER 0\n",
            "typedef uint8_t cepa_role_t;\n",
            "typedef struct cepa_usage_t {\n  double input;\n} cepa_usage_t;\n",
            "// The step.\n",
            "extern uint32_t raw_context_step(void);\n",
            "bool raw_state_get(raw_state_scope_t scope, cepa_string_t *key, cepa_string_t *ret);\n",
        ));
        assert_eq!(header.constants, ["CEPA_ROLE_USER"]);
        assert_eq!(header.types, ["cepa_role_t", "cepa_usage_t"]);
        let names: Vec<&str> = header.functions.iter().map(|function| function.name.as_str()).collect();
        assert_eq!(names, ["raw_context_step", "raw_state_get"]);
        assert!(header.functions[0].parameters.is_empty());
        let declared: Vec<String> = header.functions[1].parameters.iter().map(Parameter::declared).collect();
        assert_eq!(declared, ["raw_state_scope_t scope", "cepa_string_t *key", "cepa_string_t *ret"]);
    }
}
