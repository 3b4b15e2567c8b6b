//! The models of a manifest.

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::{Map, Value};

use crate::chain::Sink;
use crate::error::Error;
use crate::manifest::{Manifest, ModelSpec, Problem, ProviderSpec, ServerSpec};
use crate::model::Model;
use crate::models::{
    AnthropicConfig, AnthropicModel, HttpSettings, OpenAiConfig, OpenAiModel, ScriptedModel, Timeouts,
};
use crate::request::{ModelRequest, ModelResponse};
use crate::world::World;

use super::error::LoadError;

/// A model and its alias.
type Named = (String, Arc<dyn Model>);

/// The models by their aliases. Connects to nothing yet.
pub(super) fn load(manifest: &Manifest, world: &Arc<dyn World>) -> Result<Vec<Named>, LoadError> {
    let mut models = Vec::new();
    let mut problems = Vec::new();
    for spec in &manifest.models {
        match make(spec, world) {
            Ok(model) => models.push((spec.alias.clone(), with_parameters(model, &spec.parameters))),
            Err((key, cause)) => {
                let span = manifest.span(&format!("/models/{}/{key}", spec.alias));
                problems.push(match span {
                    Some(span) => Problem::at(span, cause),
                    None => Problem::new(cause),
                });
            }
        }
    }
    if problems.is_empty() { Ok(models) } else { Err(LoadError::Manifest(manifest.error(problems))) }
}

/// A model, or what is wrong and at which key.
fn make(spec: &ModelSpec, world: &Arc<dyn World>) -> Result<Arc<dyn Model>, (&'static str, String)> {
    match &spec.provider {
        ProviderSpec::OpenAi(server) => {
            let mut config = OpenAiConfig::new(&server.model, base_url(server, OpenAiConfig::BASE_URL));
            config.api_key.clone_from(&server.api_key);
            config.context_tokens = spec.context_tokens;
            config.http = http(server);
            OpenAiModel::new(config)
                .map(|model| Arc::new(model) as _)
                .map_err(|error| ("base-url", error.message))
        }
        ProviderSpec::Anthropic(server) => {
            let mut config = AnthropicConfig::new(&server.model, base_url(server, AnthropicConfig::BASE_URL));
            config.api_key.clone_from(&server.api_key);
            config.context_tokens = spec.context_tokens;
            config.http = http(server);
            AnthropicModel::new(config)
                .map(|model| Arc::new(model) as _)
                .map_err(|error| ("base-url", error.message))
        }
        ProviderSpec::Scripted { script } => {
            // Layers see the model's name, so it holds no folder.
            let name = script.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(script)
                .map_err(|cause| ("script", format!("script `{name}` can't be read: {cause}")))?;
            let model = ScriptedModel::from_toml(&name, &text, Arc::clone(world))
                .map_err(|error| ("script", error.to_string().trim_end().to_owned()))?;
            Ok(match spec.context_tokens {
                Some(tokens) => Arc::new(model.with_context_tokens(tokens)),
                None => Arc::new(model),
            })
        }
    }
}

fn base_url(server: &ServerSpec, usual: &str) -> String {
    server.base_url.clone().unwrap_or_else(|| usual.to_owned())
}

fn http(server: &ServerSpec) -> HttpSettings {
    let usual = Timeouts::default();
    let timeouts = Timeouts {
        connect: server.timeouts.connect.unwrap_or(usual.connect),
        first_byte: server.timeouts.first_byte.unwrap_or(usual.first_byte),
        idle: server.timeouts.idle.unwrap_or(usual.idle),
        total: server.timeouts.total.unwrap_or(usual.total),
    };
    HttpSettings { headers: server.headers.clone(), timeouts, ..HttpSettings::default() }
}

fn with_parameters(model: Arc<dyn Model>, parameters: &Map<String, Value>) -> Arc<dyn Model> {
    if parameters.is_empty() {
        model
    } else {
        Arc::new(Parametrised { model, parameters: parameters.clone() })
    }
}

/// A model with parameters of its own, which hold unless the request sets them. They belong to the model and not to
/// the agent, so that a fallback to another model does not carry them along.
struct Parametrised {
    model: Arc<dyn Model>,
    parameters: Map<String, Value>,
}

impl Model for Parametrised {
    fn provider(&self) -> &str {
        self.model.provider()
    }

    fn model_name(&self) -> &str {
        self.model.model_name()
    }

    fn context_tokens(&self) -> Option<u32> {
        self.model.context_tokens()
    }

    fn call(
        &self,
        mut request: ModelRequest,
        call_id: String,
        out: Sink,
    ) -> BoxFuture<'static, Result<ModelResponse, Error>> {
        let parameters = &mut request.edit().parameters;
        for (name, value) in &self.parameters {
            parameters.entry(name.clone()).or_insert_with(|| value.clone());
        }
        self.model.call(request, call_id, out)
    }
}
