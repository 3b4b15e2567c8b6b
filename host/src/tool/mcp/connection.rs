//! One connection to a server, from the handshake to its end.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::{CallToolRequestParams, CallToolResult, ProtocolVersion, Tool};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _, RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use tokio_util::task::AbortOnDropHandle;

use super::client::{Changes, Client, listen, must_ask};
use super::failure::{CallFailure, chain, start_failure};
use super::process::Process;
use super::{MESSAGE_BYTES, McpConfig, McpError, McpLifecycle, McpTransport};

/// How long connecting to an address may take, apart from the server's answer.
const REACH: Duration = Duration::from_secs(10);

/// A server that is ready. Ends with it when dropped.
pub(super) struct Connection {
    // Dropped first: it closes the program's input, which asks it to leave.
    service: RunningService<RoleClient, Client>,
    process: Option<Process>,
    _listening: Option<AbortOnDropHandle<()>>,
}

impl Connection {
    /// Starts or reaches a server and greets it. Changes of its tools are counted from then on.
    pub(super) async fn open(config: &McpConfig, changes: &Changes) -> Result<Self, McpError> {
        let lifecycle = lifecycle(config.lifecycle);
        let client = Client::new(changes.clone());
        match &config.transport {
            McpTransport::Stdio { command, args, env, cwd } => {
                let (process, pipes) = Process::start(&config.name, command, args, env, cwd.as_ref())?;
                match client.serve_with_lifecycle(pipes, lifecycle).await {
                    Ok(service) => Ok(Self::ready(service, Some(process), changes)),
                    Err(error) => Err(config.failed_start(&start_failure(&error, Some(&process)).await)),
                }
            }
            McpTransport::Http { url, headers } => {
                let transport = http(config, url, headers)?;
                match client.serve_with_lifecycle(transport, lifecycle).await {
                    Ok(service) => Ok(Self::ready(service, None, changes)),
                    Err(error) => Err(config.failed_start(&start_failure(&error, None).await)),
                }
            }
        }
    }

    fn ready(
        service: RunningService<RoleClient, Client>,
        process: Option<Process>,
        changes: &Changes,
    ) -> Self {
        let peer = service.peer().clone();
        let listening = must_ask(&peer).then(|| tokio::spawn(listen(peer, changes.clone())));
        Self { service, process, _listening: listening.map(AbortOnDropHandle::new) }
    }

    /// Whether the server has ended.
    pub(super) fn is_closed(&self) -> bool {
        self.service.is_closed() || self.service.peer().is_transport_closed()
    }

    /// Every tool of the server.
    pub(super) async fn list_tools(&self, config: &McpConfig) -> Result<Vec<Tool>, McpError> {
        let error = match self.service.list_all_tools().await {
            Ok(tools) => return Ok(tools),
            Err(error) => error,
        };
        Err(config.failed_start(&match CallFailure::new(error, self.process.as_ref(), config).await {
            CallFailure::Refused(cause) => format!("it did not list its tools: {cause}"),
            CallFailure::Gone(how) => format!("it {how}"),
        }))
    }

    /// Runs a tool.
    pub(super) async fn call(
        &self,
        params: CallToolRequestParams,
        config: &McpConfig,
    ) -> Result<CallToolResult, CallFailure> {
        match self.service.call_tool(params).await {
            Ok(result) => Ok(result),
            Err(error) => Err(CallFailure::new(error, self.process.as_ref(), config).await),
        }
    }
}

fn lifecycle(lifecycle: McpLifecycle) -> ClientLifecycleMode {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    match lifecycle {
        McpLifecycle::Initialize => ClientLifecycleMode::Initialize,
        McpLifecycle::Discover => ClientLifecycleMode::Discover { preferred_versions },
        McpLifecycle::Auto => ClientLifecycleMode::Auto {
            preferred_versions,
            legacy_version: Some(ProtocolVersion::V_2025_11_25),
        },
    }
}

fn http(
    config: &McpConfig,
    url: &str,
    headers: &BTreeMap<String, String>,
) -> Result<StreamableHttpClientTransport<reqwest::Client>, McpError> {
    let refuse = |cause: String| McpError::Config { server: config.name.clone(), cause };
    reqwest::Url::parse(url).map_err(|error| refuse(format!("its `url` is no address: {error}")))?;
    let mut sent = HashMap::new();
    for (name, value) in headers {
        let header = HeaderName::try_from(name).map_err(|_| refuse(format!("`{name}` is no header name")))?;
        let mut value = HeaderValue::try_from(value).map_err(|_| {
            refuse(format!("the value of header `{name}` has characters that no header may have"))
        })?;
        value.set_sensitive(true);
        sent.insert(header, value);
    }
    // A redirect could carry the headers, and so a key, to another host.
    let client = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(REACH)
        .build()
        .map_err(|error| refuse(config.without_secrets(&chain(&error))))?;
    let settings = StreamableHttpClientTransportConfig::with_uri(url)
        .custom_headers(sent)
        .max_sse_event_size(MESSAGE_BYTES)
        .max_json_response_size(MESSAGE_BYTES);
    Ok(StreamableHttpClientTransport::with_client(client, settings))
}
