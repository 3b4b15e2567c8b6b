//! It loads, its configuration fits, and it lets a plain reply through.

use crate::chain::HookKind;
use crate::conformance::finding::{Finding, Outcome, Said};
use crate::conformance::game::Game;
use crate::conformance::kit::Kit;
use crate::conformance::scenes;
use crate::error::ErrorKind;
use crate::event::Outcome as Ended;

/// A subject is loaded already, so what is left is to see that it works at all.
pub(super) async fn check(kit: &Kit) -> Outcome {
    let component = kit.subject.component();
    let scene = scenes::saying("a plain reply", "Hello, you.")?;
    let mut notes = Vec::new();
    for seen in Game::new(&kit.subject, &scene).play_well().await? {
        let response = &seen.result.response;
        // The model answers, so an error is the layer's own; this kind is what a configuration is refused with.
        if let Some(error) = response.error.as_ref().filter(|error| error.kind == ErrorKind::InvalidInput) {
            let what = "the layer refuses a plain reply, as one does with a configuration that it can't use";
            return Err(Finding::new(what).seen(&error.message).into());
        }
        if response.outcome != Ended::Replied {
            notes.push(format!("a plain reply did not come to an answer, but ended as {}", seen.ended()));
        }
    }
    let hooks: Vec<&str> = component.hooks().iter().map(HookKind::name).collect();
    let grants = component.capabilities();
    let needs =
        if grants.is_empty() { "needs no grant".to_owned() } else { format!("needs {}", grants.join(", ")) };
    let schema = if component.config_schema().is_some() { "has a schema" } else { "has no schema" };
    Ok(Said::Pass(format!("{}; {needs}; {schema}", hooks.join(", ")), notes))
}
