//! `cepa record`.

use std::fs;
use std::io::{self, Write as _};
use std::sync::Arc;

use cepa::host::Host;
use cepa::manifest::Manifest;
use cepa::sandbox::{Recorded, Recorder};
use serde_json::json;

use super::args::{AnswerArgs, RecordArgs, RunArgs};
use super::exit::{Exit, Failure};
use super::json::JsonLines;
use super::load;
use super::run::{no_prompt, run_in};
use super::style::flat;
use super::view::Mode;

/// Runs a reply as `cepa run` does, and says what was recorded of the layer.
pub fn record(args: &RecordArgs, mode: Mode) -> Result<Exit, Failure> {
    let mut recorder = None;
    let ended = run_in(|manifest| recording_host(args, manifest, &mut recorder), &run_args(args), mode);
    let Some(recorder) = recorder else { return ended };
    let recorded = recorder.recorded();
    if recorded.bytes == 0 {
        // Nothing came so far as to have a layer. An empty file would look like a recording.
        let _ = fs::remove_file(&args.output);
        return ended;
    }
    tell(args, &recorded, mode)?;
    ended
}

fn run_args(args: &RecordArgs) -> RunArgs {
    RunArgs {
        manifest: args.manifest.clone(),
        prompt: args.prompt.clone(),
        session: args.session.clone(),
        chat: false,
        discard: false,
        watch: false,
        control: None,
        answers: AnswerArgs::default(),
    }
}

/// A host that records the layer, once it is sure that there is one and what is to be done.
fn recording_host(
    args: &RecordArgs,
    manifest: &Manifest,
    place: &mut Option<Arc<Recorder>>,
) -> Result<Host, Failure> {
    if args.prompt.is_none() && manifest.prompt.is_none() {
        return Err(no_prompt());
    }
    let names: Vec<&str> = manifest.all_layers().map(|layer| layer.name.as_str()).collect();
    if !names.contains(&args.layer.as_str()) {
        let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
        let there = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        return Err(Failure::usage(format!("there is no layer `{}`; there are {there}", args.layer)));
    }
    let host = load::host()?;
    let recorder = Recorder::create(&args.output)
        .map_err(|error| Failure::usage(format!("`{}` can't be written: {error}", args.output.display())))?;
    let recorder = place.insert(Arc::new(recorder));
    Ok(host.recording(&args.layer, Arc::clone(recorder)))
}

/// The answer is on standard output, so that a person is told on standard error.
fn tell(args: &RecordArgs, recorded: &Recorded, mode: Mode) -> Result<(), Failure> {
    let Recorded { hook_calls, host_calls, bytes, cut } = recorded;
    if mode == Mode::Json {
        return Ok(JsonLines::new(io::stdout()).line(&json!({
            "type": "recorded",
            "layer": args.layer,
            "path": args.output,
            "hook-calls": hook_calls,
            "host-calls": host_calls,
            "bytes": bytes,
            "cut": cut,
        }))?);
    }
    let mut err = io::stderr().lock();
    if let Some(cut) = cut {
        writeln!(err, "! the recording ends before the layer did: {}", flat(cut))?;
    }
    if mode == Mode::Human {
        let text = format!(
            "recorded layer `{}` in `{}`: {hook_calls} hook calls, {host_calls} calls of the host, {bytes} bytes",
            args.layer,
            args.output.display()
        );
        writeln!(err, "{}", flat(&text))?;
    }
    Ok(())
}
