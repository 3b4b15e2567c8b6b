//! The service's HTTP interface: a report's conversation is a session of the agent.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use cepa::agent::{Agent, AgentError, ReplyItem, ReplyResult, ReplyStream};
use cepa::message::Message;
use futures::stream::{self, Stream};
use serde_json::json;

/// `POST /reports/{id}` says something in a report's conversation, `GET` reads it.
pub fn routes(agent: Agent) -> Router {
    Router::new().route("/reports/{id}", post(answer).get(conversation)).with_state(agent)
}

/// Streams the reply to a text, as server-sent events.
async fn answer(
    State(agent): State<Agent>,
    Path(id): Path<String>,
    text: String,
) -> Result<Sse<impl Stream<Item = Result<Event, axum::Error>>>, Refused> {
    let reply = agent.reply(id, text).await?;
    Ok(Sse::new(stream::unfold(Some(reply), |reply| async { next(reply?).await })))
}

/// The next event for the client, and the reply as long as it goes on. A client that hangs up drops the reply, which
/// aborts it.
async fn next(mut reply: ReplyStream) -> Option<(Result<Event, axum::Error>, Option<ReplyStream>)> {
    loop {
        match reply.next().await {
            Some(ReplyItem::Event(event)) => return Some((Event::default().json_data(event), Some(reply))),
            // What layers say is for the operator and not for the client.
            Some(ReplyItem::Note(note)) => tracing::info!(layer = note.layer, "{:?}", note.kind),
            None => return Some((result(&reply.finish().await), None)),
        }
    }
}

/// The last event of a reply.
fn result(result: &ReplyResult) -> Result<Event, axum::Error> {
    let response = &result.response;
    let value = json!({ "type": "result", "outcome": response.outcome, "text": response.text() });
    Event::default().json_data(value)
}

async fn conversation(
    State(agent): State<Agent>,
    Path(id): Path<String>,
) -> Result<Json<Vec<Message>>, Refused> {
    let session = agent.sessions().load(id).await.map_err(AgentError::from)?;
    Ok(Json(session.messages))
}

/// Why there is no reply.
struct Refused(AgentError);

impl From<AgentError> for Refused {
    fn from(error: AgentError) -> Self {
        Self(error)
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let status = match self.0 {
            AgentError::Busy(_) | AgentError::Waiting { .. } => StatusCode::CONFLICT,
            AgentError::Input(_) => StatusCode::UNPROCESSABLE_ENTITY,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        (status, format!("{}\n", self.0)).into_response()
    }
}
