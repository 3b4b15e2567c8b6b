//! The capabilities, and what is always there.

use wasmtime::component::Resource;

use crate::http::{Answer as HttpAnswer, Request as HttpRequest};
use crate::request::{ModelRequest, ModelResponse, ToolResponse};
use crate::sandbox::bindings::cepa::middleware::{
    agents, clock, context, conversation, http, index, log, models, random, state, telemetry, tools, types,
    workspace,
};
use crate::sandbox::spans::SpanHandle;
use crate::services::AgentRun;

use super::{Answer, counted};

counted! {
    context::Host {
        fn config() -> String;
        fn layer_name() -> String;
        fn agent_name() -> String;
        fn session_id() -> String;
        fn reply_id() -> String;
        fn step() -> u32;
        fn actor() -> Option<String>;
    }

    log::Host {
        fn write(level: log::Level, message: String) -> ();
    }

    clock::Host {
        fn now_ms() -> u64;
        fn monotonic_us() -> u64;
        async fn sleep(milliseconds: u32) -> ();
    }

    random::Host {
        fn bytes(count: u32) -> Answer<Vec<u8>>;
        fn number() -> u32;
        fn uuid() -> String;
    }

    state::Host {
        async fn get(scope: state::Scope, key: String) -> Answer<Option<String>>;
        async fn set(scope: state::Scope, key: String, value: String) -> Answer<()>;
        async fn delete(scope: state::Scope, key: String) -> Answer<bool>;
        async fn keys(scope: state::Scope, prefix: String) -> Answer<Vec<String>>;
        async fn compare_and_set(
            scope: state::Scope,
            key: String,
            expected: Option<String>,
            value: Option<String>
        ) -> Answer<bool>;
        async fn increment(scope: state::Scope, key: String, delta: f64) -> Answer<f64>;
    }

    models::Host {
        fn aliases() -> Answer<Vec<String>>;
        async fn complete(request: Resource<ModelRequest>) -> Answer<Resource<ModelResponse>>;
    }

    tools::Host {
        fn catalogue() -> Answer<Vec<types::ToolDefinition>>;
        fn offer(name: String) -> Answer<()>;
        fn withhold(name: String) -> Answer<()>;
        async fn call(name: String, arguments: String) -> Answer<Resource<ToolResponse>>;
    }

    conversation::Host {
        fn count() -> Answer<u32>;
        fn read(start: u32, end: u32) -> Answer<Vec<types::Message>>;
        async fn replace(start: u32, end: u32, messages: Vec<types::Message>) -> Answer<()>;
    }

    workspace::Host {
        async fn mounts() -> Answer<Vec<workspace::Mount>>;
        async fn stat(path: String) -> Answer<workspace::Entry>;
        async fn entries(path: String, after: Option<String>, limit: u32) -> Answer<Vec<workspace::Entry>>;
        async fn read(path: String) -> Answer<Vec<u8>>;
        async fn read_part(path: String, offset: u64, length: u32) -> Answer<Vec<u8>>;
        async fn write(path: String, content: Vec<u8>) -> Answer<()>;
        async fn append(path: String, content: Vec<u8>) -> Answer<()>;
        async fn create_folder(path: String) -> Answer<()>;
        async fn remove(path: String) -> Answer<()>;
        async fn rename(path: String, target: String) -> Answer<()>;
    }

    index::Host {
        async fn put(scope: index::Scope, collection: String, documents: Vec<index::Document>) -> Answer<()>;
        async fn get(scope: index::Scope, collection: String, id: String) -> Answer<Option<index::Document>>;
        async fn remove(scope: index::Scope, collection: String, ids: Vec<String>) -> Answer<u32>;
        async fn clear(scope: index::Scope, collection: String) -> Answer<u32>;
        async fn search(
            scope: index::Scope,
            collection: String,
            query: String,
            filter: Option<String>,
            limit: u32
        ) -> Answer<Vec<index::Hit>>;
        async fn count(scope: index::Scope, collection: String) -> Answer<u32>;
    }

    http::HostHttpRequest {
        fn create(method: String, url: String) -> Answer<Resource<HttpRequest>>;
        fn add_header(this: Resource<HttpRequest>, name: String, value: String) -> Answer<()>;
        fn set_body(this: Resource<HttpRequest>, body: Vec<u8>) -> Answer<()>;
        fn set_timeout(this: Resource<HttpRequest>, milliseconds: u32) -> ();
        fn drop(this: Resource<HttpRequest>) -> ();
    }

    http::HostHttpResponse {
        fn status(this: Resource<HttpAnswer>) -> u16;
        fn url(this: Resource<HttpAnswer>) -> String;
        fn headers(this: Resource<HttpAnswer>) -> Vec<(String, String)>;
        fn header(this: Resource<HttpAnswer>, name: String) -> Option<String>;
        async fn read(this: Resource<HttpAnswer>) -> Answer<Vec<u8>>;
        fn drop(this: Resource<HttpAnswer>) -> ();
    }

    http::Host {
        async fn fetch(request: Resource<HttpRequest>) -> Answer<Resource<HttpAnswer>>;
    }

    telemetry::HostSpan {
        fn start(name: String, attributes: String) -> Answer<Resource<SpanHandle>>;
        fn child(this: Resource<SpanHandle>, name: String, attributes: String) -> Answer<Resource<SpanHandle>>;
        fn set_attributes(this: Resource<SpanHandle>, attributes: String) -> Answer<()>;
        fn fail(this: Resource<SpanHandle>, reason: String) -> Answer<()>;
        fn end(this: Resource<SpanHandle>) -> ();
        fn drop(this: Resource<SpanHandle>) -> ();
    }

    telemetry::Host {
        fn count(name: String, value: f64, attributes: String) -> Answer<()>;
    }

    agents::HostAgentRun {
        fn thread(this: Resource<AgentRun>) -> String;
        fn outcome(this: Resource<AgentRun>) -> types::Outcome;
        fn text(this: Resource<AgentRun>) -> String;
        fn error(this: Resource<AgentRun>) -> Option<types::Error>;
        fn usage(this: Resource<AgentRun>) -> types::Usage;
        fn steps(this: Resource<AgentRun>) -> u32;
        fn drop(this: Resource<AgentRun>) -> ();
    }

    agents::Host {
        fn names() -> Answer<Vec<String>>;
        async fn run(agent: String, thread: Option<String>, prompt: String) -> Answer<Resource<AgentRun>>;
    }
}
