//! Counts model calls in its state, as JSON, and takes over the plain number of `tally`. Can be told to fail at that.

use cepa_sdk::{
    ContentBlock, Error, Middleware, MigrateState, ModelNext, ModelRequest, ModelResponse, OnModelCall, Sink,
    info,
    state::{self, Scope},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happens at the end of a migration, and in each call.
#[derive(Default, Deserialize, JsonSchema, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum Mood {
    #[default]
    Good,
    /// The migration answers an error after it has changed everything.
    RefusesToMigrate,
    /// The migration panics after it has changed everything.
    PanicsAtMigration,
    /// The migration wants the state of a session.
    WantsSessions,
    /// The migration never ends.
    SpinsAtMigration,
    /// The migration stores more and more.
    FloodsAtMigration,
    /// The migration goes well, and each call panics.
    PanicsAtCalls,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
struct Config {
    mood: Mood,
}

#[derive(Default, Deserialize, Serialize)]
struct Count {
    count: u32,
    from: String,
}

struct Tally(Config);

impl Middleware for Tally {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        Ok(Self(config))
    }
}

impl MigrateState for Tally {
    fn migrate_state(&self, from_config: &str) -> Result<(), Error> {
        let Some(plain) = state::get(Scope::Layer, "count")? else { return Ok(()) };
        let count = plain.parse().map_err(|_| Error::rejected("odd", "the count is no number"))?;
        state::set_json(Scope::Layer, "tally", &Count { count, from: from_config.to_owned() })?;
        state::delete(Scope::Layer, "count")?;
        info!("took over {count}");
        match self.0.mood {
            Mood::Good | Mood::PanicsAtCalls => Ok(()),
            Mood::RefusesToMigrate => Err(Error::rejected("no", "I would rather not")),
            Mood::PanicsAtMigration => panic!("broken on purpose"),
            Mood::WantsSessions => state::get(Scope::Session, "anything").map(drop),
            Mood::SpinsAtMigration => loop {
                std::hint::spin_loop();
            },
            Mood::FloodsAtMigration => {
                let value = "x".repeat(1_000);
                (0..100).try_for_each(|n| state::set(Scope::Layer, &format!("flood-{n}"), &value))
            }
        }
    }
}

impl OnModelCall for Tally {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        assert!(self.0.mood != Mood::PanicsAtCalls, "broken on purpose");
        let tally = state::update_json(Scope::Layer, "tally", |tally: &mut Count| {
            tally.count += 1;
            Ok(format!("{} from {}", tally.count, tally.from))
        })?;
        let response = next.run(request)?;
        response.set_content(&[ContentBlock::Text(tally)])?;
        Ok(response)
    }
}

cepa_sdk::export!(Tally: OnModelCall, MigrateState);
