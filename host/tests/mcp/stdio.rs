//! Servers that are programs. The program is this test itself, started again with a variable set.

use std::collections::BTreeMap;
use std::time::Duration;

use cepa::error::ErrorKind;
use cepa::message::{Data, DataSource, ResultPart, ToolState};
use cepa::tool::mcp::{McpConfig, McpError, McpLifecycle, McpServer, McpTransport};
use cepa::tool::{ToolOwner, Toolbox};
use serde_json::json;

use crate::fake::{Handshake, serve_stdio};
use crate::support::{call, tool};

/// Set in a server: its handshake.
const ROLE: &str = "CEPA_TEST_MCP_ROLE";

pub(crate) fn config(handshake: Handshake) -> McpConfig {
    let role = if handshake == Handshake::Modern { "modern" } else { "legacy" };
    let args = ["--exact", "stdio::a_program_serves_its_tools_in_both_lifecycles", "--nocapture"];
    McpConfig::new(
        "fake",
        McpTransport::Stdio {
            command: std::env::current_exe().unwrap().display().to_string(),
            args: args.map(str::to_owned).to_vec(),
            env: BTreeMap::from([(ROLE.to_owned(), role.to_owned())]),
            cwd: None,
        },
    )
}

fn shell(script: &str) -> McpConfig {
    let transport = McpTransport::Stdio {
        command: "sh".into(),
        args: vec!["-c".into(), script.into()],
        env: BTreeMap::new(),
        cwd: None,
    };
    McpConfig { timeout: Duration::from_secs(20), ..McpConfig::new("script", transport) }
}

async fn legacy() -> McpServer {
    McpServer::connect(config(Handshake::Legacy)).await.unwrap()
}

#[tokio::test]
async fn a_program_serves_its_tools_in_both_lifecycles() {
    match std::env::var(ROLE).as_deref() {
        Ok("modern") => serve_stdio(Handshake::Modern),
        Ok(_) => serve_stdio(Handshake::Legacy),
        Err(_) => {}
    }
    for (handshake, lifecycle) in [
        (Handshake::Legacy, McpLifecycle::Auto),
        (Handshake::Legacy, McpLifecycle::Initialize),
        (Handshake::Modern, McpLifecycle::Auto),
        (Handshake::Modern, McpLifecycle::Discover),
    ] {
        let server = McpServer::connect(McpConfig { lifecycle, ..config(handshake) }).await.unwrap();
        assert_eq!(server.tools().len(), 10, "both pages");
        let response = call(&server, "echo", json!({ "a": "é\n" })).await.unwrap();
        assert_eq!((response.state, response.text().as_str()), (ToolState::Success, r#"{"a":"é\n"}"#));
    }
}

#[tokio::test]
async fn a_server_without_the_asked_handshake_is_explained() {
    let asked = McpConfig { lifecycle: McpLifecycle::Discover, ..config(Handshake::Legacy) };
    let error = McpServer::connect(asked).await.unwrap_err().to_string();
    assert!(error.starts_with("MCP server `fake` did not get ready: "), "{error}");
    assert!(error.contains("no method server/discover"), "{error}");
}

#[tokio::test]
async fn definitions_are_what_the_server_says_under_usable_names() {
    let asked = McpConfig {
        prefix: "demo_".into(),
        tools: Some(vec!["files.read".into(), "echo".into()]),
        ..config(Handshake::Legacy)
    };
    let server = McpServer::connect(asked).await.unwrap();
    let definitions: Vec<_> = server.tools().iter().map(|tool| tool.definition().clone()).collect();
    insta::assert_snapshot!(serde_json::to_string_pretty(&definitions).unwrap(), @r#"
    [
      {
        "name": "demo_echo",
        "description": "does echo",
        "parameters": {
          "type": "object"
        },
        "parallel": false,
        "metadata": {
          "mcp-server": "fake"
        }
      },
      {
        "name": "demo_files_read",
        "description": "reads",
        "parameters": {
          "type": "object",
          "properties": {
            "path": {
              "type": "string"
            }
          }
        },
        "parallel": true,
        "metadata": {
          "mcp-server": "fake",
          "mcp-annotations": {
            "readOnlyHint": true
          }
        }
      }
    ]
    "#);
    let mut toolbox = Toolbox::default();
    for tool in server.tools() {
        toolbox.add(ToolOwner::Mcp(server.name().into()), tool).unwrap();
    }
    assert!(toolbox.validate("demo_files_read", r#"{"path": 1}"#).is_err());
}

#[tokio::test]
async fn an_unknown_tool_in_the_allow_list_is_an_error_with_the_known_ones() {
    let asked = McpConfig { tools: Some(vec!["ecko".into()]), ..config(Handshake::Legacy) };
    let error = McpServer::connect(asked).await.unwrap_err();
    assert!(matches!(error, McpError::UnknownTool { .. }));
    let expected = "MCP server `fake` has no tool `ecko`; it has `echo`, `files.read`, `media`, ";
    assert!(error.to_string().starts_with(expected), "{error}");
}

#[tokio::test]
async fn every_kind_of_content_is_kept() {
    let server = legacy().await;
    let response = call(&server, "media", json!({})).await.unwrap();
    let data = |media_type: &str, bytes: &[u8], name: Option<&str>| {
        ResultPart::Data(Data {
            media_type: media_type.into(),
            source: DataSource::Bytes(bytes.to_vec()),
            name: name.map(str::to_owned),
        })
    };
    let [image, audio, broken, note, blob, link] = response.content.as_slice() else {
        panic!("{:?}", response.content)
    };
    assert_eq!(*image, data("image/png", &[0, 1, 2], None));
    assert_eq!(*audio, data("audio/wav", &[3, 4], None));
    assert!(matches!(broken, ResultPart::Text { text } if text.contains("base64 is malformed")));
    assert_eq!(*note, ResultPart::text("a note"));
    assert_eq!(*blob, data("application/octet-stream", &[5], Some("y.bin")));
    let far = json!({ "type": "resource-link", "uri": "demo://far", "name": "far" });
    assert_eq!(*link, ResultPart::Other { name: "resource-link".into(), json: far });

    let response = call(&server, "structured", json!({})).await.unwrap();
    assert_eq!(response.text(), r#"{"degrees":17}"#);
    assert_eq!(response.metadata["structured-content"], json!({ "degrees": 17 }));
}

#[tokio::test]
async fn a_failed_tool_is_an_error_result_and_a_refused_call_an_error() {
    let server = legacy().await;
    let response = call(&server, "fail", json!({})).await.unwrap();
    assert_eq!((response.state, response.text().as_str()), (ToolState::Error, "no such city"));

    let error = call(&server, "refuse", json!({})).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Rejected);
    assert_eq!(error.message, "MCP server `fake` refused the call of `refuse`: bad arguments");
}

#[tokio::test]
async fn a_program_sees_nothing_of_the_environment_but_what_it_needs() {
    let server = legacy().await;
    let response = call(&server, "env", json!({})).await.unwrap();
    let seen = response.text();
    let unexpected: Vec<_> =
        seen.split(' ').filter(|name| ![ROLE, "HOME", "LANG", "PATH"].contains(name)).collect();
    assert_eq!(unexpected, [""; 0]);
    assert!(seen.contains(ROLE) && seen.contains("PATH"), "{seen}");
    assert!(std::env::vars().count() > 4, "there was something to hide");
}

#[tokio::test]
async fn a_server_that_dies_is_an_error_and_the_next_call_starts_it_again() {
    let server = legacy().await;
    let error = call(&server, "exit", json!({})).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Connection);
    assert!(!error.retryable, "it may have been carried out");
    assert_eq!(
        error.message,
        "MCP server `fake` ended (exit status: 3); whether `exit` was carried out is unknown"
    );
    let response = call(&server, "echo", json!({ "again": true })).await.unwrap();
    assert_eq!(response.text(), r#"{"again":true}"#);
}

#[tokio::test]
async fn a_message_beyond_the_limit_ends_the_server_and_names_the_limit() {
    let server = legacy().await;
    let error = call(&server, "huge", json!({})).await.unwrap_err();
    assert!(error.message.contains("it sent a message of more than 8388608 bytes"), "{error}");
    assert_eq!(call(&server, "echo", json!({})).await.unwrap().text(), "{}");
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_given_up_and_the_server_goes_on() {
    let server =
        McpServer::connect(McpConfig { timeout: Duration::from_secs(3), ..config(Handshake::Legacy) })
            .await
            .unwrap();
    let error = call(&server, "hang", json!({})).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Timeout);
    assert_eq!(error.message, "`hang` of MCP server `fake` did not answer within 3 s");
    assert_eq!(call(&server, "echo", json!({})).await.unwrap().text(), "{}");
}

#[tokio::test]
async fn programs_that_are_no_servers_are_explained() {
    let missing = McpTransport::Stdio {
        command: "no-such-program-anywhere".into(),
        args: vec![],
        env: BTreeMap::new(),
        cwd: None,
    };
    let error = McpServer::connect(McpConfig::new("gone", missing)).await.unwrap_err().to_string();
    assert!(error.starts_with("MCP server `gone`: `no-such-program-anywhere` can't be started: "), "{error}");

    let error = McpServer::connect(shell("echo oops >&2; exit 4")).await.unwrap_err().to_string();
    assert_eq!(error, "MCP server `script` did not get ready: it ended (exit status: 4)");

    let error = McpServer::connect(shell("echo '<html>hello</html>'; exit 0")).await.unwrap_err().to_string();
    assert_eq!(error, "MCP server `script` did not get ready: it ended (exit status: 0)");

    let deaf = McpConfig { timeout: Duration::from_millis(300), ..shell("cat >/dev/null") };
    let error = McpServer::connect(deaf).await.unwrap_err().to_string();
    assert_eq!(error, "MCP server `script` was not ready within 0.3 s");
}

/// A server behind a shell that runs these words first, and lives on when its server has ended.
#[cfg(target_os = "linux")]
fn behind_a_shell(first: &str) -> McpConfig {
    let McpTransport::Stdio { command, args, env, .. } = config(Handshake::Legacy).transport else {
        unreachable!()
    };
    let script = format!("{first}; \"$0\" \"$@\"; while :; do sleep 1; done");
    let args = [vec!["-c".into(), script, command], args].concat();
    McpConfig::new("fake", McpTransport::Stdio { command: "sh".into(), args, env, cwd: None })
}

/// Whether a process of this number runs; one that has ended and waits to be looked at does not.
#[cfg(target_os = "linux")]
fn runs(pid: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    status.rsplit(')').next().is_some_and(|rest| !rest.trim().is_empty() && !rest.trim().starts_with('Z'))
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_server_ends_with_its_last_tool() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    // The shell notes its number and stays deaf to a polite end.
    let server = McpServer::connect(behind_a_shell(&format!("trap '' TERM; echo $$ >'{}'", file.display())))
        .await
        .unwrap();
    let pid = std::fs::read_to_string(file).unwrap();
    let last = tool(&server, "echo");
    drop(server);
    assert!(runs(&pid), "a tool still needs it");
    drop(last);
    while runs(&pid) {
        tokio::task::yield_now().await;
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_a_server_has_started_ends_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    let helper = format!(
        "sh -c 'trap \"\" TERM HUP; while :; do sleep 1; done' <&- >&- 2>&- & echo $! >'{}'",
        file.display()
    );
    let server = McpServer::connect(behind_a_shell(&helper)).await.unwrap();
    let pid = std::fs::read_to_string(&file).unwrap();
    assert!(runs(&pid));
    drop(server);
    while runs(&pid) {
        tokio::task::yield_now().await;
    }

    // Also when the server itself leaves at once.
    let server = McpServer::connect(behind_a_shell(&format!("{helper}; exec \"$0\" \"$@\""))).await.unwrap();
    let pid = std::fs::read_to_string(&file).unwrap();
    call(&server, "exit", json!({})).await.unwrap_err();
    while runs(&pid) {
        tokio::task::yield_now().await;
    }
}
