//! What sits innermost.

use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;

use futures::future::BoxFuture;

use crate::error::Error;

use super::hook::Hook;
use super::sink::Sink;

/// What sits innermost: the model, the tool, the loop.
pub trait Endpoint<H: Hook>: Send + Sync + 'static {
    /// Answers a request. May be called several times, also after an earlier call failed.
    fn call(&self, request: H::Request, out: Sink) -> BoxFuture<'static, Result<H::Response, Error>>;
}

struct FnEndpoint<H, F>(F, PhantomData<fn() -> H>);

impl<H, F, R> Endpoint<H> for FnEndpoint<H, F>
where
    H: Hook,
    F: Fn(H::Request, Sink) -> R + Send + Sync + 'static,
    R: Future<Output = Result<H::Response, Error>> + Send + 'static,
{
    fn call(&self, request: H::Request, out: Sink) -> BoxFuture<'static, Result<H::Response, Error>> {
        Box::pin((self.0)(request, out))
    }
}

/// An endpoint of a function.
pub fn endpoint_fn<H, F, R>(function: F) -> Arc<dyn Endpoint<H>>
where
    H: Hook,
    F: Fn(H::Request, Sink) -> R + Send + Sync + 'static,
    R: Future<Output = Result<H::Response, Error>> + Send + 'static,
{
    Arc::new(FnEndpoint(function, PhantomData))
}
