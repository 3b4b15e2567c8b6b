//! Servers whose tools change: when they say so, and when they were started again.

use std::collections::BTreeMap;

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
async fn names(server: &McpServer) -> Vec<String> {
    server.current().await.iter().map(|tool| tool.definition().name.clone()).collect()
}

fn has(names: &[String], name: &str) -> bool {
    names.iter().any(|known| known == name)
}

#[tokio::test]
async fn a_change_that_a_server_tells_is_read_in_both_lifecycles() {
    for handshake in [Handshake::Legacy, Handshake::Modern] {
        let folder = tempfile::tempdir().unwrap();
        let server = McpServer::connect(growing(handshake, &folder.path().join("grown"))).await.unwrap();
        let before = names(&server).await;
        assert!(has(&before, "media") && !has(&before, "late"), "{before:?}");
        // A server of the newer lifecycle tells only who has asked, which may take a moment.
        call(&server, "echo", json!({ "grow": true })).await.unwrap();
        let mut now = names(&server).await;
        while !has(&now, "late") {
            tokio::task::yield_now().await;
            now = names(&server).await;
        }
        assert!(!has(&now, "media"), "{now:?}");
        assert_eq!(call(&server, "late", json!({})).await.unwrap().text(), "{}");
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
