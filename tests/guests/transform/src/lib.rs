//! Changes the text that passes it as its configuration says, in each hook that gives a layer what the one before gave:
//! the guest of the laws that hold for all of them.

use cepa_sdk::{
    ContentBlock, Draft, Error, Event, EventKinds, Middleware, OnDraft, OnEvents, OnSystemPrompt, TextDelta,
    Verdict, info,
};
use schemars::JsonSchema;
use serde::Deserialize;

/// One thing that happens to a text. `tests/src/transform.rs` has the same for native layers.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Change {
    Append(String),
    Replace(String),
    Stop,
    FailOn(String),
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
struct Config {
    changes: Vec<Change>,
    /// Nothing is logged.
    quiet: bool,
}

struct Transform(Config);

impl Middleware for Transform {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        Ok(Self(config))
    }
}

impl Transform {
    /// What becomes of a text; `None` when it goes no further, where a hook has a way to say so.
    fn pass(&self, mut text: String, stops: bool) -> Result<Option<String>, Error> {
        if !self.0.quiet {
            info!("{text}");
        }
        for change in &self.0.changes {
            match change {
                Change::Append(word) => text.push_str(word),
                Change::Replace(word) => text = word.clone(),
                Change::Stop if stops => return Ok(None),
                Change::Stop => {}
                Change::FailOn(word) if text.contains(word.as_str()) => {
                    return Err(Error::rejected("", format!("not `{word}`")));
                }
                Change::FailOn(_) => {}
            }
        }
        Ok(Some(text))
    }
}

impl OnSystemPrompt for Transform {
    fn on_system_prompt(&self, prompt: String) -> Result<String, Error> {
        Ok(self.pass(prompt, false)?.unwrap_or_default())
    }
}

impl OnEvents for Transform {
    fn kinds(&self) -> EventKinds {
        EventKinds::TEXT
    }

    fn on_events(&self, events: Vec<Event>) -> Result<Vec<Event>, Error> {
        let mut passed = Vec::new();
        for event in events {
            match event {
                Event::TextDelta(TextDelta { id, text }) => {
                    let text = self.pass(text, true)?;
                    passed.extend(text.map(|text| Event::TextDelta(TextDelta { id, text })));
                }
                other => passed.push(other),
            }
        }
        Ok(passed)
    }
}

impl OnDraft for Transform {
    fn on_draft(&self, draft: Draft) -> Result<Verdict, Error> {
        let before = draft.text();
        Ok(match self.pass(before.clone(), true)? {
            None => Verdict::Retry("again".to_owned()),
            Some(after) if after == before => Verdict::Accept,
            Some(after) => Verdict::Replace(vec![ContentBlock::Text(after)]),
        })
    }
}

cepa_sdk::export!(Transform: OnSystemPrompt, OnEvents, OnDraft);
