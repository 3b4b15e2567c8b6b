//! The models of a manifest.

use std::path::Path;
use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::{Map, Value};

use crate::chain::Sink;
use crate::error::Error;
use crate::manifest::{Manifest, ModelSpec, Problem, ProviderSpec, ServerSpec};
use crate::model::Model;
use crate::models::{AnthropicModel, HttpSettings, OpenAiModel, ScriptedModel, ServerConfig, Timeouts};
use crate::request::{ModelRequest, ModelResponse};
use crate::world::World;

use super::error::LoadError;

/// A model and its alias.
pub(super) type Named = (String, Arc<dyn Model>);

/// The models by their aliases. Connects to nothing yet.
pub(super) fn load(manifest: &Manifest, world: &Arc<dyn World>) -> Result<Vec<Named>, LoadError> {
    let mut models = Vec::new();
    let mut problems = Vec::new();
    for spec in &manifest.models {
        let mut mistake = |key: &str, cause: String| {
            problems.push(match manifest.span(&format!("/models/{}/{key}", spec.alias)) {
                Some(span) => Problem::at(span, cause),
                None => Problem::new(cause),
            });
        };
        for name in reserved(&spec.provider).iter().filter(|name| spec.parameters.contains_key(**name)) {
            let cause = format!("parameter `{name}` can't be set: it follows from each request");
            mistake(&format!("parameters/{name}"), cause);
        }
        match make(spec, world) {
            Ok(model) => models.push((spec.alias.clone(), with_parameters(model, &spec.parameters))),
            Err((key, cause)) => mistake(key, cause),
        }
    }
    if problems.is_empty() { Ok(models) } else { Err(LoadError::Manifest(manifest.error(problems))) }
}

/// The parameters that a model of this provider does not take.
fn reserved(provider: &ProviderSpec) -> &'static [&'static str] {
    match provider {
        ProviderSpec::OpenAi(_) => OpenAiModel::RESERVED_PARAMETERS,
        ProviderSpec::Anthropic(_) => AnthropicModel::RESERVED_PARAMETERS,
        ProviderSpec::Scripted { .. } => &[],
    }
}

/// What is wrong with a model, and at which key.
type Mistake = (&'static str, String);

fn make(spec: &ModelSpec, world: &Arc<dyn World>) -> Result<Arc<dyn Model>, Mistake> {
    match &spec.provider {
        ProviderSpec::OpenAi(server) => {
            at_server(OpenAiModel::new(config(spec, server, OpenAiModel::BASE_URL)))
        }
        ProviderSpec::Anthropic(server) => {
            at_server(AnthropicModel::new(config(spec, server, AnthropicModel::BASE_URL)))
        }
        ProviderSpec::Scripted { script } => scripted(spec, script, world),
    }
}

fn at_server<M: Model + 'static>(model: Result<M, Error>) -> Result<Arc<dyn Model>, Mistake> {
    match model {
        Ok(model) => Ok(Arc::new(model)),
        Err(error) => Err(("base-url", error.message)),
    }
}

fn config(spec: &ModelSpec, server: &ServerSpec, usual_url: &str) -> ServerConfig {
    ServerConfig {
        model: server.model.clone(),
        base_url: server.base_url.clone().unwrap_or_else(|| usual_url.to_owned()),
        api_key: server.api_key.clone(),
        context_tokens: spec.context_tokens,
        http: http(server),
    }
}

fn scripted(spec: &ModelSpec, script: &Path, world: &Arc<dyn World>) -> Result<Arc<dyn Model>, Mistake> {
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
