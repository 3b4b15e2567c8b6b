//! What happens in a reply is what is written down; where nothing is, it is the same twice.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::conformance::diff::diff;
use crate::conformance::finding::{Finding, Findings, Outcome, Said};
use crate::conformance::game::Game;
use crate::conformance::kit::Kit;
use crate::conformance::seen::Seen;
use crate::conformance::tell::{logged, told};
use crate::conformance::transcript::Transcript;

pub(super) async fn check(kit: &Kit) -> Outcome {
    if kit.subject.transcripts.is_empty() { twice(kit).await } else { written(kit).await }
}

/// Compares with what is written down, or writes it.
async fn written(kit: &Kit) -> Outcome {
    let mut findings = Vec::new();
    let mut fresh = 0;
    for transcript in &kit.subject.transcripts {
        let happened = all(transcript, &Game::new(&kit.subject, transcript).play().await?);
        let Some(golden) = &transcript.golden else { continue };
        let known = read(golden)?;
        if known.as_deref() == Some(&happened) {
            continue;
        }
        if kit.update {
            write(golden, &happened)?;
            fresh += 1;
        } else {
            findings.push(differs(transcript, known.as_deref(), &happened));
        }
    }
    if !findings.is_empty() {
        return Err(Findings(findings));
    }
    let count = kit.subject.transcripts.len();
    Ok(Said::pass(match (kit.update, fresh) {
        (false, _) => format!("{count} of the project, as written down"),
        (true, fresh) => format!("{count} of the project, {fresh} written anew"),
    }))
}

fn differs(transcript: &Transcript, known: Option<&str>, happened: &str) -> Finding {
    let name = &transcript.name;
    match known {
        None => Finding::new(format!("what happens in `{name}` is not written down yet: `--update` does it")),
        Some(known) => {
            let what =
                format!("`{name}` differs from what is written down: `--update` takes it up, if it is right");
            Finding::new(what).seen(diff(known, happened).unwrap_or_default())
        }
    }
}

/// Everything that happened, as it is written down.
fn all(transcript: &Transcript, replies: &[Seen]) -> String {
    let each = transcript.prompts.iter().zip(replies);
    let each = each.map(|(prompt, seen)| {
        format!("prompt    {}\n{}{}", prompt.replace('\n', "\\n"), told(seen), logged(seen))
    });
    each.collect::<Vec<_>>().join("\n")
}

fn read(golden: &Path) -> Result<Option<String>, Finding> {
    match fs::read_to_string(golden) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(at(golden, "can't be read", &error)),
    }
}

fn write(golden: &Path, text: &str) -> Result<(), Finding> {
    fs::write(golden, text).map_err(|error| at(golden, "can't be written", &error))
}

fn at(golden: &Path, what: &str, error: &std::io::Error) -> Finding {
    Finding::new(format!("`{}` {what}", golden.display())).seen(error.to_string())
}

/// Plays the kit's own transcripts twice.
async fn twice(kit: &Kit) -> Outcome {
    if kit.subject.is_fickle() {
        return Ok(Said::idle("imports the machine's clocks or chance, so that two replies may differ"));
    }
    let scenes = kit.plain_scenes().await?;
    let mut notes = Vec::new();
    for scene in &scenes {
        let (first, second) = (
            Game::new(&kit.subject, scene).play_well().await?,
            Game::new(&kit.subject, scene).play_well().await?,
        );
        for (first, second) in first.iter().zip(&second) {
            if let Some(diff) = diff(&told(first), &told(second)) {
                let what =
                    format!("the same reply of `{}` came to something else the second time", scene.name);
                return Err(Finding::new(what).seen(diff).into());
            }
            if logged(first) != logged(second) {
                notes.push(format!("the log of `{}` was another one the second time", scene.name));
            }
        }
    }
    Ok(Said::Pass(format!("{} of the kit, the same twice", scenes.len()), notes))
}
