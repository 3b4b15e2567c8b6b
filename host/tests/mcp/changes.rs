//! Servers whose tools change: when they say so, and when they were started again.

use std::collections::BTreeMap;
use std::time::Duration;

use cepa::tool::ToolProvider as _;
use cepa::tool::mcp::{McpConfig, McpServer, McpTransport};
use serde_json::json;

use crate::fake::{GROWN, Handshake};
use crate::stdio::config;
use crate::support::call;

/// A server that has grown once this file is there.
fn growing(handshake: Handshake, file: &std::path::Path) -> McpConfig {
    let config = config(handshake);
    let McpTransport::Stdio { command, args, env, cwd } = config.transport else { unreachable!() };
    let grown = BTreeMap::from([(GROWN.to_owned(), file.display().to_string())]);
    let env = env.into_iter().chain(grown).collect();
    McpConfig { transport: McpTransport::Stdio { command, args, env, cwd }, ..config }
}

/// The tools as an agent finds them before its next step.
pub(crate) async fn names(server: &McpServer) -> Vec<String> {
    server.current().await.iter().map(|tool| tool.definition().name.clone()).collect()
}

pub(crate) fn has(names: &[String], name: &str) -> bool {
    names.iter().any(|known| known == name)
}

/// The tools once this one is among them. Who is told of a change may have to wait for a moment.
pub(crate) async fn names_with(server: &McpServer, name: &str) -> Vec<String> {
    let asking = async {
        loop {
            let now = names(server).await;
            if has(&now, name) {
                return now;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), asking).await.expect("the change is read")
}

#[tokio::test]
async fn a_change_that_a_server_tells_is_read_in_both_lifecycles() {
    for handshake in [Handshake::Legacy, Handshake::Modern] {
        let folder = tempfile::tempdir().unwrap();
        let server = McpServer::connect(growing(handshake, &folder.path().join("grown"))).await.unwrap();
        let before = names(&server).await;
        assert!(has(&before, "media") && !has(&before, "late"), "{before:?}");
        call(&server, "echo", json!({ "grow": true })).await.unwrap();
        let now = names_with(&server, "late").await;
        assert!(!has(&now, "media"), "{now:?}");
        assert_eq!(call(&server, "late", json!({})).await.unwrap().text(), "{}");
    }
}

#[tokio::test]
async fn a_change_whose_list_was_refused_is_asked_for_again() {
    for handshake in [Handshake::Legacy, Handshake::Modern] {
        let folder = tempfile::tempdir().unwrap();
        let server = McpServer::connect(growing(handshake, &folder.path().join("grown"))).await.unwrap();
        call(&server, "echo", json!({ "grow": true, "stumble": true })).await.unwrap();
        names_with(&server, "late").await;
    }
}

#[tokio::test]
async fn the_tools_of_a_server_that_was_started_again_are_read_again() {
    for handshake in [Handshake::Legacy, Handshake::Modern] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("grown");
        let server = McpServer::connect(growing(handshake, &file)).await.unwrap();
        call(&server, "exit", json!({})).await.unwrap_err();
        std::fs::write(file, "").unwrap();
        assert!(has(&names(&server).await, "media"), "a server that has ended keeps its tools");
        call(&server, "echo", json!({})).await.unwrap();
        let now = names(&server).await;
        assert!(has(&now, "late") && !has(&now, "media"), "{now:?}");
    }
}

#[tokio::test]
async fn a_list_that_has_not_changed_stays_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let server = McpServer::connect(growing(Handshake::Legacy, &folder.path().join("grown"))).await.unwrap();
    let first = server.current().await;
    call(&server, "exit", json!({})).await.unwrap_err();
    call(&server, "echo", json!({})).await.unwrap();
    assert!(std::sync::Arc::ptr_eq(&first, &server.current().await));
}
