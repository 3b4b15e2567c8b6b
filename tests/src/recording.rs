//! A reply of one layer that is recorded, and its replay.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cepa::agent::AgentBuilder;
use cepa::sandbox::{Component, Difference, Recorded, Recorder, Recording, ReplayedEnd};
use tempfile::TempDir;

use crate::agent::{Told, ask};
use crate::chain::{LayerPlan, load, sandbox};
use crate::in_time;

/// A recorded reply.
#[derive(Debug)]
pub struct Taken {
    folder: TempDir,
    /// The component of the layer.
    pub component: Component,
    /// What the reply told.
    pub told: Told,
    /// What was recorded.
    pub recorded: Recorded,
}

/// Records a layer in a reply of this agent.
///
/// # Panics
/// When no reply can begin.
pub async fn record(agent: AgentBuilder, plan: LayerPlan, bytes: &[u8]) -> Taken {
    record_bounded(agent, plan, bytes, Recorder::BYTES_MAX).await
}

/// The same, in at most so many bytes.
///
/// # Panics
/// As for [`record`].
pub async fn record_bounded(agent: AgentBuilder, plan: LayerPlan, bytes: &[u8], max: u64) -> Taken {
    let folder = tempfile::tempdir().expect("a folder");
    let recorder = Arc::new(Recorder::create(&path(&folder)).expect("a file").bounded(max));
    let component = load(&plan.spec.name, bytes).await;
    let recording = sandbox().clone().recording(&plan.spec.name, Arc::clone(&recorder));
    let entry = plan.entry_in(&recording, &component);
    let agent = agent.middleware(entry).build().await.expect("the agent fits together");
    let told = ask(&agent, "Go").await;
    drop(agent);
    Taken { folder, component, told, recorded: recorder.recorded() }
}

fn path(folder: &TempDir) -> PathBuf {
    folder.path().join("a.recording")
}

/// What a replay told.
#[derive(Debug)]
pub struct Played {
    /// Each call into the layer: its instance, its export, its calls of the host, its end.
    pub calls: Vec<String>,
    /// The first difference.
    pub difference: Option<Difference>,
}

impl Taken {
    /// The file.
    pub fn path(&self) -> PathBuf {
        path(&self.folder)
    }

    /// What is in it.
    ///
    /// # Panics
    /// When it is no text.
    pub fn text(&self) -> String {
        std::fs::read_to_string(self.path()).expect("a recording is text")
    }

    /// Puts something else into the file.
    ///
    /// # Panics
    /// When it can't be written.
    pub fn rewrite(&self, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(), text).expect("the file can be written");
    }

    /// Replays it on the component that was recorded.
    pub async fn replay(&self) -> Played {
        replay(&self.path(), &self.component).await
    }

    /// Shows that it replays the same, and gives the calls.
    ///
    /// # Panics
    /// When it does not.
    pub async fn is_the_same(&self) -> Vec<String> {
        assert_eq!(self.recorded.cut, None);
        let played = self.replay().await;
        assert_eq!(played.difference.map(|difference| difference.to_string()), None, "{}", self.text());
        assert_eq!(played.calls.len() as u64, self.recorded.hook_calls);
        played.calls
    }
}

/// Replays a file on a component.
///
/// # Panics
/// When it is no recording, or the layer can't be made.
pub async fn replay(path: &Path, component: &Component) -> Played {
    let recording = Recording::open(path).unwrap_or_else(|error| panic!("{error}"));
    let mut calls = Vec::new();
    let mut told = |call: &cepa::sandbox::Replayed<'_>| {
        let end = match call.end {
            ReplayedEnd::Answered => "answered".to_owned(),
            ReplayedEnd::Fault(cause) => format!("fault: {cause}"),
            ReplayedEnd::GivenUp => "given up".to_owned(),
            ReplayedEnd::Untold => "untold".to_owned(),
        };
        calls.push(format!("{} {} ({}) {end}", call.instance, call.export, call.host_calls));
    };
    let replayed = in_time(sandbox().replay(component, &recording, &mut told)).await;
    let difference = replayed.unwrap_or_else(|error| panic!("{error}"));
    Played { calls, difference }
}
