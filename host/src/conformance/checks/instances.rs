//! It keeps nothing in its own memory from one hook call to the next: guest memory promises nothing, `state` does.

use crate::chain::HookKind;
use crate::conformance::diff::diff;
use crate::conformance::finding::{Finding, Outcome, Said};
use crate::conformance::game::Game;
use crate::conformance::isolated::Dress;
use crate::conformance::kit::Kit;
use crate::conformance::tell::told;

pub(super) async fn check(kit: &Kit) -> Outcome {
    let subject = &kit.subject;
    if subject.component().hooks().iter().all(|hook| hook == HookKind::Events) {
        return Ok(Said::idle("has no hook besides `on-events`, whose instance lives as long as the reply"));
    }
    if subject.is_fickle() {
        return Ok(Said::idle("imports the machine's clocks or chance, so that two replies may differ"));
    }
    let scenes = kit.plain_scenes().await?;
    for scene in &scenes {
        let shared = Game::new(subject, scene).play_well().await?;
        let isolated = Game::new(subject, scene).dress(Dress::Isolated).play_well().await?;
        for (shared, isolated) in shared.iter().zip(&isolated) {
            if let Some(diff) = diff(&told(shared), &told(isolated)) {
                let what = format!(
                    "`{}` goes another way when every hook call has an instance of its own: what is to last belongs \
                     into `state`",
                    scene.name
                );
                return Err(Finding::new(what).seen(diff).into());
            }
        }
    }
    Ok(Said::pass(format!("{} transcripts with an instance for every hook call", scenes.len())))
}
