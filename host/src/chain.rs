//! The onion: ordered layers around an endpoint. Pure: knows no wasm, no files, no network.
//!
//! First in the list is outermost. Entries are in order and exits exactly reversed, also when something fails.

mod absent;
mod branch;
mod call;
mod context;
mod drive;
mod endpoint;
mod filter;
mod grace;
mod handed;
mod health;
mod hook;
mod inlet;
mod layer;
mod ledger;
mod meter;
mod next;
mod on_fault;
mod run;
mod sink;
mod slot;
mod task;
mod transform;
mod watch;

pub use call::Chain;
pub use context::{ReplyContext, ReplyContextBuilder};
pub use endpoint::{Endpoint, endpoint_fn};
pub use filter::Tap;
pub use health::{Health, MAX_FAULTS_DEFAULT, TakenOut};
pub use hook::{
    Acting, CheckPermission, CompressContext, Held, Hook, HookKind, HookSet, ModelCall, Reasoning, Reply,
};
pub use layer::{ChainEntry, HookFuture, Layer, Middleware, Native};
pub use ledger::{LayerLine, Ledger, Note, NoteKind, Spent};
pub use meter::Meter;
pub use next::Next;
pub use on_fault::OnFault;
pub use run::Run;
pub use sink::{EventStream, Sink};
pub(crate) use task::{guarded, nested, nesting, within};
pub(crate) use watch::Watcher;
