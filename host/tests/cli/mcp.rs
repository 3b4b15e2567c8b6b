//! MCP servers that a manifest names.

use std::process::Stdio;

use crate::rig::{Done, Place, program};

/// A place with an MCP server that answers each request with this part of a message, in JSON.
fn answering(part: &str) -> Place {
    let script = format!(
        r#"while read -r line; do
id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
[ -n "$id" ] && printf '{{"jsonrpc":"2.0","id":%s,%s}}\n' "$id" '{part}'
done
"#
    );
    let server = "[[mcp]]\nname = \"far\"\ncommand = \"sh\"\nargs = [\"server.sh\"]\n";
    Place::new(server).file("server.sh", script)
}

/// A place with an MCP server that says no to each request, with this text in JSON.
pub(crate) fn refusing(text: &str) -> Place {
    answering(&format!("\"error\":{{\"code\":-1,\"message\":\"{text}\"}}"))
}

#[test]
fn an_answer_that_is_nested_too_deep_is_said_so_at_once() {
    let deep = format!("\"result\":{}{}", "[".repeat(200), "]".repeat(200));
    let done = answering(&deep).cepa("check .").fails_with(64);
    assert!(done.err.contains("it sent a message nested deeper than 128"), "{done:#?}");
}

/// Checks a manifest whose MCP server has a key in its address, with the log open.
fn check_with_key(url: &str) -> Done {
    let server = format!("[[mcp]]\nname = \"far\"\nurl = \"{url}\"\n");
    let place = Place::new(&server);
    let mut command = program(place.path());
    command.args(["check", "."]).env("CEPA_LOG", "debug").env("KEY", "very-secret-0042");
    let output = command.stdin(Stdio::null()).output().expect("the program ends");
    Done::from(output).fails_with(64)
}

#[test]
fn a_key_in_an_address_is_never_shown() {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port on loopback");
    let address = listener.local_addr().expect("a bound listener");
    drop(listener);
    for url in
        [format!("http://{address}/mcp?key=${{env:KEY}}"), format!("http://me:${{env:KEY}}@{address}/mcp")]
    {
        let done = check_with_key(&url);
        assert!(done.err.contains("MCP server `far` did not get ready"), "{done:#?}");
        assert!(!done.err.contains("very-secret"), "{done:#?}");
    }
}
