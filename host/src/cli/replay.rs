//! `cepa replay`.

use std::io::{self, Write as _};

use cepa::host::component_bytes;
use cepa::policy::LayerSource;
use cepa::sandbox::{Component, Difference, Recording, RecordingError, Replayed, ReplayedEnd, Sandbox};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::args::ReplayArgs;
use super::exit::{Exit, Failure};
use super::json::JsonLines;
use super::load;
use super::progress::ProgressLine;
use super::style::flat;
use super::view::Mode;

/// Replays a recording, and says where the component does otherwise.
pub fn replay(args: &ReplayArgs, mode: Mode) -> Result<Exit, Failure> {
    let recording = Recording::open(&args.recording).map_err(unusable)?;
    let (runtime, host) = (load::runtime()?, load::host()?);
    let component = component(args, &recording, host.sandbox(), &runtime)?;
    let mut shown = Ok(());
    let mut told = |call: &Replayed<'_>| {
        if shown.is_ok() {
            shown = show_call(call, mode);
        }
    };
    let difference = runtime.block_on(host.sandbox().replay(&component, &recording, &mut told));
    let difference = difference.map_err(unusable)?;
    shown?;
    show_end(&recording, difference.as_ref(), mode)?;
    Ok(if difference.is_some() { Exit::Differs } else { Exit::Success })
}

fn unusable(error: RecordingError) -> Failure {
    Failure::new(Exit::Recording, error)
}

/// The recorded component, or the one that is named instead of it.
fn component(
    args: &ReplayArgs,
    recording: &Recording,
    sandbox: &Sandbox,
    runtime: &Runtime,
) -> Result<Component, Failure> {
    let layer = recording.layer();
    let name = args.component.as_deref().unwrap_or(&layer.source);
    let bytes = component_bytes(&LayerSource::named(name)).map_err(|error| {
        Failure::new(Exit::Component, error).hint("`--component` names the component where it is now")
    })?;
    let line = ProgressLine::new(true);
    line.say(&format!("loading {name}"));
    let loaded = runtime.block_on(sandbox.load(name, bytes));
    line.clear();
    let component = loaded.map_err(|error| Failure::new(Exit::Component, error))?;
    if args.component.is_none() && component.digest() != layer.component {
        let message = format!(
            "the component `{name}` is not the one that was recorded: its hash is {}, and {} was recorded",
            component.digest(),
            layer.component
        );
        let hint =
            format!("with `--component {name}` it is replayed all the same, to see what it does otherwise");
        return Err(Failure::new(Exit::Component, anyhow::anyhow!(message)).hint(hint));
    }
    Ok(component)
}

fn show_call(call: &Replayed<'_>, mode: Mode) -> io::Result<()> {
    let (end, cause) = match call.end {
        ReplayedEnd::Answered => ("answered", None),
        ReplayedEnd::Fault(cause) => ("fault", Some(cause)),
        ReplayedEnd::GivenUp => ("given-up", None),
        ReplayedEnd::Untold => ("untold", None),
    };
    let Replayed { call: number, instance, export, host_calls, .. } = call;
    match mode {
        Mode::Quiet => Ok(()),
        Mode::Json => JsonLines::new(io::stdout()).line(&json!({
            "type": "call",
            "call": number,
            "instance": instance,
            "export": export,
            "host-calls": host_calls,
            "end": end,
            "fault": cause,
        })),
        Mode::Human => {
            let end = match (call.end, cause) {
                (ReplayedEnd::GivenUp, _) => {
                    "was waited for no longer: a limit of time, or an abort".to_owned()
                }
                (ReplayedEnd::Untold, _) => "goes on, and the recording ends".to_owned(),
                (_, Some(cause)) => format!("fault: {cause}"),
                (_, None) => end.to_owned(),
            };
            let text = format!("{number:>4}  {export}  {host_calls} calls of the host  {end}");
            writeln!(io::stdout(), "{}", flat(&text))
        }
    }
}

fn show_end(recording: &Recording, difference: Option<&Difference>, mode: Mode) -> io::Result<()> {
    if mode == Mode::Json {
        return JsonLines::new(io::stdout()).line(&json!({
            "type": "replayed",
            "layer": recording.layer().layer,
            "same": difference.is_none(),
            "cut": recording.cut(),
            "difference": difference.map(object),
        }));
    }
    let text = match (difference, recording.cut()) {
        (Some(difference), _) => format!("different: {difference}"),
        (None, Some(cut)) => format!("the same, as far as the recording goes: {cut}"),
        (None, None) => "the same".to_owned(),
    };
    writeln!(io::stdout(), "{}", flat(&text))
}

fn object(difference: &Difference) -> Value {
    json!({
        "line": difference.line(),
        "call": difference.call(),
        "export": difference.export(),
        "host-call": difference.host_call(),
        "what": difference.what(),
    })
}
