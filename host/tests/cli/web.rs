//! A model's server on loopback, which says what it is told to.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::Value;

use crate::rig::Place;

/// What the server does with one request.
pub(crate) enum Answer {
    /// Sends these bytes as they are, and closes the connection.
    Raw(Vec<u8>),
    /// Sends these bytes as the begin of an answer, and then nothing until the client goes.
    Hang(Vec<u8>),
}

impl Answer {
    /// An answer of the status 200 with this body.
    pub(crate) fn body(content_type: &str, body: &str) -> Self {
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\nconnection: close\r\n\r\n");
        Self::Raw((head + body).into_bytes())
    }

    /// A good answer of this text, in two pieces.
    pub(crate) fn text(text: &str) -> Self {
        let (one, other) = text.split_at(text.len() / 2);
        let body = format!("{}{}{}", delta(one), delta(other), end("stop"));
        Self::body("text/event-stream", &body)
    }

    /// An answer that begins with this text and does not go on.
    pub(crate) fn unfinished(text: &str) -> Self {
        match Self::body("text/event-stream", &delta(text)) {
            Self::Raw(bytes) | Self::Hang(bytes) => Self::Hang(bytes),
        }
    }

    /// A good answer that calls a tool.
    pub(crate) fn call(id: &str, name: &str, arguments: &str) -> Self {
        let function = serde_json::json!({ "name": name, "arguments": arguments });
        let call = serde_json::json!({ "index": 0, "id": id, "type": "function", "function": function });
        let body = format!("{}{}", chunk(&serde_json::json!({ "tool_calls": [call] })), end("tool_calls"));
        Self::body("text/event-stream", &body)
    }
}

fn delta(text: &str) -> String {
    chunk(&serde_json::json!({ "content": text }))
}

fn chunk(delta: &Value) -> String {
    format!("data: {}\n\n", serde_json::json!({ "choices": [{ "index": 0, "delta": delta }] }))
}

fn end(reason: &str) -> String {
    let last = serde_json::json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] });
    format!("data: {last}\n\ndata: [DONE]\n\n")
}

/// A server that gives these answers, one after the other, and ends with them.
pub(crate) struct Server {
    pub(crate) url: String,
    /// The body of each request.
    pub(crate) asked: Receiver<Value>,
}

impl Server {
    pub(crate) fn start(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port on loopback");
        let url = format!("http://{}/v1", listener.local_addr().expect("a bound listener"));
        let (seen, asked) = channel();
        thread::spawn(move || {
            for answer in answers {
                let Ok((stream, _)) = listener.accept() else { return };
                let Some(body) = request(&stream) else { return };
                // The test may have ended without a look at it.
                let _ = seen.send(body);
                give(stream, answer);
            }
        });
        Self { url, asked }
    }

    /// A place whose model is this server, with this added to the manifest.
    pub(crate) fn place(&self, extra: &str) -> Place {
        let place = Place::new("");
        let agent = format!("[agent]\nname = \"a\"\nmodel = \"main\"\n[models.main]\n{}", self.model());
        place.write("cepa.toml", agent + extra);
        place
    }

    /// The rest of a manifest that takes this server as another model, and asks it.
    pub(crate) fn model(&self) -> String {
        format!("provider = \"openai\"\nmodel = \"m\"\nbase-url = \"{}\"\n", self.url)
    }
}

fn give(mut stream: TcpStream, answer: Answer) {
    let (bytes, hangs) = match answer {
        Answer::Raw(bytes) => (bytes, false),
        Answer::Hang(bytes) => (bytes, true),
    };
    // The client may have gone, which some tests are about.
    let _ = stream.write_all(&bytes).and_then(|()| stream.flush());
    if hangs {
        let _ = stream.read(&mut [0]);
    }
}

/// The body of a request; `None` when the client has gone.
fn request(stream: &TcpStream) -> Option<Value> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}
