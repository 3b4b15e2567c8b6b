//! A running agent of a manifest, with the files that it was made from.

use std::path::PathBuf;

use cepa::agent::Agent;
use cepa::host::{Change, Consent, Host, Loaded, SwapError, SwapReport};
use cepa::manifest::Manifest;
use cepa::sandbox::{CompiledCache, Sandbox};
use cepa_tests::agent::ask;

const HEAD: &str = "[agent]\nname = \"a\"\nmodel = \"main\"\n[models.main]\nprovider = \"scripted\"\nscript = \"script.toml\"\n";
const TAIL: &str = "[sessions]\nmemory = true\n";

pub struct Bench {
    pub loaded: Loaded,
    pub host: Host,
    folder: tempfile::TempDir,
}

/// A layer whose component lies in the file of its name.
pub fn layer(name: &str, more: &str) -> String {
    format!("[[middleware]]\nname = \"{name}\"\nsource = \"{name}.wasm\"\n{more}\n")
}

impl Bench {
    /// An agent of these layers that answers `got` and the prompt.
    pub async fn new(layers: &str, files: &[(&str, &[u8])]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, content: &[u8]| std::fs::write(folder.path().join(name), content).unwrap();
        write("script.toml", b"[[turn]]\ntext = \"got {{last-user}}\"\nrepeat = true\n");
        write("cepa.toml", text(layers).as_bytes());
        for (name, content) in files {
            write(name, content);
        }
        // A sandbox of its own: its counts are not shared with other tests.
        let cache = CompiledCache::open(folder.path().join("compiled")).unwrap();
        let sandbox = Sandbox::new(Some(cache)).unwrap();
        let host = Host::with(sandbox, std::sync::Arc::new(cepa::world::RealWorld::default()));
        let manifest = Manifest::load(folder.path()).unwrap();
        let loaded = host.load(&manifest, &|_| ()).await.unwrap_or_else(|error| panic!("{error}"));
        Self { loaded, host, folder }
    }

    pub fn agent(&self) -> &Agent {
        &self.loaded.agent
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, content: &[u8]) {
        std::fs::write(self.path(name), content).unwrap();
    }

    /// Writes a manifest with these layers.
    pub fn manifest(&self, layers: &str) {
        self.write("cepa.toml", text(layers).as_bytes());
    }

    pub async fn swap(&self, change: Change, allow: &[&str]) -> Result<SwapReport, SwapError> {
        self.loaded.swap(change, &Consent::to(allow.iter().copied()), &|_| ()).await
    }

    /// Takes the manifest up as it is now.
    pub async fn take_up(&self, allow: &[&str]) -> Result<SwapReport, SwapError> {
        let manifest = Manifest::load(self.folder.path()).unwrap_or_else(|error| panic!("{error}"));
        self.swap(Change::Manifest(Box::new(manifest)), allow).await
    }

    /// Waits until there is no instance any more: those of a reply go a moment after it.
    pub async fn is_idle(&self) -> bool {
        for _ in 0..100_000 {
            if self.host.sandbox().counts().stores_alive() == 0 {
                return true;
            }
            tokio::task::yield_now().await;
        }
        false
    }

    /// The answer to a prompt.
    pub async fn said(&self, prompt: &str) -> String {
        ask(self.agent(), prompt).await.result.response.text()
    }
}

fn text(layers: &str) -> String {
    // A test may bring sections of its own.
    let tail = if layers.contains("[sessions]") { "" } else { TAIL };
    format!("{HEAD}{layers}{tail}")
}
