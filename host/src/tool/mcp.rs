//! Tools of MCP servers, over stdio and streamable HTTP.
//!
//! A server's tools are listed when it is connected, and again before the next step of a reply when it has said that
//! they changed or was started again. A step waits a few seconds for that at most; a server that does not list them then
//! keeps those it had, and is asked again some steps later. A server that has ended is started again by the next call; a call during which it
//! ended is not repeated, since it may have been carried out.

mod bounded;
mod client;
mod connection;
mod failure;
mod process;
mod result;
mod server;
mod tool;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

pub use server::McpServer;

use reqwest::Url;

use crate::secret::{Secret, address_secrets, shown_address};

/// The largest message that a server may send. Bounds what one call can put into memory.
pub const MESSAGE_BYTES: usize = 8 << 20;

/// How an MCP server is reached, and what is taken from it.
#[derive(Clone, Debug)]
pub struct McpConfig {
    /// Its name in the manifest.
    pub name: String,
    /// How it is reached.
    pub transport: McpTransport,
    /// Which handshake it speaks.
    pub lifecycle: McpLifecycle,
    /// How long connecting may take, and each call. Default 60 s. A list that is read again has 5 s at most.
    pub timeout: Duration,
    /// The tools to take, by the server's names; all when absent.
    pub tools: Option<Vec<String>>,
    /// Put before the names of its tools.
    pub prefix: String,
}

impl McpConfig {
    /// Takes all tools of a server, under their own names.
    pub fn new(name: impl Into<String>, transport: McpTransport) -> Self {
        Self {
            name: name.into(),
            transport,
            lifecycle: McpLifecycle::default(),
            timeout: Duration::from_secs(60),
            tools: None,
            prefix: String::new(),
        }
    }

    fn failed_start(&self, cause: &str) -> McpError {
        McpError::Start { server: self.name.clone(), cause: self.without_secrets(cause) }
    }

    /// A text about the server or from it, without the keys in its address and headers.
    fn without_secrets(&self, text: &str) -> String {
        let McpTransport::Http { url, headers } = &self.transport else { return text.to_owned() };
        let of_address = Url::parse(url).map(|url| address_secrets(&url)).unwrap_or_default();
        // A value such as `Bearer KEY` is to be known by its last word too.
        let words = headers.values().flat_map(|value| value.split_whitespace()).map(Secret::new);
        of_address.into_iter().chain(words).fold(text.to_owned(), |text, secret| secret.scrub(&text))
    }
}

/// How an MCP server is reached.
#[derive(Clone)]
pub enum McpTransport {
    /// A program that speaks on its standard input and output.
    Stdio {
        /// The program: a path, or a name that is looked up in `PATH`.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Its environment, beside `PATH`, `HOME` and `LANG`. Nothing else of the host's environment reaches it.
        env: BTreeMap<String, String>,
        /// Where it starts; the host's own folder when absent.
        cwd: Option<PathBuf>,
    },
    /// A server at an address. Redirects are not followed.
    Http {
        /// The address.
        url: String,
        /// Sent with each request, for example `authorization`.
        headers: BTreeMap<String, String>,
    },
}

impl std::fmt::Debug for McpTransport {
    /// Leaves out the values of variables and headers, and the password and query of an address: they may be keys.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stdio { command, args, env, cwd } => f
                .debug_struct("Stdio")
                .field("command", command)
                .field("args", args)
                .field("env", &env.keys())
                .field("cwd", cwd)
                .finish(),
            Self::Http { url, headers } => {
                let url = shown_address(url);
                f.debug_struct("Http").field("url", &url).field("headers", &headers.keys()).finish()
            }
        }
    }
}

/// Which handshake an MCP server speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum McpLifecycle {
    /// Tries `server/discover` first, and `initialize` if the server does not know it.
    #[default]
    Auto,
    /// `initialize`, up to the protocol of 2025-11-25.
    Initialize,
    /// `server/discover`, from the protocol of 2026-07-28 on.
    Discover,
}

/// Why an MCP server can't be used. For the operator: it may name programs and addresses.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum McpError {
    /// The program could not be started.
    #[error("MCP server `{server}`: `{command}` can't be started: {cause}")]
    Spawn {
        /// The server.
        server: String,
        /// The program.
        command: String,
        /// What the system said.
        cause: String,
    },
    /// The address or a header can't be used.
    #[error("MCP server `{server}`: {cause}")]
    Config {
        /// The server.
        server: String,
        /// What is wrong.
        cause: String,
    },
    /// The handshake or the listing of tools failed.
    #[error("MCP server `{server}` did not get ready: {cause}")]
    Start {
        /// The server.
        server: String,
        /// What happened, and how the program ended if it did.
        cause: String,
    },
    /// It took too long.
    #[error("MCP server `{server}` was not ready within {}", seconds(*.limit))]
    Timeout {
        /// The server.
        server: String,
        /// The time it was given.
        limit: Duration,
    },
    /// A tool was asked for that the server lacks.
    #[error("MCP server `{server}` has no tool `{tool}`; it has {}", names(.known))]
    UnknownTool {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// The tools that it has.
        known: Vec<String>,
    },
}

fn seconds(limit: Duration) -> String {
    format!("{} s", limit.as_secs_f64())
}

fn names(known: &[String]) -> String {
    if known.is_empty() {
        return "none".to_owned();
    }
    known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
