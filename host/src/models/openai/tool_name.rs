//! A tool's name, from servers that send it in pieces and from servers that repeat it.

use crate::message::ToolDefinition;

/// The name known so far with what a further fragment says of it.
///
/// The offered tools decide what they can; a name that is no tool's is put together as pieces unless it is repeated.
pub(super) fn joined(known: &str, piece: &str, tools: &[ToolDefinition]) -> String {
    if piece.is_empty() || piece == known {
        return known.to_owned();
    }
    let whole = format!("{known}{piece}");
    let begins = |name: &str| tools.iter().any(|tool| tool.name.starts_with(name));
    if !begins(&whole) && begins(piece) { piece.to_owned() } else { whole }
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
        let name =
            |pieces: &[&str]| pieces.iter().fold(String::new(), |name, piece| joined(&name, piece, &tools));
        assert_eq!(name(&["add"]), "add");
        assert_eq!(name(&["add", "", "add"]), "add");
        assert_eq!(name(&["get_", "weather"]), "get_weather");
        assert_eq!(name(&["get_", "get_weather"]), "get_weather");
        assert_eq!(name(&["un", "known"]), "unknown");
    }
}
