//! Plays a transcript: an agent around the component answers its prompts, one after another.

use std::sync::Arc;

use crate::chain::HookKind;
use crate::sandbox::{Recorder, Sandbox, Tap};
use crate::world::TestWorld;

use super::chunked::{Chunked, Cuts};
use super::finding::Finding;
use super::isolated::Dress;
use super::rig::{Rig, SESSION, Setup};
use super::seen::{Abort, Seen};
use super::subject::Subject;
use super::transcript::Transcript;

/// The seed of all chance: any number does, as long as it stays.
const SEED: u64 = 7;

/// How a transcript is played.
pub(super) struct Game<'a> {
    pub(super) subject: &'a Subject,
    pub(super) transcript: &'a Transcript,
    cuts: Cuts,
    dress: Dress,
    /// Where the layer is made, if it is watched there.
    sandbox: Option<Sandbox>,
}

impl<'a> Game<'a> {
    /// The transcript as it stands there.
    pub(super) fn new(subject: &'a Subject, transcript: &'a Transcript) -> Self {
        Self { subject, transcript, cuts: Cuts::None, dress: Dress::Plain, sandbox: None }
    }

    /// The same with the model's answers in these pieces.
    pub(super) fn cuts(mut self, cuts: Cuts) -> Self {
        self.cuts = cuts;
        self
    }

    /// The same with the component in another dress.
    pub(super) fn dress(mut self, dress: Dress) -> Self {
        self.dress = dress;
        self
    }

    /// The same with a layer of which each call of the host passes this tap.
    pub(super) fn tapped(mut self, tap: Arc<dyn Tap>) -> Self {
        self.sandbox = Some(self.subject.sandbox.clone().tapping(&self.subject.around.layer, tap));
        self
    }

    /// The same with a layer that is recorded.
    pub(super) fn recorded(mut self, recorder: Arc<Recorder>) -> Self {
        self.sandbox = Some(self.subject.sandbox.clone().recording(&self.subject.around.layer, recorder));
        self
    }

    /// What an agent for it is made of.
    pub(super) fn setup(&self) -> Setup {
        let world = Arc::new(TestWorld::new(SEED));
        let model = self.transcript.model.afresh(Arc::clone(&world) as _);
        let model = Chunked { model, cuts: self.cuts.clone() };
        Setup::of(Arc::new(model), world).dress(self.dress)
    }

    /// An agent for it.
    pub(super) async fn rig(&self) -> Result<Rig, Finding> {
        Rig::build(&self.subject_of_it(), self.setup()).await
    }

    /// Plays it, and tells each reply.
    pub(super) async fn play(&self) -> Result<Vec<Seen>, Finding> {
        self.play_in(&self.rig().await?).await
    }

    /// The same in this agent.
    pub(super) async fn play_in(&self, rig: &Rig) -> Result<Vec<Seen>, Finding> {
        let mut replies = Vec::new();
        for prompt in &self.transcript.prompts {
            replies.push(ask(self.subject, rig, prompt).await?);
        }
        Ok(replies)
    }

    /// Plays it, and sees that each reply is in order.
    pub(super) async fn play_well(&self) -> Result<Vec<Seen>, Finding> {
        let replies = self.play().await?;
        for seen in &replies {
            seen.in_order(has_turn_end(self.subject))
                .map_err(|finding| finding.within(&self.transcript.name))?;
        }
        Ok(replies)
    }

    fn subject_of_it(&self) -> Subject {
        let mut subject = self.subject.clone();
        if let Some(sandbox) = &self.sandbox {
            subject.sandbox = sandbox.clone();
        }
        if let Some(config) = &self.transcript.config {
            subject.around.config = config.clone();
        }
        subject
    }
}

/// Whether the component watches the ends of replies.
pub(super) fn has_turn_end(subject: &Subject) -> bool {
    subject.component().hooks().contains(HookKind::TurnEnd)
}

/// A reply to a prompt.
pub(super) async fn ask(subject: &Subject, rig: &Rig, prompt: &str) -> Result<Seen, Finding> {
    ask_and_abort(subject, rig, prompt, &Abort::Never).await
}

/// The same, aborted at this moment.
pub(super) async fn ask_and_abort(
    subject: &Subject,
    rig: &Rig,
    prompt: &str,
    abort: &Abort,
) -> Result<Seen, Finding> {
    let stream = rig.agent.reply(SESSION, prompt).await;
    let stream = stream.map_err(|error| Finding::new("no reply can begin").seen(error.to_string()))?;
    Seen::of(&rig.agent, &subject.around.layer, stream, abort).await
}
