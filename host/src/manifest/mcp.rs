//! `[[mcp]]`: MCP servers that bring tools.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use super::layers::unique_name;
use super::models::positive_duration;
use super::problem::Problem;
use super::reader::{At, Reader};
use super::section::Section;
use super::server;
use crate::secret::{Secret, shown_address};

/// An MCP server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpSpec {
    /// Its name, unique among the servers.
    pub name: String,
    /// How it is reached.
    pub transport: McpTransport,
    /// The tools to take, by their names at the server; all when absent.
    pub tools: Option<Vec<String>>,
    /// What its tools' names are given in front; empty for nothing.
    pub prefix: String,
    /// How long a call may take; the client's default when absent.
    pub timeout: Option<Duration>,
}

/// How an MCP server is reached.
#[derive(Clone, PartialEq, Eq)]
pub enum McpTransport {
    /// A program that is started and spoken to over its input and output.
    Command {
        /// The program: a path from the manifest's folder if it has a slash, or else a name that `PATH` has.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// What its environment has besides the basics.
        env: Vec<(String, Secret)>,
        /// The folder that it runs in.
        cwd: PathBuf,
    },
    /// A server that is reached over streamable HTTP.
    Http {
        /// Its address.
        url: String,
        /// Headers of every request.
        headers: Vec<(String, Secret)>,
    },
}

impl fmt::Debug for McpTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command { command, args, env, cwd } => f
                .debug_struct("Command")
                .field("command", command)
                .field("args", args)
                .field("env", env)
                .field("cwd", cwd)
                .finish(),
            Self::Http { url, headers } => {
                f.debug_struct("Http").field("url", &shown_address(url)).field("headers", headers).finish()
            }
        }
    }
}

pub(super) fn read(reader: &mut Reader<'_>, root: &mut Section<'_>) -> Vec<McpSpec> {
    let mut names = HashMap::new();
    root.tables(reader, "mcp")
        .into_iter()
        .filter_map(|mut section| {
            section.require("name", "add a line like `name = \"files\"`");
            let name = unique_name(reader, &mut section, &mut names, "MCP servers");
            let transport = transport(reader, &mut section);
            let tools = section.texts(reader, "tools");
            let prefix = section.text(reader, "prefix");
            let timeout = section.parsed(reader, "timeout", positive_duration);
            section.finish(reader);
            Some(McpSpec {
                name: name?,
                transport: transport?,
                tools: tools.map(|tools| tools.into_iter().map(|tool| tool.value).collect()),
                prefix: prefix.map(|prefix| prefix.value).unwrap_or_default(),
                timeout,
            })
        })
        .collect()
}

fn transport(reader: &mut Reader<'_>, section: &mut Section<'_>) -> Option<McpTransport> {
    let command = section.filled_text(reader, "command");
    let url = server::address(reader, section, "url");
    let args = section.texts(reader, "args").unwrap_or_default();
    let env = section.secret_texts(reader, "env");
    let env = env.into_iter().map(|text| (text.name.value, Secret::new(text.value.value))).collect();
    let cwd = section.text(reader, "cwd");
    let headers = server::headers(reader, section);
    match (command, url) {
        (Some(command), Some(url)) => {
            let message = "`command` and `url` exclude each other: a server is started or reached";
            reader.report(Problem::at(url.span, message).label(command.span, "the other one"));
            None
        }
        (Some(command), None) => Some(McpTransport::Command {
            command: from_folder(reader, command.value),
            args: args.into_iter().map(|arg| arg.value).collect(),
            env,
            cwd: working_folder(reader, cwd)?,
        }),
        (None, Some(url)) => Some(McpTransport::Http { url: url.value, headers }),
        (None, None) => {
            section.missing_both(reader, "command", "url");
            None
        }
    }
}

/// A command with a slash is a path from the manifest's folder; without one it is a name that `PATH` has.
fn from_folder(reader: &Reader<'_>, command: String) -> String {
    if !command.contains('/') {
        return command;
    }
    // Absolute, since the server starts in a folder of its own.
    let path = reader.surroundings.folder.join(&command);
    std::path::absolute(&path).unwrap_or(path).display().to_string()
}

fn working_folder(reader: &mut Reader<'_>, cwd: Option<At<String>>) -> Option<PathBuf> {
    let Some(cwd) = cwd else {
        let folder = reader.surroundings.folder;
        return Some(if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder.to_owned() });
    };
    let path = reader.surroundings.folder.join(&cwd.value);
    if !path.is_dir() {
        reader.report(
            Problem::at(cwd.span, format!("there is no folder `{}`", path.display()))
                .help("the path is relative to the manifest"),
        );
        return None;
    }
    Some(path)
}
