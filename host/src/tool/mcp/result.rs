//! What a server's tool answered, in the words of the host.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{CallToolResult, ContentBlock, Resource, ResourceContents};
use serde_json::Map;

use crate::message::{Data, DataSource, ResultPart, ToolState};
use crate::request::{ToolResponse, ToolResponseData};

/// The response to a tool request.
///
/// Structured content goes into the metadata as `structured-content`; it is the answer where there is no other.
pub(super) fn response(result: CallToolResult) -> ToolResponse {
    let mut content: Vec<_> = result.content.into_iter().map(part).collect();
    let mut metadata = Map::new();
    if let Some(structured) = result.structured_content {
        if content.is_empty() {
            content.push(ResultPart::text(structured.to_string()));
        }
        metadata.insert("structured-content".to_owned(), structured);
    }
    let state = if result.is_error == Some(true) { ToolState::Error } else { ToolState::Success };
    ToolResponse::new(ToolResponseData { state, content, metadata })
}

fn part(block: ContentBlock) -> ResultPart {
    match block {
        ContentBlock::Text(text) => ResultPart::text(text.text),
        ContentBlock::Image(image) => bytes(&image.data, image.mime_type, None),
        ContentBlock::Audio(audio) => bytes(&audio.data, audio.mime_type, None),
        ContentBlock::Resource(embedded) => resource(embedded.resource),
        ContentBlock::ResourceLink(named) => link(named),
        _ => unknown(),
    }
}

fn resource(contents: ResourceContents) -> ResultPart {
    match contents {
        ResourceContents::TextResourceContents { text, .. } => ResultPart::text(text),
        ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
            let name = uri.rsplit('/').next().filter(|name| !name.is_empty()).map(str::to_owned);
            bytes(&blob, mime_type.unwrap_or_else(|| "application/octet-stream".to_owned()), name)
        }
        _ => unknown(),
    }
}

/// What a server merely names. Not a data part with an address, since nothing fetches it.
fn link(named: Resource) -> ResultPart {
    let fields = [
        ("type", Some("resource-link".to_owned())),
        ("uri", Some(named.uri)),
        ("name", Some(named.name)),
        ("title", named.title),
        ("description", named.description),
        ("media-type", named.mime_type),
    ];
    let json = fields.into_iter().filter_map(|(key, value)| Some((key, value?))).collect();
    ResultPart::Other { name: "resource-link".to_owned(), json }
}

/// Stands for what a later protocol may bring.
fn unknown() -> ResultPart {
    ResultPart::text("[a part of a kind that this host does not know]")
}

fn bytes(base64: &str, media_type: String, name: Option<String>) -> ResultPart {
    match STANDARD.decode(base64) {
        Ok(bytes) => ResultPart::Data(Data { media_type, source: DataSource::Bytes(bytes), name }),
        Err(error) => ResultPart::text(format!("[{media_type} whose base64 is malformed: {error}]")),
    }
}
