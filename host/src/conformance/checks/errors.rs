//! What fails or waits inside it is passed on or dealt with: it breaks nothing, and swallows no wait.

use crate::agent::Answer;
use crate::chain::HookKind;
use crate::conformance::finding::{Finding, Outcome, Said};
use crate::conformance::game::{Game, ask, has_turn_end};
use crate::conformance::kit::Kit;
use crate::conformance::rig::{Rig, SESSION};
use crate::conformance::scenes;
use crate::conformance::seen::{Abort, Seen, outcome};
use crate::event::Outcome as Ended;
use crate::message::{ResultPart, ToolState};

pub(super) async fn check(kit: &Kit) -> Outcome {
    let scenes = scenes::failures()?;
    for scene in &scenes {
        Game::new(&kit.subject, scene).play_well().await?;
    }
    let waits = waits(kit).await.map_err(|finding| finding.within("a tool waits"))?;
    let waits = if waits { "a wait was resumed" } else { "the call that would wait did not run" };
    Ok(Said::pass(format!("{} failures, and {waits}", scenes.len())))
}

/// A call waits, and goes on. Whether it came so far: a layer may refuse the call.
async fn waits(kit: &Kit) -> Result<bool, Finding> {
    let (subject, scene) = (&kit.subject, scenes::waiting()?);
    let rig = Game::new(subject, &scene).rig().await?;
    let parked = ask(subject, &rig, "Ask").await?;
    parked.in_order(has_turn_end(subject))?;
    match rig.wait.runs() {
        0 => return Ok(false),
        1 => {}
        runs => {
            let what = "a tool that waits for someone outside was run again";
            return Err(Finding::new(what).expected("1 run").seen(format!("{runs} runs")));
        }
    }
    kept_waiting(&parked)?;
    let ended = parked.result.response.outcome;
    if ended != Ended::Parked {
        let what = "a call waits for someone outside, and the reply does not";
        return Err(Finding::new(what).expected("parked").seen(outcome(ended)));
    }
    let resumed = resume(kit, &rig, &parked).await?;
    resumed.in_order(has_turn_end(subject)).map_err(|finding| finding.within("once it went on"))?;
    Ok(true)
}

/// The host keeps to a wait whatever a layer answers; a layer that answers something else has tried to swallow it.
fn kept_waiting(parked: &Seen) -> Result<(), Finding> {
    for (_, hook, line) in parked.result.layers.iter().filter(|(_, hook, _)| *hook == HookKind::Acting) {
        let what = format!("a call waits for someone outside, and `{}` does not pass that on", hook.name());
        if line.changed_responses > 0 {
            return Err(Finding::new(what).expected("the answer of `next`").seen("another answer"));
        }
        if line.runs > line.calls {
            let runs = format!("{} runs of `next` in {} call of the hook", line.runs, line.calls);
            return Err(Finding::new(what).expected("one run of `next`").seen(runs));
        }
    }
    Ok(())
}

async fn resume(kit: &Kit, rig: &Rig, parked: &Seen) -> Result<Seen, Finding> {
    let answer = |id: &str| Answer::Result {
        call_id: id.to_owned(),
        content: vec![ResultPart::Text { text: "It is so.".to_owned() }],
        state: ToolState::Success,
    };
    let answers = parked.result.pending.iter().map(|pending| answer(&pending.call.id)).collect();
    let stream = rig.agent.resume(SESSION, answers).await;
    let stream =
        stream.map_err(|error| Finding::new("the wait can't be answered").seen(error.to_string()))?;
    Seen::of(&rig.agent, &kit.subject.around.layer, stream, &Abort::Never).await
}
