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

/// The reaction of a server that never changes to one message. Its id is for the caller to put into the answer.
pub(crate) fn react(handshake: Handshake, message: &Value) -> Reaction {
    react_with(handshake, message, false, &json!({ "tools": {} }))
}

/// The reaction of a server that has or has not grown, and says this of itself.
pub(crate) fn react_with(
    handshake: Handshake,
    message: &Value,
    grown: bool,
    capabilities: &Value,
) -> Reaction {
    if message["id"].is_null() {
        return Reaction::Silence;
    }
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
        ("tools/list", _) => page(&message["params"]["cursor"], grown),
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

fn page(cursor: &Value, grown: bool) -> Value {
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
    let media = if grown { "late" } else { "media" };
    let tools = [media, "structured", "fail", "refuse", "env", "exit", "hang", "huge"].map(tool);
    json!({ "tools": tools })
}

fn call(params: &Value) -> Result<Value, Reaction> {
    let text = |text: String| json!({ "content": [{ "type": "text", "text": text }] });
    Ok(match params["name"].as_str().unwrap_or_default() {
        "echo" | "late" => text(params["arguments"].to_string()),
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

/// Set in a server: a file; once it is there, the server has `late` in the place of `media`.
pub(crate) const GROWN: &str = "CEPA_TEST_MCP_GROWN";

/// What a server says that tells when its tools change.
pub(crate) fn tells() -> Value {
    json!({ "tools": { "listChanged": true } })
}

/// Says to the request that wants to hear of changes that it will.
pub(crate) fn acknowledged(listener: &Value) -> Value {
    let params = json!({ "notifications": { "toolsListChanged": true } });
    notice(listener, "notifications/subscriptions/acknowledged", params)
}

/// Says that the tools have changed: to the request that wants to hear of it, or to everyone where there is none.
pub(crate) fn changed(listener: &Value) -> Value {
    notice(listener, "notifications/tools/list_changed", json!({}))
}

fn notice(listener: &Value, method: &str, mut params: Value) -> Value {
    if !listener.is_null() {
        params["_meta"] = json!({ "io.modelcontextprotocol/subscriptionId": listener });
    }
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

/// A server that is a program, and tells when its tools have changed.
struct Program {
    handshake: Handshake,
    /// The id of the request that wants to hear of changes.
    listener: Value,
    /// Whether it refuses the next question for its tools.
    stumbles: bool,
}

impl Program {
    /// Whether it has grown.
    fn is_grown() -> bool {
        std::env::var_os(GROWN).is_some_and(|file| std::path::Path::new(&file).exists())
    }

    /// What it says to a message, line by line; `None` when it ends.
    fn lines(&mut self, message: &Value) -> Option<Vec<Value>> {
        let listen = message["method"] == "subscriptions/listen" && self.handshake == Handshake::Modern;
        if listen {
            self.listener = message["id"].clone();
            return Some(vec![acknowledged(&self.listener)]);
        }
        if message["method"] == "tools/list" && std::mem::take(&mut self.stumbles) {
            let error = json!({ "code": -32603, "message": "not now" });
            return Some(vec![json!({ "jsonrpc": "2.0", "id": message["id"], "error": error })]);
        }
        let mut lines = Vec::new();
        let arguments = &message["params"]["arguments"];
        self.stumbles |= arguments["stumble"] == true;
        if arguments["grow"] == true {
            std::fs::write(std::env::var_os(GROWN).unwrap(), "").unwrap();
            lines.push(changed(&self.listener));
        }
        match react_with(self.handshake, message, Self::is_grown(), &tells()) {
            Reaction::Answer(mut answer) => {
                answer["id"] = message["id"].clone();
                lines.push(answer);
            }
            Reaction::Silence => {}
            Reaction::Exit => return None,
        }
        Some(lines)
    }
}

/// Speaks on standard input and output until the input ends.
#[expect(clippy::print_stderr, reason = "a server's standard error is part of what is tested")]
pub(crate) fn serve_stdio(handshake: Handshake) -> ! {
    eprintln!("the fake server is up");
    let mut out = std::io::stdout();
    // Ends the line that the test harness has begun.
    out.write_all(b"\n").unwrap();
    let mut program = Program { handshake, listener: Value::Null, stumbles: false };
    for line in std::io::stdin().lines() {
        let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let Some(lines) = program.lines(&message) else { std::process::exit(3) };
        for line in lines {
            out.write_all(format!("{line}\n").as_bytes()).unwrap();
        }
        out.flush().unwrap();
    }
    std::process::exit(0)
}
