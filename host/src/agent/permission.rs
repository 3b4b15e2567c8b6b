//! The operator's rules about which tool calls may run.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use parking_lot::RwLock;
use serde_json::{Map, Value};

use crate::request::{Permission, PermissionDecision};

/// Rules about tool calls. Deny wins over ask, and ask over allow; a call that no rule matches gets the default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionRules {
    /// Calls that never run.
    pub deny: Vec<PermissionRule>,
    /// Calls that a person decides.
    pub ask: Vec<PermissionRule>,
    /// Calls that run.
    pub allow: Vec<PermissionRule>,
    /// What happens to all others.
    pub default: Permission,
}

impl Default for PermissionRules {
    /// Allows every call.
    fn default() -> Self {
        Self::unmatched(Permission::Allow)
    }
}

impl PermissionRules {
    /// No rules, and this for every call.
    pub fn unmatched(default: Permission) -> Self {
        Self { deny: Vec::new(), ask: Vec::new(), allow: Vec::new(), default }
    }

    /// What the rules say of a call.
    pub fn decide(&self, tool: &str, arguments: &Map<String, Value>) -> PermissionDecision {
        let lists =
            [(Permission::Deny, &self.deny), (Permission::Ask, &self.ask), (Permission::Allow, &self.allow)];
        for (permission, rules) in lists {
            if let Some(rule) = rules.iter().find(|rule| rule.matches(tool, arguments)) {
                let reason = format!("the rule `{rule}` says {}", word(permission));
                return PermissionDecision { permission, reason };
            }
        }
        let reason = format!("no rule matches, and the default is {}", word(self.default));
        PermissionDecision { permission: self.default, reason }
    }
}

/// The stricter of two decisions; the first if they are equally strict.
pub(super) fn stricter(one: PermissionDecision, other: PermissionDecision) -> PermissionDecision {
    if other.permission > one.permission { other } else { one }
}

/// The rules that hold now: each call is decided by those of its moment.
#[derive(Debug, Default)]
pub(super) struct Ruling(RwLock<Arc<PermissionRules>>);

impl Ruling {
    pub(super) fn new(rules: PermissionRules) -> Self {
        Self(RwLock::new(Arc::new(rules)))
    }

    pub(super) fn now(&self) -> Arc<PermissionRules> {
        Arc::clone(&self.0.read())
    }

    pub(super) fn replace(&self, rules: PermissionRules) {
        *self.0.write() = Arc::new(rules);
    }
}

fn word(permission: Permission) -> &'static str {
    match permission {
        Permission::Allow => "allow",
        Permission::Ask => "ask",
        Permission::Deny => "deny",
    }
}

/// Which calls a rule is about: a pattern of tool names, and patterns that named arguments must match.
///
/// Written `tool` or `tool(argument=pattern, …)`, where `*` stands for any characters and `?` for one:
/// `delete_*`, `shell(command=rm *)`. An argument inside an object is named `outer.inner`. An argument that is no
/// string is matched by its JSON text. A pattern with a comma or a bracket is put in double quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionRule {
    text: String,
    tool: String,
    arguments: Vec<(String, String)>,
}

/// A rule that can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("permission rule `{rule}`: {cause}")]
pub struct RuleError {
    /// The rule.
    pub rule: String,
    /// What is wrong.
    pub cause: &'static str,
}

impl PermissionRule {
    /// Whether the rule is about this call.
    pub fn matches(&self, tool: &str, arguments: &Map<String, Value>) -> bool {
        glob(&self.tool, tool)
            && self.arguments.iter().all(|(path, pattern)| {
                argument(arguments, path).is_some_and(|value| match value {
                    Value::String(text) => glob(pattern, text),
                    other => glob(pattern, &other.to_string()),
                })
            })
    }
}

impl fmt::Display for PermissionRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for PermissionRule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let fail = |cause| RuleError { rule: text.to_owned(), cause };
        let rule = text.trim();
        let (tool, arguments) = match rule.split_once('(') {
            None => (rule, Vec::new()),
            Some((tool, rest)) => {
                let inner = rest.strip_suffix(')').ok_or_else(|| fail("the closing bracket is missing"))?;
                (tool.trim(), patterns(inner).map_err(fail)?)
            }
        };
        if tool.is_empty() {
            return Err(fail("the tool's name or pattern is missing"));
        }
        Ok(Self { text: rule.to_owned(), tool: tool.to_owned(), arguments })
    }
}

/// Reads `name=pattern, name="pattern"`.
fn patterns(mut text: &str) -> Result<Vec<(String, String)>, &'static str> {
    let mut found = Vec::new();
    loop {
        let (name, rest) = text.split_once('=').ok_or("an argument needs the form `name=pattern`")?;
        let name = name.trim();
        if name.is_empty() {
            return Err("the argument's name is missing");
        }
        let (pattern, rest) = match rest.trim_start().strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').ok_or("the closing quote is missing")?,
            None => rest.find(',').map_or((rest, ""), |at| rest.split_at(at)),
        };
        found.push((name.to_owned(), pattern.trim().to_owned()));
        match rest.trim_start().strip_prefix(',') {
            Some(more) => text = more,
            None if rest.trim().is_empty() => return Ok(found),
            None => return Err("a comma is missing between two arguments"),
        }
    }
}

/// The argument at a path of names joined by dots; a whole name with dots in it comes first.
fn argument<'a>(arguments: &'a Map<String, Value>, path: &str) -> Option<&'a Value> {
    arguments.get(path).or_else(|| {
        let (outer, inner) = path.split_once('.')?;
        argument(arguments.get(outer)?.as_object()?, inner)
    })
}

/// Whether a text matches a pattern of `*` and `?`. Linear in memory, and never more than product in time.
fn glob(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut seen) = (0, 0);
    // Where the last `*` stood, and how much of the text it takes so far.
    let mut star: Option<(usize, usize)> = None;
    while let Some(letter) = text.get(seen) {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, seen));
                at += 1;
            }
            Some(wanted) if *wanted == '?' || wanted == letter => {
                at += 1;
                seen += 1;
            }
            _ => match &mut star {
                Some((stood, taken)) => {
                    *taken += 1;
                    at = *stood + 1;
                    seen = *taken;
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(at).all(|letter| *letter == '*')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rule(text: &str) -> PermissionRule {
        text.parse().expect("a rule")
    }

    fn matches(text: &str, tool: &str, arguments: &Value) -> bool {
        rule(text).matches(tool, arguments.as_object().expect("an object"))
    }

    #[test]
    fn patterns_match_names_and_arguments() {
        assert!(matches("delete_*", "delete_file", &json!({})));
        assert!(!matches("delete_*", "undelete_file", &json!({})));
        assert!(matches("shell(command=rm *)", "shell", &json!({"command": "rm -rf x"})));
        assert!(!matches("shell(command=rm *)", "shell", &json!({"command": "ls"})));
        assert!(!matches("shell(command=*)", "shell", &json!({})));
        assert!(matches(
            "pay(amount=1??, to.name=\"a, (b)\")",
            "pay",
            &json!({"amount": 123, "to": {"name": "a, (b)"}})
        ));
        assert!(matches("*(path=*/../*)", "read", &json!({"path": "a/../b"})));
    }

    #[test]
    fn rules_that_cannot_be_read_say_why() {
        let causes: Vec<String> = ["", "(a=b)", "x(a=b", "x(a)", "x(=b)", "x(a=\"b)", "x(a=\"b\" c=d)"]
            .into_iter()
            .map(|text| text.parse::<PermissionRule>().expect_err(text).to_string())
            .collect();
        insta::assert_snapshot!(causes.join("\n"), @r#"
        permission rule ``: the tool's name or pattern is missing
        permission rule `(a=b)`: the tool's name or pattern is missing
        permission rule `x(a=b`: the closing bracket is missing
        permission rule `x(a)`: an argument needs the form `name=pattern`
        permission rule `x(=b)`: the argument's name is missing
        permission rule `x(a="b)`: the closing quote is missing
        permission rule `x(a="b" c=d)`: a comma is missing between two arguments
        "#);
    }

    #[test]
    fn deny_wins_over_ask_and_ask_over_allow() {
        let mut rules = PermissionRules::unmatched(Permission::Deny);
        rules.allow = vec![rule("*")];
        rules.ask = vec![rule("write*")];
        rules.deny = vec![rule("write(path=/etc/*)")];
        let decide = |tool: &str, arguments: Value| {
            rules.decide(tool, arguments.as_object().expect("an object")).permission
        };
        assert_eq!(decide("read", json!({})), Permission::Allow);
        assert_eq!(decide("write", json!({"path": "a"})), Permission::Ask);
        assert_eq!(decide("write", json!({"path": "/etc/passwd"})), Permission::Deny);
        rules.allow.clear();
        assert_eq!(rules.decide("read", &Map::new()).permission, Permission::Deny);
    }
}
