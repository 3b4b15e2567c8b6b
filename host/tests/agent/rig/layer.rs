//! Native layers, placed in a chain.

use std::sync::Arc;

use cepa::chain::{
    ChainEntry, HookFuture, HookKind, HookSet, Layer, Middleware, ModelCall, Native, Next, ReplyContext, Sink,
};
use cepa::request::{ModelRequest, ModelResponse};

/// A native layer of these hooks, to be placed in a chain.
pub(crate) fn entry(name: &str, hooks: &[HookKind], layer: impl Layer) -> ChainEntry {
    ChainEntry::new(Native::new(name, set(hooks), layer))
}

/// The same for a layer that is made for each reply, of what the reply's layers share.
pub(crate) fn opened<L: Layer>(
    name: &'static str,
    hooks: &[HookKind],
    open: impl Fn(&Arc<ReplyContext>) -> L + Send + Sync + 'static,
) -> ChainEntry {
    ChainEntry::new(Opened { name, hooks: set(hooks), open })
}

fn set(hooks: &[HookKind]) -> HookSet {
    hooks.iter().copied().collect()
}

struct Opened<F> {
    name: &'static str,
    hooks: HookSet,
    open: F,
}

impl<L: Layer, F: Fn(&Arc<ReplyContext>) -> L + Send + Sync + 'static> Middleware for Opened<F> {
    fn name(&self) -> &str {
        self.name
    }

    fn hooks(&self) -> HookSet {
        self.hooks
    }

    fn open(&self, reply: &Arc<ReplyContext>) -> Arc<dyn Layer> {
        Arc::new((self.open)(reply))
    }
}

/// Asks the model again when it fails.
pub(crate) struct Retry;

impl Layer for Retry {
    fn on_model_call(
        self: Arc<Self>,
        request: ModelRequest,
        mut next: Next<ModelCall>,
        _out: Sink,
    ) -> HookFuture<ModelResponse> {
        Box::pin(async move {
            match next.run(request.clone()).await {
                Ok(response) => Ok(response),
                Err(_) => Ok(next.run(request).await?),
            }
        })
    }
}
