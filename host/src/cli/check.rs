//! `cepa check`.

mod remarks;

use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;

use cepa::agent::Agent;
use cepa::chain::{HookKind, OnFault};
use cepa::host::{Loaded, LoadedLayer};
use cepa::http::SecretGrant;
use cepa::manifest::{Manifest, ProviderSpec, SubAgentSpec};
use cepa::policy::{Access, Bound, Grants, LayerSource, Limits, MountSpec};
use serde_json::{Value, json};

use super::exit::{Exit, Failure};
use super::json::JsonLines;
use super::load;
use super::style::harmless;
use super::table::Table;
use super::view::Mode;
use remarks::remarks;

/// Loads everything and shows it.
pub fn check(path: &Path, mode: Mode) -> Result<Exit, Failure> {
    let manifest = load::manifest(path)?;
    let runtime = load::runtime()?;
    let loaded = load::check(&runtime, &manifest, mode)?;
    match mode {
        Mode::Quiet => {}
        Mode::Human => io::stdout().write_all(harmless(&text(&manifest, &loaded)).as_bytes())?,
        Mode::Json => {
            let mut lines = JsonLines::new(io::stdout());
            for value in values(&manifest, &loaded) {
                lines.line(&value)?;
            }
        }
    }
    Ok(Exit::Success)
}

fn text(manifest: &Manifest, loaded: &Loaded) -> String {
    let loaded_layers = [&loaded.layers(), loaded.sub_layers()].concat();
    let mut models = Table::new(&["model", "provider", "name"]);
    for model in &manifest.models {
        let (provider, name) = provider(&model.provider);
        models.row([model.alias.clone(), provider.to_owned(), name]);
    }
    let mut layers = Table::new(&["layer", "source", "hooks", "grants", "limits", "on-fault"]);
    for layer in &loaded_layers {
        layers.row([
            layer.spec.name.clone(),
            source(&layer.spec.source),
            layer.component.hooks().iter().map(HookKind::name).collect::<Vec<_>>().join(" "),
            grants(&layer.spec.grants),
            limits(&layer.spec.limits),
            on_fault(layer).to_owned(),
        ]);
    }
    let mut text = format!("{}\n{}", models.render(), layers.render());
    let subs = loaded.agent.sub_agents();
    if !subs.is_empty() {
        let mut agents = Table::new(&["agent", "model", "layers", "tools"]);
        for (spec, agent) in sub_agents(manifest, &subs) {
            let layers: Vec<&str> = spec.layers.iter().map(|layer| layer.name.as_str()).collect();
            agents.row([
                spec.agent.name.clone(),
                spec.agent.model.clone(),
                or_none(&layers),
                or_none(&tools(agent)),
            ]);
        }
        text.push_str(&format!("\n{}", agents.render()));
    }
    let own_tools = tools(&loaded.agent);
    if !own_tools.is_empty() {
        text.push_str(&format!("\ntools: {}\n", own_tools.join(", ")));
    }
    for layer in &loaded_layers {
        for remark in remarks(manifest, layer) {
            text.push_str(&format!("\nnote: {remark}\n"));
        }
    }
    for unmatched in loaded.unmatched_tools() {
        text.push_str(&format!("\nnote: {unmatched}\n"));
    }
    text.push_str(&format!("\n{} is in order\n", manifest.path.display()));
    text
}

fn values(manifest: &Manifest, loaded: &Loaded) -> Vec<Value> {
    let loaded_layers = [&loaded.layers(), loaded.sub_layers()].concat();
    let models = manifest.models.iter().map(|model| {
        let (provider, name) = provider(&model.provider);
        json!({ "type": "model", "model": model.alias, "provider": provider, "name": name })
    });
    let layers = loaded_layers.iter().map(|layer| {
        json!({
            "type": "layer",
            "layer": layer.spec.name,
            "source": source(&layer.spec.source),
            "hooks": layer.component.hooks().iter().map(HookKind::name).collect::<Vec<_>>(),
            "grants": {
                "state": layer.spec.grants.state,
                "models": layer.spec.grants.models,
                "tools": layer.spec.grants.tools,
                "conversation": access(layer.spec.grants.conversation),
                "index": layer.spec.grants.index,
                "workspace": mounts_json(&layer.spec.grants.workspace),
                "http": texts(&layer.spec.grants.http),
                "secrets": secrets_json(&layer.spec.grants.secrets),
                "permissions": layer.spec.grants.permissions,
                "agents": layer.spec.grants.agents,
                "telemetry": layer.spec.grants.telemetry,
            },
            "limits": limits_json(&layer.spec.limits),
            "on-fault": on_fault(layer),
            "max-faults": layer.spec.max_faults,
            "notes": remarks(manifest, layer),
        })
    });
    let subs = loaded.agent.sub_agents();
    let agents = sub_agents(manifest, &subs).map(|(spec, agent)| {
        json!({
            "type": "agent",
            "agent": spec.agent.name,
            "model": spec.agent.model,
            "layers": spec.layers.iter().map(|layer| &layer.name).collect::<Vec<_>>(),
            "tools": tools(agent),
        })
    });
    let unmatched = loaded.unmatched_tools().into_iter().map(|note| json!({ "type": "note", "note": note }));
    let own_tools = tools(&loaded.agent).into_iter().map(|tool| json!({ "type": "tool", "tool": tool }));
    models.chain(layers).chain(agents).chain(own_tools).chain(unmatched).collect()
}

/// The sub-agents of a manifest, each with what was made of it.
fn sub_agents<'a>(
    manifest: &'a Manifest,
    made: &'a [Agent],
) -> impl Iterator<Item = (&'a SubAgentSpec, &'a Agent)> {
    manifest
        .agents
        .iter()
        .filter_map(|spec| Some((spec, made.iter().find(|agent| agent.name() == spec.agent.name)?)))
}

/// The names of an agent's tools.
fn tools(agent: &Agent) -> Vec<String> {
    agent.tools().iter().map(|tool| tool.name.clone()).collect()
}

fn or_none(names: &[impl AsRef<str>]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    if names.is_empty() { "-".to_owned() } else { names.join(" ") }
}

fn provider(spec: &ProviderSpec) -> (&'static str, String) {
    match spec {
        ProviderSpec::OpenAi(server) => ("openai", server.model.clone()),
        ProviderSpec::Anthropic(server) => ("anthropic", server.model.clone()),
        ProviderSpec::Scripted { script } => ("scripted", script.display().to_string()),
    }
}

fn source(source: &LayerSource) -> String {
    match source {
        LayerSource::Bundled(name) => format!("bundled:{name}"),
        LayerSource::File(path) | LayerSource::Project(path) => path.display().to_string(),
    }
}

fn grants(grants: &Grants) -> String {
    let mut given = Vec::new();
    if grants.state {
        given.push("state".to_owned());
    }
    if !grants.models.is_empty() {
        given.push(format!("models={}", grants.models.join(",")));
    }
    if !grants.tools.is_empty() {
        given.push(format!("tools={}", grants.tools.join(",")));
    }
    if grants.conversation != Access::None {
        given.push(format!("conversation={}", access(grants.conversation)));
    }
    if grants.index {
        given.push("index".to_owned());
    }
    if !grants.workspace.is_empty() {
        let mounts: Vec<String> = grants.workspace.iter().map(mount).collect();
        given.push(format!("workspace={}", mounts.join(",")));
    }
    if !grants.http.is_empty() {
        given.push(format!("http=[{}]", texts(&grants.http).join("; ")));
    }
    if !grants.secrets.is_empty() {
        let names: Vec<&str> = grants.secrets.iter().map(SecretGrant::name).collect();
        given.push(format!("secrets={}", names.join(",")));
    }
    if grants.permissions {
        given.push("permissions".to_owned());
    }
    if !grants.agents.is_empty() {
        given.push(format!("agents={}", grants.agents.join(",")));
    }
    if grants.telemetry {
        given.push("telemetry".to_owned());
    }
    if given.is_empty() { "-".to_owned() } else { given.join(" ") }
}

/// A mount without its folder, which would make the table wide.
fn mount(mount: &MountSpec) -> String {
    format!("{}:{}", if mount.writable { "rw" } else { "ro" }, mount.name)
}

fn mounts_json(mounts: &[MountSpec]) -> Value {
    let each = mounts
        .iter()
        .map(|mount| json!({ "mount": mount.name, "folder": mount.folder, "writable": mount.writable }));
    Value::Array(each.collect())
}

fn texts(values: &[impl ToString]) -> Vec<String> {
    values.iter().map(ToString::to_string).collect()
}

/// Names and servers; what is secret is not there.
fn secrets_json(secrets: &[SecretGrant]) -> Value {
    let each = secrets.iter().map(|secret| (secret.name().to_owned(), json!(texts(secret.servers()))));
    Value::Object(each.collect())
}

fn access(access: Access) -> &'static str {
    match access {
        Access::None => "none",
        Access::Read => "read",
        Access::Write => "write",
    }
}

/// The limits that are not the default ones.
fn limits(limits: &Limits) -> String {
    let own = limits.each().into_iter().zip(Limits::default().each()).filter(|(own, default)| own != default);
    let own: Vec<String> = own
        .map(|((name, bound), _)| match bound {
            Bound::Count(count) => format!("{name}={count}"),
            Bound::Bytes(count) => format!("{name}={}", bytes(count)),
            Bound::Time(time) => format!("{name}={time:?}"),
        })
        .collect();
    if own.is_empty() { "default".to_owned() } else { own.join(" ") }
}

/// All limits, each name with its unit.
fn limits_json(limits: &Limits) -> Value {
    let each = limits.each().into_iter().map(|(name, bound)| match bound {
        Bound::Count(count) => (name.to_owned(), json!(count)),
        Bound::Bytes(count) if name.contains("bytes") => (name.to_owned(), json!(count)),
        Bound::Bytes(count) => (format!("{name}-bytes"), json!(count)),
        Bound::Time(time) => (format!("{name}-ms"), json!(millis(time))),
    });
    Value::Object(each.collect())
}

/// Bytes in the largest unit that they are a whole number of.
pub fn bytes(count: u64) -> String {
    let units = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    let unit = units.iter().find(|(_, unit)| count >= *unit && count.is_multiple_of(*unit));
    match unit {
        Some((name, unit)) => format!("{}{name}", count / unit),
        None => format!("{count}B"),
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn on_fault(layer: &LoadedLayer) -> &'static str {
    match layer.spec.on_fault {
        OnFault::ByHook => "by hook",
        OnFault::Fail => "fail",
        OnFault::Skip => "skip",
    }
}
