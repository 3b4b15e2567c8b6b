//! `workspace`: files below the granted mounts. Whatever touches the disk is done on a thread that may wait for it.

use std::sync::Arc;

use crate::error::Error;
use crate::sandbox::bindings::cepa::middleware::{types, workspace as wit};
use crate::sandbox::convert::entry_to_guest;
use crate::sandbox::resources::answer;
use crate::sandbox::store::GuestState;
use crate::workspace::{Workspace, WorkspaceError};

impl GuestState {
    fn workspace(&self, object: &str) -> Result<Arc<Workspace>, Error> {
        self.layer.workspace.clone().ok_or_else(|| self.denied("workspace", object))
    }

    /// Does something with files, the first of them at this path.
    async fn with_files<T: Send + 'static>(
        &mut self,
        path: String,
        work: impl FnOnce(&Workspace, &str) -> Result<T, WorkspaceError> + Send + 'static,
    ) -> Result<T, Error> {
        let workspace = self.workspace(&path)?;
        let result = self.job(move || work(&workspace, &path)).await?;
        result.map_err(|error| {
            if error.is_denial() {
                self.note_denied("workspace", &error.path);
            }
            error.into()
        })
    }
}

impl wit::Host for GuestState {
    async fn mounts(&mut self) -> wasmtime::Result<Result<Vec<wit::Mount>, types::Error>> {
        let mounts = self.workspace("").map(|workspace| {
            let mount = |(name, writable): (&str, bool)| wit::Mount { name: name.to_owned(), writable };
            workspace.mounts().map(mount).collect()
        });
        answer(mounts)
    }

    async fn stat(&mut self, path: String) -> wasmtime::Result<Result<wit::Entry, types::Error>> {
        answer(self.with_files(path, Workspace::stat).await.map(entry_to_guest))
    }

    async fn entries(
        &mut self,
        path: String,
        after: Option<String>,
        limit: u32,
    ) -> wasmtime::Result<Result<Vec<wit::Entry>, types::Error>> {
        let entries =
            self.with_files(path, move |files, path| files.entries(path, after.as_deref(), limit)).await;
        answer(entries.map(|entries| entries.into_iter().map(entry_to_guest).collect()))
    }

    async fn read(&mut self, path: String) -> wasmtime::Result<Result<Vec<u8>, types::Error>> {
        let max = self.layer.spec.limits.payload;
        answer(self.with_files(path, move |files, path| files.read(path, max)).await)
    }

    async fn read_part(
        &mut self,
        path: String,
        offset: u64,
        length: u32,
    ) -> wasmtime::Result<Result<Vec<u8>, types::Error>> {
        let max = self.layer.spec.limits.payload;
        answer(self.with_files(path, move |files, path| files.read_part(path, offset, length, max)).await)
    }

    async fn write(&mut self, path: String, content: Vec<u8>) -> wasmtime::Result<Result<(), types::Error>> {
        answer(self.with_files(path, move |files, path| files.write(path, &content)).await)
    }

    async fn append(&mut self, path: String, content: Vec<u8>) -> wasmtime::Result<Result<(), types::Error>> {
        answer(self.with_files(path, move |files, path| files.append(path, &content)).await)
    }

    async fn create_folder(&mut self, path: String) -> wasmtime::Result<Result<(), types::Error>> {
        answer(self.with_files(path, Workspace::create_folder).await)
    }

    async fn remove(&mut self, path: String) -> wasmtime::Result<Result<(), types::Error>> {
        answer(self.with_files(path, Workspace::remove).await)
    }

    async fn rename(&mut self, path: String, target: String) -> wasmtime::Result<Result<(), types::Error>> {
        answer(self.with_files(path, move |files, path| files.rename(path, &target)).await)
    }
}
