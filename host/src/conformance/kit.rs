//! The kit: a component and how it is to be checked.

use super::checks::Check;
use super::finding::{Finding, Judged};
use super::game::Game;
use super::scenes;
use super::subject::Subject;
use super::transcript::Transcript;

/// Checks a component.
#[derive(Clone, Debug)]
pub struct Kit {
    pub(super) subject: Subject,
    pub(super) update: bool,
}

impl Kit {
    /// A kit for this component.
    pub fn new(subject: Subject) -> Self {
        Self { subject, update: false }
    }

    /// The same, which writes down what happens in the author's transcripts instead of comparing it.
    #[must_use]
    pub fn updating(mut self, update: bool) -> Self {
        self.update = update;
        self
    }

    /// Makes one check. It ends by itself, also where a component hangs.
    pub async fn check(&self, check: Check) -> Judged {
        check.judge(self).await
    }

    /// The kit's own transcripts, in which the tools that the component brings are called too.
    pub(super) async fn plain_scenes(&self) -> Result<Vec<Transcript>, Finding> {
        let greeting = scenes::saying("greeting", "Hello, you.")?;
        scenes::plain(&Game::new(&self.subject, &greeting).rig().await?)
    }
}
