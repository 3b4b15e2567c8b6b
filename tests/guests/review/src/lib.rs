//! Reviews drafts: wants a word in them, or puts a text in their place.

use cepa_sdk::{ContentBlock, Draft, Error, Middleware, OnDraft, Verdict, info};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
struct Config {
    /// A draft without this word is sent back.
    want: Option<String>,
    /// What goes out instead of a draft.
    replace: Option<String>,
}

struct Review(Config);

impl Middleware for Review {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        Ok(Self(config))
    }
}

impl OnDraft for Review {
    fn on_draft(&self, draft: Draft) -> Result<Verdict, Error> {
        info!("draft {} of {}: {:?}", draft.attempt(), draft.max_attempts(), draft.text());
        Ok(match &self.0 {
            Config { want: Some(word), .. } if !draft.text().contains(word) => {
                Verdict::Retry(format!("say `{word}`"))
            }
            Config { replace: Some(text), .. } => Verdict::Replace(vec![ContentBlock::Text(text.clone())]),
            _ => Verdict::Accept,
        })
    }
}

cepa_sdk::export!(Review: OnDraft);
