//! What servers send in the place of a model's answer.

use std::sync::{Arc, LazyLock, Mutex};

use cepa::chain::Sink;
use cepa::message::Message;
use cepa::model::Model;
use cepa::models::{AnthropicModel, OpenAiModel, ServerConfig};
use cepa::request::ModelRequest;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::runtime;

/// A server on loopback that answers everything with the same bytes.
struct Server {
    address: String,
    answer: Arc<Mutex<Vec<u8>>>,
}

static SERVER: LazyLock<Server> = LazyLock::new(|| {
    let answer = Arc::new(Mutex::new(Vec::new()));
    let listener = runtime().block_on(TcpListener::bind("127.0.0.1:0")).expect("loopback can be bound");
    let address = listener.local_addr().expect("a bound socket has an address");
    runtime().spawn(serve(listener, Arc::clone(&answer)));
    Server { address: format!("http://{address}"), answer }
});

async fn serve(listener: TcpListener, answer: Arc<Mutex<Vec<u8>>>) {
    while let Ok((stream, _)) = listener.accept().await {
        let body = answer.lock().expect("no run panicked").clone();
        // A client that hangs up early is fine.
        let _ = say(stream, &body).await;
    }
}

/// Reads one request, and answers it in two portions, so that the cut can fall anywhere.
async fn say(mut stream: TcpStream, body: &[u8]) -> std::io::Result<()> {
    let mut request = vec![0; 64 << 10];
    let _ = stream.read(&mut request).await?;
    stream.set_nodelay(true)?;
    stream
        .write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
        .await?;
    let cut = body.first().map_or(0, |byte| usize::from(*byte) % (body.len() + 1));
    let (first, rest) = body.split_at(cut);
    stream.write_all(first).await?;
    stream.write_all(rest).await?;
    stream.shutdown().await
}

/// Takes the bytes as an answer of Chat Completions.
pub(crate) fn openai(bytes: &[u8]) {
    static MODEL: LazyLock<OpenAiModel> = LazyLock::new(|| {
        OpenAiModel::new(ServerConfig::new("m", &SERVER.address)).expect("the address is one")
    });
    ask(&*MODEL, bytes);
}

/// Takes the bytes as an answer of Messages.
pub(crate) fn anthropic(bytes: &[u8]) {
    static MODEL: LazyLock<AnthropicModel> = LazyLock::new(|| {
        AnthropicModel::new(ServerConfig::new("m", &SERVER.address)).expect("the address is one")
    });
    ask(&*MODEL, bytes);
}

fn ask(model: &dyn Model, bytes: &[u8]) {
    bytes.clone_into(&mut SERVER.answer.lock().expect("no run panicked"));
    let mut request = ModelRequest::to("m");
    request.push_message(Message::user("Hello"));
    let answered = runtime().block_on(model.call(request, "call".to_owned(), Sink::discard()));
    if let Ok(response) = answered {
        let calls = response.message.tool_calls();
        assert!(calls.into_iter().all(|call| !call.id.is_empty()), "a call without id can't be answered");
    }
}
