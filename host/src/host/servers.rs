//! The MCP servers of a manifest.

use futures::future::join_all;

use crate::manifest::{Manifest, McpSpec, McpTransport as Written, Problem};
use crate::secret::Secret;
use crate::tool::mcp::{McpConfig, McpServer, McpTransport};

use super::Progress;
use super::error::LoadError;

/// Connects to all servers at once, and lists their tools.
pub(super) async fn connect(
    manifest: &Manifest,
    progress: Progress<'_>,
) -> Result<Vec<McpServer>, LoadError> {
    if !manifest.mcp.is_empty() {
        progress(&format!("connecting to {} MCP servers", manifest.mcp.len()));
    }
    let results = join_all(manifest.mcp.iter().map(|spec| McpServer::connect(config(spec)))).await;
    let mut servers = Vec::new();
    let mut problems = Vec::new();
    for (index, result) in results.into_iter().enumerate() {
        match result {
            Ok(server) => servers.push(server),
            Err(error) => problems.push(match manifest.span(&format!("/mcp/{index}/name")) {
                Some(span) => Problem::at(span, error.to_string()),
                None => Problem::new(error.to_string()),
            }),
        }
    }
    if problems.is_empty() { Ok(servers) } else { Err(LoadError::Manifest(manifest.error(problems))) }
}

fn config(spec: &McpSpec) -> McpConfig {
    let mut config = McpConfig::new(&spec.name, transport(&spec.transport));
    config.tools.clone_from(&spec.tools);
    config.prefix.clone_from(&spec.prefix);
    if let Some(timeout) = spec.timeout {
        config.timeout = timeout;
    }
    config
}

fn transport(written: &Written) -> McpTransport {
    let exposed = |pairs: &[(String, Secret)]| {
        pairs.iter().map(|(name, value)| (name.clone(), value.expose().to_owned())).collect()
    };
    match written {
        Written::Command { command, args, env, cwd } => McpTransport::Stdio {
            command: command.clone(),
            args: args.clone(),
            env: exposed(env),
            cwd: Some(cwd.clone()),
        },
        Written::Http { url, headers } => McpTransport::Http { url: url.clone(), headers: exposed(headers) },
    }
}
