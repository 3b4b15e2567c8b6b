//! `[[tool]]`: tools that a program outside runs.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::layers::unique_name;
use super::reader::Reader;
use super::section::Section;
use crate::message::ToolDefinition;

pub(super) fn read(reader: &mut Reader<'_>, root: &mut Section<'_>) -> Vec<ToolDefinition> {
    let mut names = HashMap::new();
    root.tables(reader, "tool")
        .into_iter()
        .filter_map(|mut section| {
            section.require("name", "add a line like `name = \"deploy\"`");
            section.require("description", "say what the tool does; the model chooses by it");
            let name = unique_name(reader, &mut section, &mut names, "tools");
            let description = section.filled_text(reader, "description");
            let parameters =
                section.json(reader, "parameters").unwrap_or_else(|| json!({ "type": "object" }));
            section.finish(reader);
            Some(ToolDefinition {
                name: name?,
                description: description?.value,
                parameters,
                parallel: true,
                metadata: Map::<String, Value>::new(),
            })
        })
        .collect()
}
