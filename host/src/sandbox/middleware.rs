//! A component in its place in a chain: opens a layer for each reply.

use std::sync::Arc;

use futures::future::BoxFuture;

use crate::chain::{HookKind, HookSet, Layer, Middleware, ReplyContext};
use crate::error::Failure;
use crate::message::ToolDefinition;

use super::instance::Template;
use super::layer::ComponentLayer;
use super::store::LayerInfo;

/// A middleware of a component.
pub(super) struct ComponentMiddleware {
    template: Template,
    hooks: HookSet,
    info: Arc<LayerInfo>,
}

impl ComponentMiddleware {
    pub(super) fn new(template: Template, hooks: HookSet, info: Arc<LayerInfo>) -> Self {
        Self { template, hooks, info }
    }

    fn layer(&self, reply: &Arc<ReplyContext>) -> Arc<ComponentLayer> {
        Arc::new(ComponentLayer::new(self.template.clone(), Arc::clone(&self.info), Arc::clone(reply)))
    }
}

impl Middleware for ComponentMiddleware {
    fn name(&self) -> &str {
        &self.info.spec.name
    }

    fn hooks(&self) -> HookSet {
        self.hooks
    }

    fn open(&self, reply: &Arc<ReplyContext>) -> Arc<dyn Layer> {
        self.layer(reply)
    }

    fn list_tools(&self) -> BoxFuture<'_, Result<Vec<ToolDefinition>, Failure>> {
        Box::pin(async {
            if !self.hooks.contains(HookKind::ToolSource) {
                return Ok(Vec::new());
            }
            self.layer(&ReplyContext::builder("", "").build()).list_tools().await
        })
    }
}
