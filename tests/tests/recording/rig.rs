//! A reply of one layer that is recorded, and its replay.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cepa::agent::AgentBuilder;
use cepa::sandbox::{Component, Difference, Recorded, Recorder, Recording, ReplayedEnd};
use cepa_tests::agent::{Told, ask};
use cepa_tests::chain::{LayerPlan, load, sandbox};
use cepa_tests::in_time;
use tempfile::TempDir;

/// A recorded reply.
pub(crate) struct Taken {
    folder: TempDir,
    pub(crate) component: Component,
    pub(crate) told: Told,
    pub(crate) recorded: Recorded,
}

/// Records a layer in a reply of this agent.
pub(crate) async fn record(agent: AgentBuilder, plan: LayerPlan, bytes: &[u8]) -> Taken {
    record_bounded(agent, plan, bytes, Recorder::BYTES_MAX).await
}

/// The same, in at most so many bytes.
pub(crate) async fn record_bounded(agent: AgentBuilder, plan: LayerPlan, bytes: &[u8], max: u64) -> Taken {
    let folder = tempfile::tempdir().unwrap();
    let recorder = Arc::new(Recorder::create(&path(&folder)).unwrap().bounded(max));
    let component = load(&plan.spec.name, bytes).await;
    let recording = sandbox().clone().recording(&plan.spec.name, Arc::clone(&recorder));
    let entry = plan.entry_in(&recording, &component);
    let agent = agent.middleware(entry).build().await.unwrap();
    let told = ask(&agent, "Go").await;
    drop(agent);
    Taken { folder, component, told, recorded: recorder.recorded() }
}

fn path(folder: &TempDir) -> PathBuf {
    folder.path().join("a.recording")
}

/// What a replay told.
pub(crate) struct Played {
    /// Each call into the layer: its instance, its export, its calls of the host, its end.
    pub(crate) calls: Vec<String>,
    pub(crate) difference: Option<Difference>,
}

impl Taken {
    pub(crate) fn path(&self) -> PathBuf {
        path(&self.folder)
    }

    pub(crate) fn text(&self) -> String {
        std::fs::read_to_string(self.path()).unwrap()
    }

    /// The same with another file.
    pub(crate) fn rewrite(&self, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(), text).unwrap();
    }

    /// Replays it on the component that was recorded.
    pub(crate) async fn replay(&self) -> Played {
        replay(&self.path(), &self.component).await
    }

    /// Shows that it replays the same.
    pub(crate) async fn is_the_same(&self) -> Vec<String> {
        assert_eq!(self.recorded.cut, None);
        let played = self.replay().await;
        assert_eq!(played.difference.map(|difference| difference.to_string()), None, "{}", self.text());
        assert_eq!(played.calls.len() as u64, self.recorded.hook_calls);
        played.calls
    }
}

/// Replays a file on a component.
pub(crate) async fn replay(path: &Path, component: &Component) -> Played {
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
