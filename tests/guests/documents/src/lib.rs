//! Does with documents what its configuration says, before a reply runs, and logs what each came to.

use cepa_sdk::index::{self, Document};
use cepa_sdk::{Error, Middleware, OnReply, ReplyNext, ReplyRequest, ReplyResponse, Sink, info};
use schemars::JsonSchema;
use serde::Deserialize;

/// How long a document lasts.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Scope {
    Session,
    Layer,
}

impl From<Scope> for index::Scope {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Session => Self::Session,
            Scope::Layer => Self::Layer,
        }
    }
}

/// One use of documents.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Use {
    /// Scope, collection, id, text, metadata.
    Put(Scope, String, String, String, String),
    Get(Scope, String, String),
    Remove(Scope, String, Vec<String>),
    Clear(Scope, String),
    /// Scope, collection, query, filter, limit.
    Search(Scope, String, String, Option<String>, u32),
    Count(Scope, String),
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
struct Config {
    uses: Vec<Use>,
}

struct Documents(Config);

impl Middleware for Documents {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        Ok(Self(config))
    }
}

impl Use {
    fn run(&self) -> Result<String, Error> {
        Ok(match self {
            Self::Put(scope, collection, id, text, metadata) => {
                let metadata = metadata.clone();
                let document = Document { metadata, ..Document::new(id, text) };
                format!("{:?}", index::put((*scope).into(), collection, &[document])?)
            }
            Self::Get(scope, collection, id) => {
                let document = index::get((*scope).into(), collection, id)?;
                document.map_or("none".to_owned(), |found| format!("{} {}", found.text, found.metadata))
            }
            Self::Remove(scope, collection, ids) => {
                format!("{}", index::remove((*scope).into(), collection, ids)?)
            }
            Self::Clear(scope, collection) => format!("{}", index::clear((*scope).into(), collection)?),
            Self::Search(scope, collection, query, filter, limit) => {
                let hits = index::search((*scope).into(), collection, query, filter.as_deref(), *limit)?;
                let ids: Vec<String> = hits.into_iter().map(|hit| hit.document.id).collect();
                format!("{ids:?}")
            }
            Self::Count(scope, collection) => format!("{}", index::count((*scope).into(), collection)?),
        })
    }
}

impl OnReply for Documents {
    fn on_reply(&self, request: ReplyRequest, next: ReplyNext, _: Sink) -> Result<ReplyResponse, Error> {
        for one in &self.0.uses {
            match one.run() {
                Ok(value) => info!("{one:?}: {value}"),
                Err(error) => info!("{one:?}: {:?} {:?} {}", error.kind, error.code, error.message),
            }
        }
        next.run(request)
    }
}

cepa_sdk::export!(Documents: OnReply);
