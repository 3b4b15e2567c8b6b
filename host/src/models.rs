//! The models that the host can ask: two kinds of server, and a script.
//!
//! What compatible servers really send is often not what the protocol says. The rule here: understand what has one
//! meaning, refuse what has none with an error that shows what came, and never guess in a way that runs a tool.
//!
//! A call goes through these files: `request` writes what is asked, [`http`] sends it and reads the answer within its
//! limits, [`intake`] tells a stream from a plain answer and cuts it into events ([`sse`]), the provider's `stream`
//! understands each, and [`answer`] builds from that both the content and the events. JSON that comes in pieces is parsed
//! when it may be whole ([`growing`]).

mod answer;
mod anthropic;
mod exchange;
mod growing;
mod http;
mod intake;
mod openai;
mod parameters;
mod peer;
mod retry_after;
mod scripted;
mod server_config;
mod sse;
mod transcript;
mod usage;

pub use anthropic::AnthropicModel;
pub use http::{HttpSettings, Timeouts};
pub use openai::OpenAiModel;
pub(crate) use scripted::WrittenTurn;
pub use scripted::{ScriptError, ScriptedModel};
pub use server_config::ServerConfig;
