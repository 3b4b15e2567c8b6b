//! What a chat does beside talking: it can be reached by `cepa swap`, and may watch its files.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use cepa::control::{Controller, ListenError, Listener, Watch, default_path, watch};
use cepa::host::Loaded;
use tokio::runtime::Handle;

use super::args::RunArgs;
use super::exit::Failure;
use super::notices::Notices;

/// How often the files are looked at.
const PERIOD: Duration = Duration::from_secs(1);

/// Ends with the chat.
pub struct Live {
    _listener: Option<Listener>,
    _watch: Option<Watch>,
}

/// Begins to listen and to watch. A chat whose usual socket can't be used does without it, and says so in its log.
pub fn start(
    runtime: &Handle,
    loaded: &Arc<Loaded>,
    args: &RunArgs,
    notices: &Notices,
) -> Result<Live, Failure> {
    let _inside = runtime.enter();
    let told = notices.clone();
    let controller = Controller::new(Arc::clone(loaded), move |answer| told.swap(answer));
    let listener = match &args.control {
        Some(path) => Some(Listener::start(path, controller.clone()).map_err(no_listener)?),
        None => default_path(loaded.manifest()).and_then(|path| usual(path, controller.clone())),
    };
    Ok(Live { _listener: listener, _watch: args.watch.then(|| watch(controller, PERIOD)) })
}

fn usual(path: PathBuf, controller: Controller) -> Option<Listener> {
    Listener::start(&path, controller)
        .inspect_err(|error| {
            tracing::warn!("`cepa swap` can't reach this chat unless `--control` names a socket: {error}");
        })
        .ok()
}

fn no_listener(error: ListenError) -> Failure {
    Failure::usage(error).hint("name another path with `--control`")
}
