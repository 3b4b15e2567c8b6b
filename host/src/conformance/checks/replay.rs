//! What it saw, replayed on it, has it do the same: then a recording of a fault is worth something.

use std::sync::Arc;

use crate::conformance::finding::{Finding, Outcome, Said};
use crate::conformance::game::Game;
use crate::conformance::kit::Kit;
use crate::conformance::transcript::Transcript;
use crate::sandbox::{Recorded, Recorder, Recording};

pub(super) async fn check(kit: &Kit) -> Outcome {
    let (mut into, mut from) = (0, 0);
    for scene in &kit.plain_scenes().await? {
        let recorded = again(kit, scene).await.map_err(|finding| finding.within(&scene.name))?;
        into += recorded.hook_calls;
        from += recorded.host_calls;
    }
    Ok(Said::pass(format!("{into} calls into the layer and {from} of the host, the same again")))
}

async fn again(kit: &Kit, scene: &Transcript) -> Result<Recorded, Finding> {
    let folder = tempfile::tempdir().map_err(|error| machine(&error))?;
    let path = folder.path().join("layer.recording");
    let recorder = Arc::new(Recorder::create(&path).map_err(|error| machine(&error))?);
    Game::new(&kit.subject, scene).recorded(Arc::clone(&recorder)).play_well().await?;
    let broken = |error: &dyn std::fmt::Display| Finding::new("it can't be replayed").seen(error.to_string());
    let recording = Recording::open(&path).map_err(|error| broken(&error))?;
    let subject = &kit.subject;
    let replayed = subject.sandbox.replay(&subject.component, &recording, &mut |_| ()).await;
    match replayed.map_err(|error| broken(&error))? {
        Some(difference) => {
            Err(Finding::new("replayed, it does something else").seen(difference.to_string()))
        }
        None => Ok(recorder.recorded()),
    }
}

/// The machine refused something: no fault of the component's.
fn machine(error: &std::io::Error) -> Finding {
    Finding::new("this machine gives the kit no file for a recording").seen(error.to_string())
}
