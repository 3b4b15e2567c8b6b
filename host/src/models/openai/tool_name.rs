//! A tool's name, from servers that send it in pieces and from servers that repeat it.

use crate::message::ToolDefinition;

/// No tool has a longer name, and no more of it is taken.
const NAME_BYTES_MAX: usize = 1024;

/// Takes what a further fragment says of the name known so far.
///
/// The offered tools decide what they can; a name that is no tool's is put together as pieces unless it is repeated.
pub(super) fn join(known: &mut String, piece: &str, tools: &[ToolDefinition]) {
    if piece.is_empty() || piece == known.as_str() || known.len() > NAME_BYTES_MAX {
        return;
    }
    let whole = format!("{known}{piece}");
    let begins = |name: &str| tools.iter().any(|tool| tool.name.starts_with(name));
    *known = if !begins(&whole) && begins(piece) { piece.to_owned() } else { whole };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_and_repetitions_are_told_apart() {
        let tool = |name: &str| ToolDefinition {
            name: name.to_owned(),
            description: String::new(),
            parameters: serde_json::Value::Null,
            parallel: true,
            metadata: serde_json::Map::new(),
        };
        let tools = [tool("get_weather"), tool("add")];
        let name = |pieces: &[&str]| {
            let mut name = String::new();
            pieces.iter().for_each(|piece| join(&mut name, piece, &tools));
            name
        };
        assert_eq!(name(&["add"]), "add");
        assert_eq!(name(&["add", "", "add"]), "add");
        assert_eq!(name(&["get_", "weather"]), "get_weather");
        assert_eq!(name(&["get_", "get_weather"]), "get_weather");
        assert_eq!(name(&["un", "known"]), "unknown");
        let endless = name(&["xy", "z"].repeat(1000)).len();
        assert!((NAME_BYTES_MAX..NAME_BYTES_MAX + 3).contains(&endless), "{endless}");
    }
}
