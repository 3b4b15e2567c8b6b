//! An abort at any event ends the reply in good order, and the session goes on.

use std::time::Duration;

use crate::conformance::finding::{Finding, Outcome, Said};
use crate::conformance::game::{Game, ask, ask_and_abort, has_turn_end};
use crate::conformance::kit::Kit;
use crate::conformance::seen::Seen;
use crate::conformance::transcript::Transcript;
use crate::event::Outcome as Ended;

/// How many moments of a reply are tried: more events than this only repeat each other.
const MOMENTS: usize = 40;
/// How long an aborted reply may take to end: far longer than it takes.
const PATIENCE: Duration = Duration::from_secs(20);

pub(super) async fn check(kit: &Kit) -> Outcome {
    let mut aborted = 0;
    for scene in &kit.plain_scenes().await? {
        let whole = Game::new(&kit.subject, scene).play_well().await?;
        let events = whole.first().map_or(0, |seen| seen.events.len());
        for after in (0..events).step_by(events.div_ceil(MOMENTS).max(1)) {
            let place = format!("`{}` aborted after {after} events", scene.name);
            at(kit, scene, after).await.map_err(|finding| finding.within(&place))?;
            aborted += 1;
        }
    }
    Ok(Said::pass(format!("{aborted} moments, and a reply after each")))
}

async fn at(kit: &Kit, scene: &Transcript, after: usize) -> Result<(), Finding> {
    let subject = &kit.subject;
    let rig = Game::new(subject, scene).rig().await?;
    let prompt = scene.prompts.first().map_or("", String::as_str);
    let aborted = tokio::time::timeout(PATIENCE, ask_and_abort(subject, &rig, prompt, Some(after))).await;
    let aborted = aborted.map_err(|_| {
        Finding::new(format!("the reply has not ended {} seconds later", PATIENCE.as_secs()))
    })??;
    in_order(kit, &aborted)?;
    let next = ask(subject, &rig, "Go on").await?;
    in_order(kit, &next).map_err(|finding| finding.within("the reply after it"))?;
    match next.result.response.outcome {
        Ended::Aborted => Err(Finding::new("the reply after it was aborted as well")),
        _ => Ok(()),
    }
}

fn in_order(kit: &Kit, seen: &Seen) -> Result<(), Finding> {
    seen.in_order(has_turn_end(&kit.subject))
}
