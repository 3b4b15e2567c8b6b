//! Puts tool calls together from the fragments that servers send of them.
//!
//! By the protocol a fragment carries an index, the first of each call its id and name, and all a piece of the
//! arguments. In the wild the index is missing or always 0, ids and names are repeated, changed or left out, names
//! come in pieces, and arguments as objects.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use super::tool_name::join;
use crate::message::ToolDefinition;
use crate::models::answer::{Answer, Slot, is_whole};
use crate::models::growing::GrowingJson;

/// The tool calls of one answer.
#[derive(Debug)]
pub(super) struct ToolCalls {
    tools: Arc<Vec<ToolDefinition>>,
    calls: Vec<Call>,
    /// Where the last call with an index stands.
    by_index: HashMap<u64, usize>,
    /// Where the last call with an id stands.
    by_id: HashMap<String, usize>,
    /// Whether calls came in the form that is no longer of old.
    modern: bool,
}

#[derive(Debug, Default)]
struct Call {
    id: String,
    name: String,
    arguments: GrowingJson,
    /// Absent until the name is known to be whole: an event that tells of the call can't be changed.
    slot: Option<Slot>,
}

/// One fragment, as far as it says anything.
struct Fragment<'a> {
    index: Option<u64>,
    id: &'a str,
    name: &'a str,
    arguments: Cow<'a, str>,
}

impl ToolCalls {
    pub(super) fn new(tools: Arc<Vec<ToolDefinition>>) -> Self {
        Self { tools, calls: Vec::new(), by_index: HashMap::new(), by_id: HashMap::new(), modern: false }
    }

    /// Takes a fragment.
    pub(super) fn fragment(&mut self, fragment: &Value, answer: &mut Answer) {
        self.modern = true;
        let function = fragment.get("function").unwrap_or(fragment);
        self.take(
            &Fragment {
                index: fragment.get("index").and_then(Value::as_u64),
                id: text(fragment, "id"),
                name: text(function, "name"),
                arguments: arguments(function),
            },
            answer,
        );
    }

    /// Takes a fragment in the form of old: one call, without index and id.
    pub(super) fn legacy(&mut self, call: &Value, answer: &mut Answer) {
        if self.modern {
            return;
        }
        let (name, arguments) = (text(call, "name"), arguments(call));
        self.take(&Fragment { index: Some(0), id: "", name, arguments }, answer);
    }

    /// Tells of the call that was held back, since no more of its name will come. It can only be the last one.
    pub(super) fn begin_last(&mut self, answer: &mut Answer) {
        if let Some(call) = self.calls.last_mut() {
            call.begin(answer);
        }
    }

    /// Writes what servers leave out of a call that wants no arguments.
    pub(super) fn fill(&self, answer: &mut Answer) {
        for slot in self.calls.iter().filter_map(|call| call.slot) {
            if answer.arguments(slot).trim().is_empty() {
                answer.append(slot, "{}");
            }
        }
    }

    fn take(&mut self, fragment: &Fragment<'_>, answer: &mut Answer) {
        let place = match self.place(fragment, answer) {
            Some(place) => place,
            None => self.add(fragment.index, answer),
        };
        let Some(call) = self.calls.get_mut(place) else { return };
        if call.slot.is_none() {
            if call.id.is_empty() && !fragment.id.is_empty() {
                fragment.id.clone_into(&mut call.id);
                self.by_id.insert(call.id.clone(), place);
            }
            join(&mut call.name, fragment.name, &self.tools);
        }
        if !fragment.arguments.is_empty() {
            let slot = call.begin(answer);
            // A call that is sent again as a whole, as some servers do at the end, is still one.
            let again = answer.arguments(slot) == fragment.arguments && is_whole(&fragment.arguments);
            if !again {
                call.arguments.take(&fragment.arguments);
                answer.append(slot, &fragment.arguments);
            }
        }
    }

    /// Adds a call, and gives its place.
    fn add(&mut self, index: Option<u64>, answer: &mut Answer) -> usize {
        self.begin_last(answer);
        let place = self.calls.len();
        self.calls.push(Call::default());
        if let Some(index) = index {
            self.by_index.insert(index, place);
        }
        place
    }

    /// The call that a fragment goes on with; `None` when it begins one.
    fn place(&mut self, fragment: &Fragment<'_>, answer: &Answer) -> Option<usize> {
        let found = match fragment.index {
            Some(index) => *self.by_index.get(&index)?,
            None => self.without_index(fragment)?,
        };
        let call = self.calls.get_mut(found)?;
        (!is_another(call, fragment, answer)).then_some(found)
    }

    fn without_index(&self, fragment: &Fragment<'_>) -> Option<usize> {
        // No call stands there without an id.
        self.by_id.get(fragment.id).copied().or_else(|| self.calls.len().checked_sub(1))
    }
}

/// Whether a fragment that seems to go on with this call begins another: it names a tool, does not repeat the id, and
/// the call could be done.
fn is_another(call: &mut Call, fragment: &Fragment<'_>, answer: &Answer) -> bool {
    if fragment.name.is_empty() || call.name.is_empty() {
        return false;
    }
    let arguments = call.slot.map_or("", |slot| answer.arguments(slot));
    // Parsed once they are closed, and not for each fragment: there may be any number of them.
    let whole = |json: &mut GrowingJson| json.is_whole(|| is_whole(arguments));
    match (call.id.as_str(), fragment.id) {
        ("", _) | (_, "") => {
            // Nothing but whole arguments can end a call here. Where there is an index, the name or the whole call
            // may just be repeated, so something must follow that has no place in the call.
            let follows = !fragment.arguments.trim().is_empty() && fragment.arguments != arguments;
            (fragment.index.is_none() || follows) && whole(&mut call.arguments)
        }
        (known, id) => known != id && (arguments.is_empty() || whole(&mut call.arguments)),
    }
}

impl Call {
    fn begin(&mut self, answer: &mut Answer) -> Slot {
        *self.slot.get_or_insert_with(|| answer.open_call(&self.id, &self.name))
    }
}

fn text<'a>(object: &'a Value, key: &str) -> &'a str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn arguments(function: &Value) -> Cow<'_, str> {
    match function.get("arguments") {
        Some(Value::String(text)) => Cow::Borrowed(text),
        None | Some(Value::Null) => Cow::Borrowed(""),
        Some(object) => Cow::Owned(object.to_string()),
    }
}
