//! A server that answers as it is told to, and remembers what came.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// What is sent after the first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// Nothing: the connection is closed.
    Close,
    /// Nothing, and the connection stays.
    Hang,
    /// These bytes, again and again, as fast as they are taken.
    Flood(&'static [u8]),
    /// This byte each time that a hundredth of a second has passed.
    Drip(u8),
}

/// One answer.
#[derive(Clone, Debug)]
pub(crate) struct Say {
    pub(crate) bytes: Vec<u8>,
    pub(crate) then: Then,
}

impl Say {
    /// These bytes and no more.
    pub(crate) fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), then: Then::Close }
    }

    /// A whole answer with these lines as its headers.
    pub(crate) fn whole(status: u16, headers: &str, body: &[u8]) -> Self {
        let head = format!(
            "HTTP/1.1 {status} Said\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n",
            body.len()
        );
        Self::raw([head.as_bytes(), body].concat())
    }

    /// A good answer.
    pub(crate) fn body(body: &str) -> Self {
        Self::whole(200, "", body.as_bytes())
    }

    /// A redirect.
    pub(crate) fn redirect(status: u16, location: &str) -> Self {
        Self::whole(status, &format!("location: {location}\r\n"), b"moved")
    }

    /// The same, and this behind it.
    pub(crate) fn then(mut self, then: Then) -> Self {
        self.then = then;
        self
    }
}

/// A server on loopback, which ends with the runtime of its test.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) port: u16,
    received: Arc<Mutex<Vec<String>>>,
    connections: Arc<AtomicUsize>,
}

impl Server {
    /// Answers each request by its head and body.
    pub(crate) async fn start(answer: impl Fn(&str) -> Say + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port on loopback");
        let port = listener.local_addr().expect("a bound listener").port();
        let (received, connections) = (Arc::default(), Arc::new(AtomicUsize::new(0)));
        let server = Self { port, received: Arc::clone(&received), connections: Arc::clone(&connections) };
        let answer = Arc::new(answer);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(stream, Arc::clone(&received), Arc::clone(&answer)));
            }
        });
        server
    }

    /// Answers every request so.
    pub(crate) async fn always(say: Say) -> Self {
        Self::start(move |_| say.clone()).await
    }

    /// A port that nobody listens on.
    pub(crate) async fn closed_port() -> u16 {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port on loopback");
        listener.local_addr().expect("a bound listener").port()
    }

    /// An address of it, by the name of this machine.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.port)
    }

    /// The requests, as they came.
    pub(crate) fn received(&self) -> Vec<String> {
        self.received.lock().expect("no panic of the server").clone()
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

async fn serve(mut stream: TcpStream, received: Arc<Mutex<Vec<String>>>, answer: Arc<impl Fn(&str) -> Say>) {
    let Some(request) = read_request(&mut stream).await else { return };
    let say = answer(&request);
    received.lock().expect("no panic of the server").push(request);
    // The client may leave in the middle, which some tests are about.
    let _ = write(&mut stream, say).await;
}

async fn write(stream: &mut TcpStream, say: Say) -> std::io::Result<()> {
    stream.write_all(&say.bytes).await?;
    match say.then {
        Then::Close => stream.shutdown().await,
        Then::Hang => stream.read_to_end(&mut Vec::new()).await.map(drop),
        Then::Flood(bytes) => loop {
            stream.write_all(bytes).await?;
        },
        Then::Drip(byte) => loop {
            stream.write_all(&[byte]).await?;
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        },
    }
}

/// One request as text, or nothing when the client left.
async fn read_request(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if body.len() >= length.map_or(0, |length| length.parse().expect("a length")) {
            return Some(text.into_owned());
        }
    }
}
