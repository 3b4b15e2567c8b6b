//! What the errors of the protocol's library mean, for the operator and for a model.

use std::error::Error;

use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::DynamicTransportError;
use rmcp::transport::streamable_http_client::StreamableHttpError;

use super::process::Process;
use super::{MESSAGE_BYTES, McpConfig};

type HttpError = StreamableHttpError<reqwest::Error>;

/// Why a call gave no result. Fit for a model: no address.
pub(super) enum CallFailure {
    /// The server answered with an error.
    Refused(String),
    /// The server is gone, and how.
    Gone(String),
}

impl CallFailure {
    pub(super) async fn new(error: ServiceError, process: Option<&Process>, config: &McpConfig) -> Self {
        match (error, process) {
            (ServiceError::McpError(error), _) => Self::Refused(config.without_secrets(&error.message)),
            (ServiceError::TransportClosed | ServiceError::TransportSend(_), Some(process)) => {
                Self::Gone(process.how_it_ended().await)
            }
            // The library ends a stream of events in the same way when an event is too large.
            (ServiceError::TransportClosed, None) => Self::Gone(format!(
                "closed the connection, or sent a message of more than {MESSAGE_BYTES} bytes"
            )),
            (ServiceError::TransportSend(error), None) => {
                let cause = config.without_secrets(&operator_text(&error));
                tracing::debug!(cause, "an MCP server did not answer");
                Self::Gone(model_text(&error))
            }
            (error, _) => Self::Refused(config.without_secrets(&chain(&error))),
        }
    }
}

/// What a model may know of a failed request.
fn model_text(error: &DynamicTransportError) -> String {
    match error.error.downcast_ref::<HttpError>() {
        Some(HttpError::Client(error)) if error.is_connect() => "could not be reached".to_owned(),
        Some(HttpError::ResponseBodyTooLarge { max_size }) => {
            format!("answered with more than {max_size} bytes")
        }
        Some(HttpError::HttpStatus(status)) => format!("answered with {status}"),
        Some(HttpError::UnexpectedServerResponse(_)) => "answered with what is no MCP message".to_owned(),
        _ => "broke off the connection".to_owned(),
    }
}

/// Why a server did not get ready. For the operator.
pub(super) async fn start_failure(error: &ClientInitializeError, process: Option<&Process>) -> String {
    match (error, process) {
        (
            ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::TransportError { .. },
            Some(process),
        ) => format!("it {}", process.how_it_ended().await),
        (ClientInitializeError::TransportError { error, .. }, None) => operator_text(error),
        (ClientInitializeError::LegacyFallbackFailed { discover, fallback }, _) => {
            let (discover, fallback) = (chain(discover.as_ref()), chain(fallback.as_ref()));
            format!("neither `server/discover` ({discover}) nor `initialize` ({fallback}) worked")
        }
        _ => chain(error),
    }
}

fn operator_text(error: &DynamicTransportError) -> String {
    match error.error.downcast_ref::<HttpError>() {
        Some(HttpError::Client(error)) => chain(error),
        Some(HttpError::UnexpectedServerResponse(answer)) => {
            format!("unexpected answer: {}", answer.trim_end())
        }
        _ => chain(error.error.as_ref()),
    }
}

/// An error with its causes.
pub(super) fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        // Many errors already repeat what caused them.
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}
