//! It gives the same for a model's answer in whatever pieces it comes.

use crate::chain::HookKind;
use crate::conformance::chunked::Cuts;
use crate::conformance::finding::{Finding, Outcome, Said};
use crate::conformance::game::{Game, has_turn_end};
use crate::conformance::kit::Kit;
use crate::conformance::scenes;
use crate::conformance::seen::{Seen, quoted};
use crate::conformance::stream::Streamed;
use crate::conformance::subject::Subject;
use crate::conformance::tell::line;
use crate::conformance::transcript::Transcript;
use crate::world::{TestWorld, World as _};

/// The hooks whose calls see a stream, or could.
const STREAMING: [HookKind; 5] =
    [HookKind::Reply, HookKind::Reasoning, HookKind::ModelCall, HookKind::Acting, HookKind::Events];
/// How many characters of an answer are cut at.
const LENGTH: usize = 32;
/// How many pairs of cuts are tried: each answer has some hundreds, and an evenly spread part of them finds what a
/// single place breaks.
const PAIRS: usize = 60;
/// How many chunkings by chance.
const RANDOM: usize = 12;
/// The seed of that chance.
const SEED: u64 = 20_260_101;

pub(super) async fn check(kit: &Kit) -> Outcome {
    let hooks = kit.subject.component().hooks();
    if !STREAMING.iter().any(|hook| hooks.contains(*hook)) {
        return Ok(Said::idle("has no hook that streams"));
    }
    let (scenes, chunkings) = (scenes::streams(&kit.subject)?, chunkings());
    for scene in &scenes {
        let whole = come_to(&kit.subject, scene, Cuts::None).await?;
        for cuts in &chunkings {
            let cut = come_to(&kit.subject, scene, cuts.clone()).await?;
            if kit.subject.is_fickle() && cut.stored != whole.stored {
                continue;
            }
            differ(&whole, &cut).map_err(|finding| finding.within(&place(scene, cuts)))?;
        }
    }
    Ok(Said::pass(format!("{} chunkings of {} answers", chunkings.len() + 1, scenes.len())))
}

/// What is the same in every chunking.
#[derive(PartialEq)]
struct CameTo {
    ended: String,
    streamed: Streamed,
    answer: String,
    stored: Vec<String>,
}

async fn come_to(subject: &Subject, scene: &Transcript, cuts: Cuts) -> Result<CameTo, Finding> {
    let place = place(scene, &cuts);
    let replies = Game::new(subject, scene).cuts(cuts).play().await?;
    let mut last = None;
    for seen in &replies {
        seen.in_order(has_turn_end(subject)).map_err(|finding| finding.within(&place))?;
        last = Some(came_to(seen));
    }
    last.ok_or_else(|| Finding::new("the transcript has no prompt"))
}

fn came_to(seen: &Seen) -> CameTo {
    CameTo {
        ended: seen.ended(),
        streamed: Streamed::of(&seen.events),
        answer: seen.result.response.text(),
        stored: seen.stored.messages.iter().map(line).collect(),
    }
}

fn differ(whole: &CameTo, cut: &CameTo) -> Result<(), Finding> {
    let stored = |came_to: &CameTo| came_to.stored.join("\n");
    let each = [
        ("the reply ends in another way", whole.ended.clone(), cut.ended.clone()),
        ("the answer is another one", whole.answer.clone(), cut.answer.clone()),
        ("the stream is another one", whole.streamed.last.clone(), cut.streamed.last.clone()),
        (
            "the stream of an earlier step is another one",
            whole.streamed.earlier.clone(),
            cut.streamed.earlier.clone(),
        ),
        ("the stored conversation is another one", stored(whole), stored(cut)),
    ];
    match each.into_iter().find(|(_, whole, cut)| whole != cut) {
        Some((what, whole, cut)) => Err(Finding::new(what).expected(quoted(&whole)).seen(quoted(&cut))),
        None => Ok(()),
    }
}

fn place(scene: &Transcript, cuts: &Cuts) -> String {
    let name = &scene.name;
    match cuts {
        Cuts::None => format!("{name} in one piece"),
        Cuts::Everywhere => format!("{name} character by character"),
        Cuts::At(places) => {
            let places: Vec<String> = places.iter().map(ToString::to_string).collect();
            format!("{name} cut behind character {}", places.join(", "))
        }
    }
}

/// Every way to cut that is tried, but the whole.
fn chunkings() -> Vec<Cuts> {
    let mut all = vec![Cuts::Everywhere];
    all.extend((1..LENGTH).map(|at| Cuts::At(vec![at])));
    let pairs: Vec<[usize; 2]> =
        (1..LENGTH).flat_map(|first| (first + 1..LENGTH).map(move |second| [first, second])).collect();
    all.extend(pairs.iter().step_by(pairs.len().div_ceil(PAIRS)).map(|pair| Cuts::At(pair.to_vec())));
    let chance = TestWorld::new(SEED);
    all.extend((0..RANDOM).map(|_| {
        let mut bytes = [0; LENGTH];
        chance.random(&mut bytes);
        Cuts::At((1..LENGTH).filter(|at| bytes.get(*at).is_some_and(|byte| byte % 3 == 0)).collect())
    }));
    all
}
