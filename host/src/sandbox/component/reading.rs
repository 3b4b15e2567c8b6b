//! What a component's type says, before anything of it runs.

use wasmtime::Engine;
use wasmtime::component::{Component as Compiled, types::ComponentItem};

use super::{CONTRACT, PACKAGE, VERSION};
use crate::chain::{HookKind, HookSet};
use crate::sandbox::load_error::LoadError;

/// The interfaces of the contract that a component may import.
const OFFERED: [&str; 17] = [
    "types",
    "events",
    "requests",
    "flow",
    "context",
    "log",
    "clock",
    "random",
    "state",
    "models",
    "tools",
    "conversation",
    "workspace",
    "index",
    "http",
    "telemetry",
    "agents",
];

/// The WASI packages of which a component gets an empty world.
const WASI: [&str; 6] =
    ["wasi:cli/", "wasi:clocks/", "wasi:filesystem/", "wasi:io/", "wasi:random/", "wasi:sockets/"];

/// What a component's type says.
#[derive(Clone)]
pub(super) struct Reading {
    pub(super) hooks: HookSet,
    /// Sorted.
    pub(super) imports: Vec<String>,
    /// Whether it says a schema of its configuration.
    pub(super) configuration: bool,
    /// Whether it takes over the state of other versions.
    pub(super) migrates: bool,
    /// Whether it imports WASI.
    pub(super) wasi: bool,
}

impl Reading {
    /// Reads the type without running the component.
    pub(super) fn of(name: &str, compiled: &Compiled, engine: &Engine) -> Result<Self, LoadError> {
        let ty = compiled.component_type();
        let mut imports: Vec<String> = ty.imports(engine).map(|(import, _)| import.to_owned()).collect();
        imports.sort();
        for import in &imports {
            check_import(name, import)?;
        }
        let wasi = imports.iter().any(|import| import.starts_with("wasi:"));
        let mut reading =
            Self { hooks: HookSet::EMPTY, imports, configuration: false, migrates: false, wasi };
        let mut exports = Vec::new();
        for (export, item) in ty.exports(engine) {
            exports.push(format!("`{export}`"));
            if matches!(item.ty, ComponentItem::ComponentInstance(_)) {
                reading.note_export(name, export)?;
            }
        }
        if reading.hooks.is_empty() {
            let exports = if exports.is_empty() { "nothing".to_owned() } else { exports.join(", ") };
            return Err(LoadError::NoHook { name: name.to_owned(), offered: CONTRACT.to_owned(), exports });
        }
        Ok(reading)
    }

    fn note_export(&mut self, name: &str, export: &str) -> Result<(), LoadError> {
        let Some(interface) = own_interface(name, export)? else { return Ok(()) };
        match HookKind::from_name(interface) {
            Some(kind) => self.hooks = self.hooks.with(kind),
            None => {
                self.configuration |= interface == "configuration";
                self.migrates |= interface == "migrate-state";
            }
        }
        Ok(())
    }
}

/// The first eight bytes tell a component from a core module and from anything else.
pub(super) fn check_header(name: &str, bytes: &[u8]) -> Result<(), LoadError> {
    let name = name.to_owned();
    match bytes {
        [0, b'a', b's', b'm', _, _, 1, 0, ..] => Ok(()),
        [0, b'a', b's', b'm', _, _, 0, 0, ..] => Err(LoadError::CoreModule { name }),
        [0, b'a', b's', b'm', ..] => {
            Err(LoadError::NotWasm { name, cause: "its header is cut or of an unknown kind".to_owned() })
        }
        [] => Err(LoadError::NotWasm { name, cause: "it is empty".to_owned() }),
        _ => Err(LoadError::NotWasm { name, cause: "it does not begin with the bytes `\\0asm`".to_owned() }),
    }
}

/// The interface's name, if it is one of the contract's in the version of this host.
fn own_interface<'a>(name: &str, item: &'a str) -> Result<Option<&'a str>, LoadError> {
    let Some(rest) = item.strip_prefix(PACKAGE) else { return Ok(None) };
    let (interface, version) = rest.split_once('@').unwrap_or((rest, "no version"));
    if version == VERSION {
        return Ok(Some(interface));
    }
    Err(LoadError::Version {
        name: name.to_owned(),
        built: format!("cepa:middleware@{version}"),
        offered: CONTRACT.to_owned(),
        difference: format!("it uses `{item}`, and the host has `{PACKAGE}{interface}@{VERSION}`"),
    })
}

fn check_import(name: &str, import: &str) -> Result<(), LoadError> {
    let known = match own_interface(name, import)? {
        Some(interface) => OFFERED.contains(&interface),
        None => WASI.iter().any(|package| import.starts_with(package)),
    };
    if known {
        return Ok(());
    }
    Err(LoadError::UnknownImport {
        name: name.to_owned(),
        import: import.to_owned(),
        offered: CONTRACT.to_owned(),
    })
}
