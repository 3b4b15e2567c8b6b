//! Control of a running host: over its socket, and by its files.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod files;
mod socket;

use std::path::PathBuf;
use std::sync::Arc;

use cepa::bundled::bundled;
use cepa::control::{Answer, Controller};
use cepa::host::{Host, Loaded};
use cepa::manifest::Manifest;
use tokio::sync::mpsc;

const HEAD: &str = "[agent]\nname = \"a\"\nmodel = \"main\"\n[models.main]\nprovider = \"scripted\"\nscript = \"script.toml\"\n[sessions]\nmemory = true\n";

/// A running agent with its files, and what is told of its swaps.
struct Bench {
    folder: tempfile::TempDir,
    loaded: Arc<Loaded>,
    controller: Controller,
    told: mpsc::UnboundedReceiver<Answer>,
}

impl Bench {
    /// An agent of these layers. There are the components `timing.wasm` and `usage.wasm`.
    async fn new(layers: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, content: &[u8]| std::fs::write(folder.path().join(name), content).unwrap();
        write("script.toml", b"[[turn]]\ntext = \"hello\"\nrepeat = true\n");
        write("timing.wasm", bundled("timing").unwrap());
        write("usage.wasm", bundled("token-usage").unwrap());
        write("cepa.toml", format!("{HEAD}{layers}").as_bytes());
        let host = Host::new(Some(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("compiled"))).unwrap();
        let manifest = Manifest::load(folder.path()).unwrap();
        let loaded = Arc::new(host.load(&manifest, &|_| ()).await.unwrap_or_else(|error| panic!("{error}")));
        let (tell, told) = mpsc::unbounded_channel();
        let controller =
            Controller::new(Arc::clone(&loaded), move |answer| tell.send(answer.clone()).unwrap());
        Self { folder, loaded, controller, told }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Puts a file in its place whole.
    fn write(&self, name: &str, content: &[u8]) {
        std::fs::write(self.path("part"), content).unwrap();
        std::fs::rename(self.path("part"), self.path(name)).unwrap();
    }

    fn manifest(&self, layers: &str) {
        self.write("cepa.toml", format!("{HEAD}{layers}").as_bytes());
    }
}

/// A layer of a name and a component.
fn layer(name: &str, source: &str) -> String {
    format!("[[middleware]]\nname = \"{name}\"\nsource = \"{source}\"\n")
}
