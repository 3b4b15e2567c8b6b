//! `cepa inspect`.

use std::io::{self, Write as _};
use std::path::PathBuf;

use cepa::host::component_bytes;
use cepa::policy::LayerSource;
use cepa::sandbox::{CONTRACT, Component};
use serde_json::json;

use super::exit::{Exit, Failure};
use super::json::JsonLines;
use super::load;
use super::progress::ProgressLine;
use super::style::harmless;
use super::view::Mode;

/// Shows what a component is.
pub fn inspect(name: &str, mode: Mode) -> Result<Exit, Failure> {
    let source = match name.strip_prefix("bundled:") {
        Some(bundled) => LayerSource::Bundled(bundled.to_owned()),
        None => LayerSource::File(PathBuf::from(name)),
    };
    let bytes = component_bytes(&source).map_err(|error| Failure::new(Exit::Component, error))?;
    let host = load::host()?;
    let line = ProgressLine::new(mode != Mode::Quiet);
    line.say(&format!("loading {name}"));
    let loaded = load::runtime()?.block_on(host.sandbox().load(name, bytes));
    line.clear();
    let component = loaded.map_err(|error| Failure::new(Exit::Component, error))?;
    match mode {
        Mode::Json => JsonLines::new(io::stdout()).line(&json!({
            "type": "component",
            "component": name,
            "contract": CONTRACT,
            "bytes": component.size(),
            "hooks": hooks(&component),
            "imports": component.imports(),
            "grants": component.capabilities(),
            "version": component.digest(),
            "migrates-state": component.migrates(),
            "config-schema": component.config_schema(),
        }))?,
        Mode::Human | Mode::Quiet => io::stdout().write_all(harmless(&text(name, &component)).as_bytes())?,
    }
    Ok(Exit::Success)
}

fn hooks(component: &Component) -> Vec<&'static str> {
    component.hooks().iter().map(cepa::chain::HookKind::name).collect()
}

fn text(name: &str, component: &Component) -> String {
    let needs = component.capabilities();
    let schema = match component.config_schema() {
        Some(schema) => serde_json::to_string_pretty(schema).unwrap_or_else(|_| schema.to_string()),
        None => "none: any configuration is accepted".to_owned(),
    };
    format!(
        "component  {name}\ncontract   {CONTRACT}\nversion    {}\nsize       {} bytes\nhooks      {}\nimports    {}\ngrants     {}\nstate      {}\nconfig     {}\n",
        component.digest(),
        component.size(),
        hooks(component).join("\n           "),
        component.imports().join("\n           "),
        if needs.is_empty() { "needs none".to_owned() } else { needs.join(", ") },
        if component.migrates() { "takes over that of other versions" } else { "has no `migrate-state`" },
        schema.replace('\n', "\n           "),
    )
}
