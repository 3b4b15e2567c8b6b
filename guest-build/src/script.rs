//! What build scripts share: where they are, what they watch, what they generate.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

use crate::{Build, Component, Error};

/// A build script that builds every crate of a folder and generates a table of their components.
#[derive(Clone, Debug)]
pub struct Script {
    workspace: PathBuf,
    out_dir: PathBuf,
}

impl Script {
    /// The running build script; `workspace` is the root folder, relative to the script's crate.
    pub fn new(workspace: &str) -> Result<Self, Error> {
        let folder = |name: &str| {
            env::var_os(name).map(PathBuf::from).ok_or_else(|| Error::Program {
                program: "build script".to_owned(),
                reason: format!("`{name}` is not set, so cargo does not run it"),
            })
        };
        let root = folder("CARGO_MANIFEST_DIR")?.join(workspace);
        let workspace = root.canonicalize().map_err(Error::file(&root))?;
        Ok(Self { workspace, out_dir: folder("OUT_DIR")? })
    }

    /// Builds every crate in `folder` and writes `NAME: &[(&str, &[u8])]`, the components by the names of their
    /// folders, to `$OUT_DIR/file`. Prints what cargo must watch.
    pub fn embed(&self, folder: &str, name: &str, file: &str) -> Result<Vec<Component>, Error> {
        let guests = self.guests(folder)?;
        self.watch(folder, &guests);
        let components = match guests.as_slice() {
            [] => Vec::new(),
            _ => Build::new(&self.workspace)
                .packages(guests.iter().map(|guest| guest.package.as_str()))
                .target_dir(self.target_dir())
                .out_dir(self.out_dir.join(folder))
                .run()?,
        };
        let path = self.out_dir.join(file);
        fs::write(&path, self.table(name, &guests, &components)).map_err(Error::file(&path))?;
        Ok(components)
    }

    /// Tells cargo what to watch. Not the whole folder: a guest built by hand leaves its artefacts there. A guest that
    /// comes or goes changes the lock file.
    #[expect(clippy::print_stdout, reason = "this is how a build script speaks to cargo")]
    fn watch(&self, folder: &str, guests: &[Guest]) {
        let shared =
            ["wit", "guest-sdk/rust/src", "guest-sdk/rust/wit", "guest-sdk/rust/Cargo.toml", "Cargo.lock"];
        let own = guests
            .iter()
            .flat_map(|guest| ["src", "Cargo.toml"].map(|part| format!("{folder}/{}/{part}", guest.name)));
        for path in shared.into_iter().map(str::to_owned).chain(own) {
            println!("cargo::rerun-if-changed={}", self.workspace.join(path).display());
        }
        for name in ["CEPA_GUEST_TOOLCHAIN", "CEPA_GUEST_TOOLCHAIN_DIR"] {
            println!("cargo::rerun-if-env-changed={name}");
        }
    }

    /// The crates of a folder, sorted.
    fn guests(&self, folder: &str) -> Result<Vec<Guest>, Error> {
        let root = self.workspace.join(folder);
        let mut guests = Vec::new();
        for entry in root.read_dir().map_err(Error::file(&root))?.flatten() {
            let manifest = entry.path().join("Cargo.toml");
            if let Ok(text) = fs::read_to_string(&manifest) {
                let name = entry.file_name().to_string_lossy().into_owned();
                let package = package_name(&text).ok_or(Error::NoCrate(entry.path()))?;
                guests.push(Guest { name, package });
            }
        }
        guests.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(guests)
    }

    /// The paths in it start from `$OUT_DIR`, so that a target folder may be moved or come from a cache.
    fn table(&self, name: &str, guests: &[Guest], components: &[Component]) -> String {
        let mut text = format!("/// Components by name.\npub static {name}: &[(&str, &[u8])] = &[\n");
        for guest in guests {
            if let Some(component) = components.iter().find(|component| component.package == guest.package) {
                let path = component.path.strip_prefix(&self.out_dir).unwrap_or(&component.path);
                let path = format!("/{}", path.display());
                // Writing to a string does not fail.
                let _ = writeln!(
                    text,
                    "    ({:?}, include_bytes!(concat!(env!(\"OUT_DIR\"), {path:?}))),",
                    guest.name
                );
            }
        }
        text.push_str("];\n");
        text
    }

    /// `guests` in the outer target folder: shared by all build scripts, and never the folder that cargo has locked.
    fn target_dir(&self) -> PathBuf {
        let root = self.out_dir.ancestors().find(|folder| folder.join("CACHEDIR.TAG").is_file());
        root.unwrap_or(&self.out_dir).join("guests")
    }
}

struct Guest {
    name: String,
    package: String,
}

/// The first `name = "…"` of a manifest, which is the package's.
fn package_name(manifest: &str) -> Option<String> {
    let value = manifest.lines().find_map(|line| line.strip_prefix("name = "))?;
    Some(value.trim().trim_matches('"').to_owned())
}
