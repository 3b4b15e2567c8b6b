//! `index`: documents of a layer, under its own name and in no other's. The file is used on a thread that may wait.

use crate::error::Error;
use crate::index::{Collection, Index};
use crate::sandbox::bindings::cepa::middleware::{index as wit, types};
use crate::sandbox::convert::{document_to_guest, documents_from_guest, filter_from_guest, hit_to_guest};
use crate::sandbox::resources::answer;
use crate::sandbox::store::GuestState;
use crate::services::{Scope, StatePlace};

impl GuestState {
    /// Does something with a collection.
    async fn with_index<T: Send + 'static>(
        &mut self,
        scope: wit::Scope,
        collection: String,
        work: impl FnOnce(&Index, &Collection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        if !self.layer.spec.grants.index {
            return Err(self.denied("index", &collection));
        }
        let scope = match scope {
            wit::Scope::Session => Scope::Session,
            wit::Scope::Layer => Scope::Layer,
        };
        let layer = self.layer.spec.name.clone();
        let place = StatePlace::new(layer, scope, &self.context.session_id, &self.context.reply_id);
        let (index, collection) = (self.context.services.index(), Collection { place, name: collection });
        self.job(move || work(&index, &collection)).await?
    }
}

impl wit::Host for GuestState {
    async fn put(
        &mut self,
        scope: wit::Scope,
        collection: String,
        documents: Vec<wit::Document>,
    ) -> wasmtime::Result<Result<(), types::Error>> {
        let quota = self.layer.spec.limits.index;
        let put = move |index: &Index, collection: &Collection| {
            let documents = documents_from_guest(documents)?;
            Ok(index.put(collection, &documents, quota)?)
        };
        answer(self.with_index(scope, collection, put).await)
    }

    async fn get(
        &mut self,
        scope: wit::Scope,
        collection: String,
        id: String,
    ) -> wasmtime::Result<Result<Option<wit::Document>, types::Error>> {
        let get = move |index: &Index, collection: &Collection| {
            Ok(index.get(collection, &id)?.map(document_to_guest))
        };
        answer(self.with_index(scope, collection, get).await)
    }

    async fn remove(
        &mut self,
        scope: wit::Scope,
        collection: String,
        ids: Vec<String>,
    ) -> wasmtime::Result<Result<u32, types::Error>> {
        let remove = move |index: &Index, collection: &Collection| Ok(index.remove(collection, &ids)?);
        answer(self.with_index(scope, collection, remove).await)
    }

    async fn clear(
        &mut self,
        scope: wit::Scope,
        collection: String,
    ) -> wasmtime::Result<Result<u32, types::Error>> {
        answer(self.with_index(scope, collection, |index, collection| Ok(index.clear(collection)?)).await)
    }

    async fn search(
        &mut self,
        scope: wit::Scope,
        collection: String,
        query: String,
        filter: Option<String>,
        limit: u32,
    ) -> wasmtime::Result<Result<Vec<wit::Hit>, types::Error>> {
        self.budget.parse(filter.as_deref())?;
        let max = self.layer.spec.limits.payload;
        let search = move |index: &Index, collection: &Collection| {
            let filter = filter_from_guest(filter.as_deref())?;
            let hits = index.search(collection, &query, &filter, limit, max)?;
            Ok(hits.into_iter().map(hit_to_guest).collect())
        };
        answer(self.with_index(scope, collection, search).await)
    }

    async fn count(
        &mut self,
        scope: wit::Scope,
        collection: String,
    ) -> wasmtime::Result<Result<u32, types::Error>> {
        answer(self.with_index(scope, collection, |index, collection| Ok(index.count(collection)?)).await)
    }
}
