//! `cepa swap`.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use cepa::agent::LineupStatus;
use cepa::control::{Answer, CallError, Reason, Refusal, Request, Status, SwapRequest, call, find};
use cepa::manifest::ManifestError;

use super::args::SwapArgs;
use super::exit::{Exit, Failure};
use super::json::JsonLines;
use super::load;
use super::news;
use super::progress::ProgressLine;
use super::shell::option;
use super::style::harmless;
use super::table::Table;
use super::view::Mode;

/// Asks a running chat to swap layers, or what is active there.
pub fn swap(args: &SwapArgs, mode: Mode) -> Result<Exit, Failure> {
    let (path, layer) = target(args)?;
    let request = if args.status {
        Request::Status {}
    } else {
        Request::Swap(SwapRequest {
            layer,
            source: args.source.as_deref().map(absolute).transpose()?,
            allow: args.allow.clone(),
        })
    };
    let line = ProgressLine::new(mode == Mode::Human);
    let answer = load::runtime()?.block_on(call(&path, &request, |text| line.say(text)));
    line.clear();
    show(answer.map_err(failure)?, mode)
}

/// Where the chat listens, and which layer is meant: with `--control`, the one name there is is the layer's.
fn target(args: &SwapArgs) -> Result<(PathBuf, Option<String>), Failure> {
    match (&args.control, &args.manifest, &args.layer) {
        (Some(_), Some(_), Some(_)) => {
            Err(Failure::usage("a manifest and `--control` both say which chat is meant: name one of them"))
        }
        (Some(path), layer, None) if !args.status => Ok((path.clone(), layer.clone())),
        (Some(path), ..) => Ok((path.clone(), None)),
        (None, manifest, layer) => {
            let manifest = manifest.as_deref().unwrap_or_default();
            let found = find(Path::new(manifest)).map_err(|error| unfound(&error, args.status))?;
            let path = found.ok_or_else(|| {
                Failure::usage(
                    "the manifest keeps sessions in memory, so there is no usual place to reach its chat",
                )
                .hint("run it with `--control SOCKET`, and name the same here")
            })?;
            Ok((path, layer.clone()))
        }
    }
}

/// A manifest with mistakes says not where its chat listens, which may go on well meanwhile.
fn unfound(error: &ManifestError, status: bool) -> Failure {
    let mut text = error.to_string();
    if status {
        text.push_str("\nhint: with `--control SOCKET` in its place, the chat can be asked nevertheless");
    }
    Failure::rendered(Exit::Manifest, text)
}

/// A source that means the same in the folder of the chat.
fn absolute(source: &str) -> Result<String, Failure> {
    if source.starts_with("bundled:") {
        return Ok(source.to_owned());
    }
    let path = std::path::absolute(source)
        .map_err(|error| Failure::usage(format!("the source `{source}` can't be used: {error}")))?;
    let path = path.into_os_string().into_string();
    path.map_err(|_| Failure::usage(format!("the path of the source `{source}` is not UTF-8")))
}

fn show(answer: Answer, mode: Mode) -> Result<Exit, Failure> {
    let exit = match &answer {
        Answer::Refused(refusal) => exit(refusal.reason),
        _ => Exit::Success,
    };
    if mode == Mode::Json {
        JsonLines::new(io::stdout()).line(&serde_json::to_value(&answer).map_err(io::Error::from)?)?;
        return if exit == Exit::Success { Ok(exit) } else { Err(Failure::silent(exit)) };
    }
    let text = match answer {
        Answer::Refused(refusal) => return Err(refused(exit, &refusal)),
        Answer::Status(status) => status_text(&status),
        Answer::Swapped(report) => news::report(&report).iter().map(|line| format!("{line}\n")).collect(),
        Answer::Progress { .. } => String::new(),
    };
    if mode == Mode::Human {
        // It may hold words of guests.
        io::stdout().write_all(harmless(&text).as_bytes())?;
    }
    Ok(exit)
}

fn exit(reason: Reason) -> Exit {
    match reason {
        Reason::Request => Exit::Usage,
        Reason::Manifest => Exit::Manifest,
        Reason::Component | Reason::State => Exit::Component,
        Reason::Consent => Exit::Consent,
        Reason::Internal => Exit::Internal,
    }
}

fn refused(exit: Exit, refusal: &Refusal) -> Failure {
    match refusal.reason {
        // Rendered by the host, with their places.
        Reason::Manifest | Reason::Component => Failure::rendered(exit, &refusal.message),
        _ => {
            let failure = Failure::new(exit, anyhow::anyhow!("{}", news::refusal(refusal)));
            let wanted = refusal.layers.iter().flat_map(|layer| &layer.needs_consent);
            let options: Vec<String> = wanted.map(|right| option("--allow", right)).collect();
            if options.is_empty() {
                return failure;
            }
            failure.hint(format!("agree to it with `{}`", options.join(" ")))
        }
    }
}

fn failure(error: CallError) -> Failure {
    match error {
        CallError::Unreachable { .. } => Failure::new(Exit::Unreachable, error)
            .hint("a chat (`cepa run`) listens beside its session file, or where `--control` says"),
        _ => Failure::new(Exit::Unreachable, error),
    }
}

fn status_text(status: &Status) -> String {
    let mut table = Table::new(&[">generation", "", ">replies", "layers"]);
    for lineup in &status.swaps.lineups {
        table.row([
            lineup.generation.to_string(),
            if lineup.active { "active".to_owned() } else { String::new() },
            lineup.replies.to_string(),
            layers(lineup),
        ]);
    }
    let mut text = format!("agent     {}\nmanifest  {}\n\n{}", status.agent, status.manifest, table.render());
    if let Some(roll_back) = &status.swaps.rolled_back {
        text.push_str(&format!("\n{roll_back}\n"));
    }
    text
}

fn layers(lineup: &LineupStatus) -> String {
    let layers = lineup.layers.iter().map(|layer| {
        let version = layer.version.as_deref().map_or("native", news::short);
        let trial = if layer.on_trial { ", on trial" } else { "" };
        format!("{} ({version}{trial})", layer.name)
    });
    layers.collect::<Vec<_>>().join(" ")
}
