//! A swap in the middle of a session changes nothing: what the layer remembers is there afterwards.

use crate::conformance::diff::diff;
use crate::conformance::finding::{Finding, Outcome, Said};
use crate::conformance::game::{Game, ask, has_turn_end};
use crate::conformance::isolated::Dress;
use crate::conformance::kit::Kit;
use crate::conformance::seen::Seen;
use crate::conformance::tell::told;
use crate::conformance::transcript::Transcript;

pub(super) async fn check(kit: &Kit) -> Outcome {
    let migrates = kit.subject.component().migrates();
    let mut swaps = 0;
    let mut remembered = false;
    for scene in &kit.plain_scenes().await? {
        let stayed = Game::new(&kit.subject, scene).play_well().await?;
        let swapped = swapped(kit, scene, migrates).await.map_err(|finding| finding.within(&scene.name))?;
        remembered |= stayed.iter().any(|seen| !seen.state.is_empty());
        swaps += 1;
        if kit.subject.is_fickle() {
            continue;
        }
        for (stayed, swapped) in stayed.iter().zip(&swapped) {
            if let Some(diff) = diff(&told(stayed), &told(swapped)) {
                let what =
                    format!("`{}` goes on in another way after a swap to the same component", scene.name);
                return Err(Finding::new(what).seen(diff).into());
            }
        }
    }
    let state = if remembered { "its state was there" } else { "it keeps no state" };
    let migrates = if migrates { ", and `migrate-state` took it over" } else { "" };
    Ok(Said::pass(format!("{swaps} swaps within a session: {state}{migrates}")))
}

/// Plays a transcript with a swap after each reply. A component that takes over state is swapped for one that says it is
/// an older version of itself, so that it is asked to.
async fn swapped(kit: &Kit, scene: &Transcript, migrates: bool) -> Result<Vec<Seen>, Finding> {
    let subject = &kit.subject;
    let dress = if migrates { Dress::Older } else { Dress::Plain };
    let rig = Game::new(subject, scene).dress(dress).rig().await?;
    let mut replies = Vec::new();
    for prompt in &scene.prompts {
        let seen = ask(subject, &rig, prompt).await?;
        seen.in_order(has_turn_end(subject))?;
        replies.push(seen);
        let swapped = rig.agent.swap(vec![rig.again(subject)?]).await;
        swapped.map_err(|error| Finding::new("the layer can't be swapped").seen(error.to_string()))?;
    }
    Ok(replies)
}
