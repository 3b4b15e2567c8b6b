//! A server that answers each request with the bytes it was told to, and remembers the requests.

use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// How an answer ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// As it should.
    Proper,
    /// The connection breaks before the body is complete.
    Cut,
    /// Nothing more comes, and the connection stays.
    Hang,
}

/// One answer: its head, and its body in the portions that the client gets to see.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) portions: Vec<Vec<u8>>,
    pub(crate) end: End,
}

impl Reply {
    /// A good answer of one portion.
    pub(crate) fn of(body: impl Into<Vec<u8>>) -> Self {
        Self { status: 200, headers: Vec::new(), portions: vec![body.into()], end: End::Proper }
    }

    pub(crate) fn status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    pub(crate) fn end(mut self, end: End) -> Self {
        self.end = end;
        self
    }

    /// The same body in portions that end at these places.
    pub(crate) fn split(mut self, places: impl IntoIterator<Item = usize>) -> Self {
        let body = self.portions.concat();
        let mut places: Vec<_> = places.into_iter().filter(|place| *place < body.len()).collect();
        places.extend([0, body.len()]);
        places.sort_unstable();
        self.portions = places.windows(2).map(|pair| body[pair[0]..pair[1]].to_vec()).collect();
        self
    }
}

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) head: String,
    pub(crate) body: Value,
}

/// A server on loopback, which ends with the runtime of its test.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) url: String,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Server {
    /// Answers one request after another with these, each on a connection of its own.
    pub(crate) async fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        let replies: Vec<_> = replies.into_iter().collect();
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port on loopback");
        let url = format!("http://{}", listener.local_addr().expect("a bound listener"));
        let received = Arc::new(Mutex::new(Vec::new()));
        let memory = Arc::clone(&received);
        tokio::spawn(async move {
            for reply in replies {
                let (stream, _) = listener.accept().await.expect("a client");
                answer(stream, reply, &memory).await;
            }
        });
        Self { url, received }
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().expect("no panic of the server").clone()
    }
}

async fn answer(mut stream: TcpStream, reply: Reply, memory: &Mutex<Vec<Received>>) {
    let received = read_request(&mut stream).await;
    memory.lock().expect("no panic of the server").push(received);
    let mut head =
        format!("HTTP/1.1 {} Said\r\ntransfer-encoding: chunked\r\nconnection: close\r\n", reply.status);
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    // The client may leave in the middle, which some tests are about.
    let _ = write(&mut stream, head.as_bytes(), &reply).await;
    if reply.end == End::Hang {
        // Ends when the client has gone.
        let _ = stream.read_to_end(&mut Vec::new()).await;
    }
}

async fn write(stream: &mut TcpStream, head: &[u8], reply: &Reply) -> std::io::Result<()> {
    stream.write_all(head).await?;
    for portion in reply.portions.iter().filter(|portion| !portion.is_empty()) {
        // Each portion is a chunk of the transfer, and so arrives as one.
        let mut chunk = format!("{:x}\r\n", portion.len()).into_bytes();
        chunk.extend_from_slice(portion);
        chunk.extend_from_slice(b"\r\n");
        stream.write_all(&chunk).await?;
    }
    if reply.end == End::Proper {
        stream.write_all(b"0\r\n\r\n").await?;
    }
    stream.flush().await
}

async fn read_request(stream: &mut TcpStream) -> Received {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(place) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break place + 4;
        }
        assert_ne!(stream.read_buf(&mut bytes).await.expect("a request"), 0, "the request was cut");
    };
    let head = String::from_utf8(bytes[..head_end].to_vec()).expect("a head of text");
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().expect("a length"))
    });
    while bytes.len() < head_end + length.unwrap_or(0) {
        assert_ne!(stream.read_buf(&mut bytes).await.expect("a body"), 0, "the body was cut");
    }
    Received { head, body: serde_json::from_slice(&bytes[head_end..]).expect("a body of JSON") }
}
