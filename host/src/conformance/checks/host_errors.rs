//! Any call of the host may fail: the hook answers, breaks no rule, and the session goes on.

use std::sync::Arc;

use crate::conformance::finding::{Finding, Outcome, Said};
use crate::conformance::game::{Game, ask, has_turn_end};
use crate::conformance::kit::Kit;
use crate::conformance::taps::Refusal;
use crate::conformance::transcript::Transcript;

/// How many calls of a transcript are refused, one at a time: more only repeat each other.
const CALLS: u64 = 60;

pub(super) async fn check(kit: &Kit) -> Outcome {
    let mut refused = 0;
    for scene in &kit.plain_scenes().await? {
        let counted = Arc::new(Refusal::default());
        play(kit, scene, &counted).await.map_err(|finding| finding.within(&scene.name))?;
        let calls = counted.refusable();
        let step = calls.div_ceil(CALLS).max(1);
        for number in (0..calls).step_by(usize::try_from(step).unwrap_or(usize::MAX)) {
            let refusal = Arc::new(Refusal::at(number));
            let played = play(kit, scene, &refusal).await;
            played.map_err(|finding| {
                let function = refusal.refused().unwrap_or_default();
                finding.within(&format!("`{}` with call {} refused, `{function}`", scene.name, number + 1))
            })?;
            refused += 1;
        }
    }
    if refused == 0 {
        return Ok(Said::idle("makes no call of the host that could fail"));
    }
    let calls = if refused == 1 { "call" } else { "calls" };
    Ok(Said::pass(format!("{refused} {calls} of the host refused, one at a time")))
}

/// Plays a transcript, and one more reply.
async fn play(kit: &Kit, scene: &Transcript, refusal: &Arc<Refusal>) -> Result<(), Finding> {
    let game = Game::new(&kit.subject, scene).tapped(Arc::clone(refusal) as _);
    let rig = game.rig().await?;
    refusal.begin();
    let mut replies = game.play_in(&rig).await?;
    replies.push(ask(&kit.subject, &rig, "Go on").await?);
    replies.iter().try_for_each(|seen| seen.in_order(has_turn_end(&kit.subject)))
}
