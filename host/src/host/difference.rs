//! What a swap would change, and what of it needs the operator's consent.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::chain::HookKind;
use crate::http::SecretGrant;
use crate::policy::{Access, Grants, MountSpec};

use super::layers::LoadedLayer;

/// What a swap does with a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DifferenceKind {
    /// It was not there before.
    Added,
    /// It is there no longer.
    Removed,
    /// It is there before and after, and not the same.
    Changed,
}

/// How one layer differs before and after a swap.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LayerDifference {
    /// The layer.
    pub layer: String,
    /// What happens to it.
    pub kind: DifferenceKind,
    /// What is otherwise: `source`, `component`, `config`, `grants`, `limits`, `on-fault`, `max-faults`, `place`.
    pub changed: Vec<String>,
    /// The hash of its component before.
    pub version_before: Option<String>,
    /// The hash of its component after.
    pub version_after: Option<String>,
    /// The hooks that it newly implements.
    pub new_hooks: Vec<String>,
    /// The capabilities that it newly imports and that need a grant.
    pub new_imports: Vec<String>,
    /// What it is newly granted, such as `state` or `models=backup`.
    pub new_grants: Vec<String>,
    /// What of this needs consent: what it is newly granted, and what it newly imports unless it was granted before.
    pub needs_consent: Vec<String>,
}

/// What an operator agrees to: a capability (`models`), one grant (`models=backup`), or `*`, for all layers or for one
/// (`LAYER:models`). A consent lets a swap happen; it grants nothing that the manifest does not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Consent(Vec<String>);

impl Consent {
    /// Consent to these.
    pub fn to(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self(names.into_iter().map(Into::into).collect())
    }

    fn covers(&self, layer: &str, right: &str) -> bool {
        let capability = right.split_once('=').map_or(right, |(capability, _)| capability);
        [right, capability, "*"]
            .iter()
            .any(|name| self.0.iter().any(|given| given == name || *given == format!("{layer}:{name}")))
    }
}

impl LayerDifference {
    /// The difference with nothing left to consent to but what `consent` does not cover.
    pub(super) fn after(mut self, consent: &Consent) -> Self {
        let layer = self.layer.clone();
        self.needs_consent.retain(|right| !consent.covers(&layer, right));
        self
    }
}

/// How the layers differ, in the order of those after; those that are gone stand last.
pub(super) fn between(before: &[LoadedLayer], after: &[LoadedLayer]) -> Vec<LayerDifference> {
    let find = |layers: &[LoadedLayer], name: &str| layers.iter().position(|layer| layer.spec.name == name);
    let mut differences: Vec<LayerDifference> = after
        .iter()
        .filter_map(|layer| {
            let old = find(before, &layer.spec.name).and_then(|at| before.get(at));
            let moved = rank(&layer.spec.name, before, after) != rank(&layer.spec.name, after, before);
            difference(old, layer, moved)
        })
        .collect();
    let gone = before.iter().filter(|layer| find(after, &layer.spec.name).is_none());
    differences.extend(gone.map(removed));
    differences
}

/// How many layers stand before this one in `layers`, of those that are in `others` as well.
fn rank(name: &str, layers: &[LoadedLayer], others: &[LoadedLayer]) -> Option<usize> {
    let common = |layer: &&LoadedLayer| others.iter().any(|other| other.spec.name == layer.spec.name);
    layers.iter().filter(common).position(|layer| layer.spec.name == name)
}

/// How a layer differs from the one before; `None` when it does not.
fn difference(old: Option<&LoadedLayer>, new: &LoadedLayer, moved: bool) -> Option<LayerDifference> {
    let changed = old.map_or_else(Vec::new, |old| changed(old, new, moved));
    if old.is_some() && changed.is_empty() {
        return None;
    }
    let none = Grants::default();
    let granted = old.map_or(&none, |old| &old.spec.grants);
    let hooked = old.map(|old| old.component.hooks()).unwrap_or_default();
    let new_hooks = new.component.hooks().iter().filter(|hook| !hooked.contains(*hook)).map(HookKind::name);
    let imported = old.map(|old| old.component.capabilities()).unwrap_or_default();
    let new_imports: Vec<&str> =
        new.component.capabilities().into_iter().filter(|import| !imported.contains(import)).collect();
    let new_grants: Vec<Right> =
        rights(&new.spec.grants).into_iter().filter(|right| !holds(granted, right)).collect();

    let mut needs_consent: Vec<String> = new_grants.iter().map(ToString::to_string).collect();
    let known = |import: &&&str| {
        let of_it = |right: &Right| right.capability == **import;
        rights(granted).iter().any(of_it) || new_grants.iter().any(of_it)
    };
    needs_consent
        .extend(new_imports.iter().filter(|import| !known(import)).map(|import| (*import).to_owned()));
    Some(LayerDifference {
        layer: new.spec.name.clone(),
        kind: if old.is_some() { DifferenceKind::Changed } else { DifferenceKind::Added },
        changed,
        version_before: old.map(|old| old.component.digest().to_owned()),
        version_after: Some(new.component.digest().to_owned()),
        new_hooks: new_hooks.map(str::to_owned).collect(),
        new_imports: new_imports.into_iter().map(str::to_owned).collect(),
        new_grants: new_grants.iter().map(ToString::to_string).collect(),
        needs_consent,
    })
}

fn changed(old: &LoadedLayer, new: &LoadedLayer, moved: bool) -> Vec<String> {
    let (a, b) = (&old.spec, &new.spec);
    let changes = [
        ("source", a.source != b.source),
        ("component", old.component.digest() != new.component.digest()),
        ("config", a.config != b.config),
        ("grants", a.grants != b.grants),
        ("limits", a.limits != b.limits),
        ("on-fault", a.on_fault != b.on_fault),
        ("max-faults", a.max_faults != b.max_faults),
        ("place", moved),
    ];
    changes.into_iter().filter(|(_, changed)| *changed).map(|(what, _)| what.to_owned()).collect()
}

fn removed(layer: &LoadedLayer) -> LayerDifference {
    LayerDifference {
        layer: layer.spec.name.clone(),
        kind: DifferenceKind::Removed,
        changed: Vec::new(),
        version_before: Some(layer.component.digest().to_owned()),
        version_after: None,
        new_hooks: Vec::new(),
        new_imports: Vec::new(),
        new_grants: Vec::new(),
        needs_consent: Vec::new(),
    }
}

/// One thing that a layer is granted.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Right {
    capability: &'static str,
    /// Empty where the capability has none.
    object: String,
}

impl fmt::Display for Right {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.capability)?;
        if self.object.is_empty() { Ok(()) } else { write!(f, "={}", self.object) }
    }
}

/// Everything that a layer is granted, one by one.
fn rights(grants: &Grants) -> Vec<Right> {
    // Taken apart whole, so that a new grant is not forgotten here.
    let Grants {
        state,
        models,
        tools,
        conversation,
        index,
        workspace,
        http,
        secrets,
        permissions,
        telemetry,
        agents,
    } = grants;
    let one = |capability, object: &str| Right { capability, object: object.to_owned() };
    let mut rights = Vec::new();
    if *state {
        rights.push(one("state", ""));
    }
    rights.extend(models.iter().map(|model| one("models", model)));
    rights.extend(tools.iter().map(|tool| one("tools", tool)));
    match conversation {
        Access::None => {}
        Access::Read => rights.push(one("conversation", "read")),
        Access::Write => rights.push(one("conversation", "write")),
    }
    if *index {
        rights.push(one("index", ""));
    }
    rights.extend(workspace.iter().map(|mount| one("workspace", &mounted(mount))));
    rights.extend(http.iter().map(|rule| one("http", &rule.to_string())));
    let sent = |secret: &SecretGrant| {
        secret.servers().iter().map(|server| format!("{} to {server}", secret.name())).collect::<Vec<_>>()
    };
    rights.extend(secrets.iter().flat_map(sent).map(|secret| one("secrets", &secret)));
    if *permissions {
        rights.push(one("permissions", ""));
    }
    rights.extend(agents.iter().map(|agent| one("agents", agent)));
    if *telemetry {
        rights.push(one("telemetry", ""));
    }
    rights
}

/// A mount as the manifest writes it: another folder under the same name is another right.
fn mounted(mount: &MountSpec) -> String {
    let access = if mount.writable { "rw" } else { "ro" };
    format!("{}:{access}:{}", mount.name, mount.folder.display())
}

/// The same mount, writable.
fn writable(mounted: &str) -> String {
    match mounted.split_once(':') {
        Some((name, rest)) => format!("{name}:rw:{}", rest.get(3..).unwrap_or_default()),
        None => mounted.to_owned(),
    }
}

/// Whether these grants hold this right already, as itself or as part of a larger one.
fn holds(grants: &Grants, right: &Right) -> bool {
    let larger = match right.capability {
        "conversation" => "write".to_owned(),
        "workspace" => writable(&right.object),
        _ => "*".to_owned(),
    };
    rights(grants).iter().any(|held| {
        held.capability == right.capability && (held.object == right.object || held.object == larger)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::Secret;

    fn grants(models: &[&str], conversation: Access) -> Grants {
        let models = models.iter().map(|model| (*model).to_owned()).collect();
        Grants { models, conversation, ..Grants::default() }
    }

    fn new_rights(before: &Grants, after: &Grants) -> Vec<String> {
        let new = rights(after).into_iter().filter(|right| !holds(before, right));
        new.map(|right| right.to_string()).collect()
    }

    #[test]
    fn what_is_newly_granted_is_told_one_by_one() {
        let none = Grants::default();
        let some = grants(&["a", "b"], Access::Read);
        let all = grants(&["*"], Access::Write);
        assert_eq!(new_rights(&none, &some), ["models=a", "models=b", "conversation=read"]);
        assert_eq!(new_rights(&some, &all), ["models=*", "conversation=write"]);
        assert_eq!(new_rights(&all, &some), [""; 0]);
        assert_eq!(
            new_rights(&none, &Grants { state: true, index: true, ..none.clone() }),
            ["state", "index"]
        );
    }

    #[test]
    fn a_mount_is_its_name_its_folder_and_whether_it_is_writable() {
        let mount = |folder: &str, writable| {
            let mount = MountSpec { name: "m".to_owned(), folder: folder.into(), writable };
            Grants { workspace: vec![mount], ..Grants::default() }
        };
        let (reads, writes) = (mount("/a", false), mount("/a", true));
        assert_eq!(new_rights(&Grants::default(), &reads), ["workspace=m:ro:/a"]);
        assert_eq!(new_rights(&reads, &writes), ["workspace=m:rw:/a"]);
        assert_eq!(new_rights(&writes, &reads), [""; 0]);
        assert_eq!(new_rights(&writes, &mount("/b", false)), ["workspace=m:ro:/b"]);
    }

    #[test]
    fn a_secret_is_granted_for_each_server_and_its_value_is_not_shown() {
        let asks = |rules: &[&str], servers: &[&str]| {
            let servers = servers.iter().map(|server| server.parse().unwrap()).collect();
            let secret = SecretGrant::new("key", Secret::new("sesame-open"), servers).unwrap();
            let http = rules.iter().map(|rule| rule.parse().unwrap()).collect();
            Grants { http, secrets: vec![secret], ..Grants::default() }
        };
        let few = asks(&["https://a.example"], &["https://a.example"]);
        let more = asks(
            &["https://a.example", "POST https://b.example"],
            &["https://a.example", "https://b.example"],
        );
        assert_eq!(
            new_rights(&Grants::default(), &few),
            ["http=https://a.example", "secrets=key to https://a.example"]
        );
        assert_eq!(
            new_rights(&few, &more),
            ["http=POST https://b.example", "secrets=key to https://b.example"]
        );
        assert_eq!(new_rights(&more, &few), [""; 0]);
    }

    #[test]
    fn consent_is_to_a_capability_a_grant_or_everything_for_all_layers_or_one() {
        for (given, covers) in [
            ("models", true),
            ("models=a", true),
            ("*", true),
            ("x:models", true),
            ("x:models=a", true),
            ("x:*", true),
            ("models=b", false),
            ("y:models", false),
            ("state", false),
            ("", false),
        ] {
            assert_eq!(Consent::to([given]).covers("x", "models=a"), covers, "`{given}`");
        }
        assert!(!Consent::default().covers("x", "state"));
    }
}
