//! What an operator may want to know about the grants of a layer.

use std::path::Path;

use cepa::chain::HookKind;
use cepa::host::LoadedLayer;
use cepa::http::SecretGrant;
use cepa::manifest::{Manifest, SessionSpec};
use cepa::policy::{Access, CAPABILITIES, Grants, LayerSource, MountSpec};

pub fn remarks(manifest: &Manifest, layer: &LoadedLayer) -> Vec<String> {
    let mut remarks = differences(layer);
    let writable = layer.spec.grants.workspace.iter().filter(|mount| mount.writable);
    remarks.extend(writable.filter_map(|mount| exposed(manifest, &layer.spec.name, mount)));
    let secrets = layer.spec.grants.secrets.iter();
    remarks.extend(secrets.filter_map(|secret| unencrypted(&layer.spec.name, secret)));
    remarks
}

/// Where what a component asks for and what it is granted differ.
fn differences(layer: &LoadedLayer) -> Vec<String> {
    let name = &layer.spec.name;
    let asked = layer.component.capabilities();
    let differs = |capability| match (asked.contains(&capability), granted(&layer.spec.grants, capability)) {
        (true, false) => Some(format!(
            "layer `{name}` imports `{capability}` and is not granted it, so its calls there are denied"
        )),
        (false, true) => Some(format!(
            "layer `{name}` is granted `{capability}` and does not import it, so the grant can go"
        )),
        _ => None,
    };
    let idle = (layer.spec.grants.permissions
        && !layer.component.hooks().contains(HookKind::CheckPermission))
    .then(|| {
        format!(
            "layer `{name}` is granted `permissions` and has no `on-check-permission`, so the grant can go"
        )
    });
    CAPABILITIES.into_iter().filter_map(differs).chain(idle).collect()
}

fn granted(grants: &Grants, capability: &str) -> bool {
    match capability {
        "state" => grants.state,
        "models" => !grants.models.is_empty(),
        "tools" => !grants.tools.is_empty(),
        "index" => grants.index,
        "http" => !grants.http.is_empty(),
        "agents" => !grants.agents.is_empty(),
        "telemetry" => grants.telemetry,
        "workspace" => !grants.workspace.is_empty(),
        _ => grants.conversation != Access::None,
    }
}

/// What says what layers may do, or holds what they keep, and could be changed through a mount.
fn exposed(manifest: &Manifest, layer: &str, mount: &MountSpec) -> Option<String> {
    let index = manifest.sessions.index_file().unwrap_or_default();
    let mut guarded = vec![("the manifest".to_owned(), manifest.path.as_path())];
    if let SessionSpec::File(file) = &manifest.sessions {
        guarded.push(("the session file".to_owned(), file));
        guarded.push(("the file of documents".to_owned(), &index));
    }
    for other in manifest.all_layers() {
        if let LayerSource::File(path) | LayerSource::Project(path) = &other.source {
            guarded.push((format!("the component of `{}`", other.name), path));
        }
    }
    let within: Vec<String> = guarded
        .into_iter()
        .filter(|(_, path)| is_within(path, &mount.folder))
        .map(|(what, _)| what)
        .collect();
    if within.is_empty() {
        return None;
    }
    Some(format!(
        "layer `{layer}` may change {} through its mount `{}`; mount a folder without them unless you mean it",
        within.join(", "),
        mount.name
    ))
}

/// Where a secret can be read by whoever is on its way.
fn unencrypted(layer: &str, secret: &SecretGrant) -> Option<String> {
    let server = secret.servers().iter().find(|server| server.is_exposed())?;
    Some(format!(
        "layer `{layer}` may have secret `{}` sent to {server} unencrypted; name it with `https://` if it can",
        secret.name()
    ))
}

/// Whether a path leads into a folder, links followed. What is not there yet counts as where it would be.
fn is_within(path: &Path, folder: &Path) -> bool {
    let real = |path: &Path| path.ancestors().find_map(|path| path.canonicalize().ok());
    match (real(path), real(folder)) {
        (Some(path), Some(folder)) => path.starts_with(folder),
        _ => false,
    }
}
