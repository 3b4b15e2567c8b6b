//! An abort at any event or call of the host ends the reply in good order, and the session goes on.

use std::sync::Arc;
use std::time::Duration;

use crate::conformance::finding::{Finding, Outcome, Said};
use crate::conformance::game::{Game, ask, ask_and_abort, has_turn_end};
use crate::conformance::kit::Kit;
use crate::conformance::seen::{Abort, Seen};
use crate::conformance::taps::Trip;
use crate::conformance::transcript::Transcript;
use crate::event::Outcome as Ended;

/// How many moments of a reply are tried of each kind: more only repeat each other.
const MOMENTS: usize = 40;
/// How long an aborted reply may take to end: far longer than it takes.
const PATIENCE: Duration = Duration::from_secs(20);

pub(super) async fn check(kit: &Kit) -> Outcome {
    let (mut events, mut calls) = (0, 0);
    for scene in &kit.plain_scenes().await? {
        let (all_events, all_calls) =
            moments(kit, scene).await.map_err(|finding| finding.within(&scene.name))?;
        for after in some_of(all_events) {
            let place = format!("`{}` aborted after {after} events", scene.name);
            aborted(kit, scene, None, &Abort::AfterEvents(after))
                .await
                .map_err(|finding| finding.within(&place))?;
            events += 1;
        }
        for number in some_of(all_calls) {
            let place = format!("`{}` aborted at call {} of the host", scene.name, number + 1);
            let trip = Arc::new(Trip::at(number as u64));
            let abort = Abort::AtCall(Arc::clone(&trip));
            aborted(kit, scene, Some(trip), &abort).await.map_err(|finding| finding.within(&place))?;
            calls += 1;
        }
    }
    Ok(Said::pass(format!("at {events} events and {calls} calls of the host, and a reply after each")))
}

/// Some of so many moments, evenly spread.
fn some_of(all: usize) -> impl Iterator<Item = usize> {
    (0..all).step_by(all.div_ceil(MOMENTS).max(1))
}

/// How many events the first reply of a transcript has, and how many calls of the host the layer makes in it.
async fn moments(kit: &Kit, scene: &Transcript) -> Result<(usize, usize), Finding> {
    let trip = Arc::new(Trip::default());
    let rig = Game::new(&kit.subject, scene).tapped(Arc::clone(&trip) as _).rig().await?;
    trip.begin();
    let seen = ask(&kit.subject, &rig, first_prompt(scene)).await?;
    in_order(kit, &seen)?;
    Ok((seen.events.len(), usize::try_from(trip.calls()).unwrap_or(usize::MAX)))
}

/// Aborts the first reply of a transcript, and asks again.
async fn aborted(
    kit: &Kit,
    scene: &Transcript,
    trip: Option<Arc<Trip>>,
    abort: &Abort,
) -> Result<(), Finding> {
    let subject = &kit.subject;
    let mut game = Game::new(subject, scene);
    if let Some(trip) = &trip {
        game = game.tapped(Arc::clone(trip) as _);
    }
    let rig = game.rig().await?;
    if let Some(trip) = &trip {
        trip.begin();
    }
    let aborted =
        tokio::time::timeout(PATIENCE, ask_and_abort(subject, &rig, first_prompt(scene), abort)).await;
    let late = |_| Finding::new(format!("the reply has not ended {} seconds later", PATIENCE.as_secs()));
    in_order(kit, &aborted.map_err(late)??)?;
    let next = ask(subject, &rig, "Go on").await?;
    in_order(kit, &next).map_err(|finding| finding.within("the reply after it"))?;
    match next.result.response.outcome {
        Ended::Aborted => Err(Finding::new("the reply after it was aborted as well")),
        _ => Ok(()),
    }
}

fn first_prompt(scene: &Transcript) -> &str {
    scene.prompts.first().map_or("", String::as_str)
}

fn in_order(kit: &Kit, seen: &Seen) -> Result<(), Finding> {
    seen.in_order(has_turn_end(&kit.subject))
}
