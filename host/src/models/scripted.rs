//! A model that answers from a file of turns: the same each time, without a network.
//!
//! ```toml
//! [[turn]]
//! tool-calls = [{ name = "get-weather", arguments = { city = "Paris" } }]
//! usage = { input-tokens = 20, output-tokens = 5 }
//!
//! [[turn]]
//! text = "The tool says: {{tool-result}}"
//! chunks = 8
//! ```
//!
//! Turns are used in order, each once; the first unused one whose `when` holds is next. A turn may hold:
//!
//! - `text`, with the places `{{last-user}}`, `{{system}}`, `{{tool-result}}` and `{{hint}}` (the last remark of a
//!   layer), and `thinking`
//! - `tool-calls`: a list of `name`, `arguments` (a table, or a string as the model would write it) and maybe `id`
//! - `chunks`: the size of the streamed pieces in characters, or in place of `text` the pieces themselves
//! - `usage`: `input-tokens`, `output-tokens`, `cache-read-tokens`, `cache-write-tokens`, `reasoning-tokens`;
//!   they are spent even if the turn fails
//! - `finish-reason`: `stop`, `length`, `tool-calls`, `content-filter` or `other`
//! - `error`: `kind`, and maybe `message`, `code`, `status`, `retry-after-ms`; comes after what the turn says
//! - `delay-ms`: how long the model thinks before it begins
//! - `cut-after`: after how many events the connection breaks
//! - `when`: `contains`, a part of the last message's text, and `user-contains`, one of the last user message's
//! - `repeat`: the turn is never used up

mod perform;
mod places;
mod script;

use std::collections::VecDeque;
use std::sync::Arc;

use futures::future::BoxFuture;
use parking_lot::Mutex;

use self::perform::Performance;
pub use self::script::ScriptError;
pub(crate) use self::script::WrittenTurn;
use self::script::{Script, Turn};
use crate::chain::Sink;
use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::request::{ModelRequest, ModelResponse};
use crate::world::World;

/// How many requests are remembered; the oldest go first.
const REMEMBERED: usize = 1024;

/// A model that answers from a script. Clones share their place in it.
#[derive(Clone, Debug)]
pub struct ScriptedModel {
    script: Arc<Script>,
    world: Arc<dyn World>,
    context_tokens: Option<u32>,
    progress: Arc<Mutex<Progress>>,
}

#[derive(Debug, Default)]
struct Progress {
    /// Which turns are used up.
    used: Vec<bool>,
    calls: u32,
    requests: VecDeque<ModelRequest>,
}

impl ScriptedModel {
    /// Reads a script. `name` is what errors call it, such as its file's name.
    ///
    /// # Errors
    /// When the text is no script: with the line where TOML can say it.
    pub fn from_toml(name: &str, text: &str, world: Arc<dyn World>) -> Result<Self, ScriptError> {
        Ok(Self::of_script(Arc::new(Script::read(name, text)?), world))
    }

    /// A model of turns that stand in a text beside other things.
    ///
    /// # Errors
    /// When a turn asks for what can't be.
    pub(crate) fn of_turns(
        name: &str,
        text: &str,
        turns: Vec<toml::Spanned<WrittenTurn>>,
        world: Arc<dyn World>,
    ) -> Result<Self, ScriptError> {
        Ok(Self::of_script(Arc::new(Script::of(name, text, turns)?), world))
    }

    /// The same script from its first turn, in another world.
    pub(crate) fn afresh(&self, world: Arc<dyn World>) -> Self {
        Self::of_script(Arc::clone(&self.script), world)
    }

    fn of_script(script: Arc<Script>, world: Arc<dyn World>) -> Self {
        let progress = Progress { used: vec![false; script.turns.len()], ..Progress::default() };
        Self { script, world, context_tokens: None, progress: Arc::new(Mutex::new(progress)) }
    }

    /// The same with a size of context.
    #[must_use]
    pub fn with_context_tokens(mut self, tokens: u32) -> Self {
        self.context_tokens = Some(tokens);
        self
    }

    /// The requests it got, in order: the latest 1,024.
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.progress().requests.iter().cloned().collect()
    }

    /// Takes the next turn for a request.
    fn take_turn(&self, request: &ModelRequest) -> Result<Turn, Error> {
        let mut progress = self.progress();
        progress.calls = progress.calls.saturating_add(1);
        if progress.requests.len() == REMEMBERED {
            progress.requests.pop_front();
        }
        progress.requests.push_back(request.clone());
        let turns = self.script.turns.iter().zip(&mut progress.used);
        for (turn, used) in turns.filter(|(_, used)| !**used) {
            if turn.when.as_ref().is_none_or(|when| when.holds(request)) {
                *used = !turn.repeat;
                return Ok(turn.clone());
            }
        }
        let left = progress.used.iter().filter(|used| !**used).count();
        let why = match left {
            0 => format!("all of its {} turns are used", self.script.turns.len()),
            left => format!("no `when` of its {left} unused turns holds"),
        };
        let what = format!(
            "script `{}` has no turn for request {}: {why}; add one, or set `repeat = true` on the last",
            self.script.name, progress.calls,
        );
        Err(Error::new(ErrorKind::NotFound, what).code("script-exhausted"))
    }

    fn progress(&self) -> parking_lot::MutexGuard<'_, Progress> {
        self.progress.lock()
    }
}

impl Model for ScriptedModel {
    fn provider(&self) -> &str {
        "scripted"
    }

    fn model_name(&self) -> &str {
        &self.script.name
    }

    fn context_tokens(&self) -> Option<u32> {
        self.context_tokens
    }

    fn call(
        &self,
        request: ModelRequest,
        call_id: String,
        out: Sink,
    ) -> BoxFuture<'static, Result<ModelResponse, Error>> {
        let model = self.clone();
        Box::pin(async move {
            let turn = model.take_turn(&request)?;
            if !turn.delay.is_zero() {
                model.world.sleep(turn.delay).await;
            }
            Performance { turn: &turn, request: &request, out: &out }.give(call_id).await
        })
    }
}
