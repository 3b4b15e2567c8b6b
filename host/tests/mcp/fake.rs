//! A server of both lifecycles, apart from how its messages travel.

use std::io::Write as _;

use serde_json::{Value, json};

/// Which handshake a server knows.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Handshake {
    Legacy,
    Modern,
}

/// What a server does with a message.
pub(crate) enum Reaction {
    Answer(Value),
    Silence,
    Exit,
}

/// The reaction to one message. Its id is for the caller to put into the answer.
pub(crate) fn react(handshake: Handshake, message: &Value) -> Reaction {
    if message["id"].is_null() {
        return Reaction::Silence;
    }
    let capabilities = json!({ "tools": {} });
    let result = match (message["method"].as_str().unwrap_or_default(), handshake) {
        ("initialize", Handshake::Legacy) => json!({
            "protocolVersion": "2025-06-18",
            "capabilities": capabilities,
            "serverInfo": { "name": "fake", "version": "1" },
        }),
        ("server/discover", Handshake::Modern) => json!({
            "resultType": "complete",
            "supportedVersions": ["2026-07-28"],
            "capabilities": capabilities,
            "ttlMs": 0,
            "cacheScope": "private",
        }),
        ("tools/list", _) => page(&message["params"]["cursor"]),
        ("tools/call", _) => match call(&message["params"]) {
            Ok(result) => result,
            Err(reaction) => return reaction,
        },
        (method, _) => {
            let error = json!({ "code": -32601, "message": format!("no method {method}") });
            return Reaction::Answer(json!({ "jsonrpc": "2.0", "error": error }));
        }
    };
    Reaction::Answer(json!({ "jsonrpc": "2.0", "result": result }))
}

fn page(cursor: &Value) -> Value {
    let tool = |name: &str| json!({ "name": name, "description": format!("does {name}"), "inputSchema": { "type": "object" } });
    if cursor.is_null() {
        let read_only = json!({
            "name": "files.read",
            "title": "reads",
            "inputSchema": { "type": "object", "properties": { "path": { "type": "string" } } },
            "annotations": { "readOnlyHint": true },
        });
        return json!({ "tools": [tool("echo"), read_only], "nextCursor": "2" });
    }
    let tools = ["media", "structured", "fail", "refuse", "env", "exit", "hang", "huge"].map(tool);
    json!({ "tools": tools })
}

fn call(params: &Value) -> Result<Value, Reaction> {
    let text = |text: String| json!({ "content": [{ "type": "text", "text": text }] });
    Ok(match params["name"].as_str().unwrap_or_default() {
        "echo" => text(params["arguments"].to_string()),
        "media" => json!({ "content": [
            { "type": "image", "data": "AAEC", "mimeType": "image/png" },
            { "type": "audio", "data": "AwQ=", "mimeType": "audio/wav" },
            { "type": "image", "data": "?", "mimeType": "image/png" },
            { "type": "resource", "resource": { "uri": "demo://note", "text": "a note" } },
            { "type": "resource", "resource": { "uri": "demo://x/y.bin", "blob": "BQ==" } },
            { "type": "resource_link", "uri": "demo://far", "name": "far" },
        ] }),
        "structured" => json!({ "content": [], "structuredContent": { "degrees": 17 } }),
        "fail" => json!({ "content": [{ "type": "text", "text": "no such city" }], "isError": true }),
        "env" => {
            let mut names: Vec<_> = std::env::vars().map(|(name, _)| name).collect();
            names.sort();
            text(names.join(" "))
        }
        "exit" => return Err(Reaction::Exit),
        "hang" => return Err(Reaction::Silence),
        "huge" => text("x".repeat(9 << 20)),
        _ => {
            let error = json!({ "code": -32602, "message": "bad arguments" });
            return Err(Reaction::Answer(json!({ "jsonrpc": "2.0", "error": error })));
        }
    })
}

/// Speaks on standard input and output until the input ends.
#[expect(clippy::print_stderr, reason = "a server's standard error is part of what is tested")]
pub(crate) fn serve_stdio(handshake: Handshake) -> ! {
    eprintln!("the fake server is up");
    let mut out = std::io::stdout();
    // Ends the line that the test harness has begun.
    out.write_all(b"\n").unwrap();
    for line in std::io::stdin().lines() {
        let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
        match react(handshake, &message) {
            Reaction::Answer(mut answer) => {
                answer["id"] = message["id"].clone();
                out.write_all(format!("{answer}\n").as_bytes()).unwrap();
                out.flush().unwrap();
            }
            Reaction::Silence => {}
            Reaction::Exit => std::process::exit(3),
        }
    }
    std::process::exit(0)
}
