//! The one middleware of an instance.

use std::cell::OnceCell;

use crate::{Error, Middleware, bindings::cepa::middleware::context, middleware};

/// Gives the instance's middleware. `export!` implements it.
pub trait Instance: Middleware + 'static {
    /// The middleware, made on the first call.
    fn instance() -> Result<&'static Self, Error>;
}

/// Holds the middleware, or why it could not be made.
pub struct Cell<M: 'static>(OnceCell<Result<&'static M, Error>>);

impl<M: Middleware> Cell<M> {
    /// An empty cell.
    pub const fn new() -> Self {
        Self(OnceCell::new())
    }

    /// The middleware, made now if this is the first call.
    pub fn get(&self) -> Result<&'static M, Error> {
        self.0
            .get_or_init(|| {
                super::panic::install();
                // It lives as long as the instance, whose memory the host then drops whole.
                middleware::make::<M>(&context::config()).map(|made| &*Box::leak(Box::new(made)))
            })
            .clone()
    }
}

impl<M: Middleware> Default for Cell<M> {
    fn default() -> Self {
        Self::new()
    }
}
