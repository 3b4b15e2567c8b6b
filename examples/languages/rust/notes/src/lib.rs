//! Gives the model tools to keep notes: from its own words, or from what a server answers.

use cepa_sdk::state::{self, Scope};
use cepa_sdk::{
    Error, ErrorKind, Middleware, NoConfig, ResultPart, Sink, ToolDefinition, ToolRequest, ToolResponse,
    ToolSource, ToolState, context, http,
};
use serde_json::{Map, Value, json};

/// How many characters of what a server answers are kept.
const KEPT: usize = 200;

/// Each tool: its name, what it does, and what it takes.
const TOOLS: [(&str, &str, Option<&str>); 3] = [
    ("add_note", "Keeps a note.", Some("text")),
    ("list_notes", "Gives all notes, one a line.", None),
    ("fetch_note", "Keeps the beginning of what is at an address as a note.", Some("url")),
];

/// The middleware.
#[derive(Debug)]
pub struct Notes;

impl Middleware for Notes {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl ToolSource for Notes {
    fn list_tools(&self) -> Result<Vec<ToolDefinition>, Error> {
        Ok(TOOLS.map(definition).into())
    }

    fn call_tool(&self, request: ToolRequest, _: Sink) -> Result<ToolResponse, Error> {
        let given: Value = serde_json::from_str(&request.arguments())?;
        // The host has checked that it is there.
        let text = |key: &str| given[key].as_str().unwrap_or_default().to_owned();
        match request.name().as_str() {
            "add_note" => noted(text("text")),
            "list_notes" => {
                let notes: Vec<String> = state::get_json(Scope::Layer, &key())?.unwrap_or_default();
                Ok(result(ToolState::Success, notes.join("\n")))
            }
            "fetch_note" => match fetched(&text("url")) {
                Ok(note) => noted(note),
                Err(refused) => Ok(result(ToolState::Error, refused.message)),
            },
            other => Err(Error::new(ErrorKind::NotFound, format!("there is no tool `{other}`"))),
        }
    }
}

fn noted(text: String) -> Result<ToolResponse, Error> {
    let count = state::update_json(Scope::Layer, &key(), |notes: &mut Vec<String>| {
        notes.push(text.clone());
        Ok(notes.len())
    })?;
    Ok(result(ToolState::Success, format!("noted: {count} notes")))
}

/// The beginning of what is at an address.
fn fetched(url: &str) -> Result<String, Error> {
    // A character has at most four bytes.
    let body = http::read_start(&http::get(url)?, 4 * KEPT)?;
    Ok(String::from_utf8_lossy(&body).chars().take(KEPT).collect())
}

/// One list for each session.
fn key() -> String {
    context::session_id()
}

fn result(state: ToolState, text: String) -> ToolResponse {
    ToolResponse::new(state, &[ResultPart::text(text)])
}

fn definition((name, description, wanted): (&str, &str, Option<&str>)) -> ToolDefinition {
    let properties: Map<String, Value> =
        wanted.map(|wanted| (wanted.to_owned(), json!({ "type": "string" }))).into_iter().collect();
    let required: Vec<&str> = wanted.into_iter().collect();
    let parameters = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    ToolDefinition {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: parameters.to_string(),
        parallel: false,
        metadata: String::new(),
    }
}

cepa_sdk::export!(Notes: ToolSource);

#[cfg(test)]
mod tests {
    use super::*;
    use cepa_sdk::rig::{HttpResponseData, Rig, with};

    #[test]
    fn a_note_is_there_on_the_next_call() -> Result<(), Error> {
        let rig = Rig::<Notes>::new(NoConfig {})?;
        rig.call_tool("add_note", r#"{ "text": "buy onions" }"#).result?;
        assert_eq!(rig.call_tool("list_notes", "{}").result?.text(), "buy onions");
        Ok(())
    }

    #[test]
    fn only_the_beginning_of_an_answer_is_kept() -> Result<(), Error> {
        let rig = Rig::<Notes>::new(NoConfig {})?;
        with(|world| {
            let body = "é".repeat(KEPT + 1).into_bytes();
            let url = "http://a".to_owned();
            world.http_answers.push_back(Ok(HttpResponseData {
                status: 200,
                url,
                headers: Vec::new(),
                body,
            }));
        });
        rig.call_tool("fetch_note", r#"{ "url": "http://a" }"#).result?;
        assert_eq!(rig.call_tool("list_notes", "{}").result?.text(), "é".repeat(KEPT));
        Ok(())
    }
}
