//! A component in its place in a chain: opens a layer for each reply.

use std::sync::Arc;

use futures::future::BoxFuture;

use crate::chain::{HookKind, HookSet, Layer, Middleware, ReplyContext};
use crate::error::Failure;
use crate::message::ToolDefinition;

use super::component::Component;
use super::instance::Template;
use super::layer::ComponentLayer;
use super::migrate::migrate;
use super::store::LayerInfo;

/// A middleware of a component.
pub(super) struct ComponentMiddleware {
    template: Template,
    hooks: HookSet,
    version: Arc<str>,
    info: Arc<LayerInfo>,
}

impl ComponentMiddleware {
    pub(super) fn new(component: &Component, info: Arc<LayerInfo>) -> Self {
        let (template, version) = (component.template.clone(), component.digest().into());
        Self { template, hooks: component.hooks(), version, info }
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

    fn version(&self) -> Option<&str> {
        Some(&self.version)
    }

    fn config(&self) -> &str {
        &self.info.config
    }

    fn state_quota(&self) -> u64 {
        self.info.spec.limits.state
    }

    fn migrate(&self, from_config: String, context: Arc<ReplyContext>) -> BoxFuture<'_, Result<(), Failure>> {
        Box::pin(migrate(&self.template, &self.info, from_config, context))
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
