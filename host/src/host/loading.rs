//! Components side by side: compiling one keeps a core busy, and building a project waits for a compiler.

use std::collections::{HashMap, HashSet};
use std::num::NonZero;

use futures::future::{BoxFuture, FutureExt as _, Shared};
use futures::stream::{self, StreamExt as _};
use parking_lot::Mutex;

use crate::policy::LayerSource;
use crate::sandbox::Component;

use super::Progress;
use super::components::source_name;

/// A component, or why there is none.
type One = Result<Component, String>;

/// What these sources name, in their order: each source is loaded once, and as many at a time as there are cores.
pub(super) async fn side_by_side<'a, F>(
    sources: Vec<&'a LayerSource>,
    progress: Progress<'a>,
    load: impl Fn(&'a LayerSource) -> F,
) -> Vec<One>
where
    F: Future<Output = One> + Send + 'a,
{
    let board = Board::new(sources.iter().collect::<HashSet<_>>().len(), progress);
    let mut begun: HashMap<&LayerSource, Shared<BoxFuture<'_, One>>> = HashMap::new();
    let mut each = Vec::with_capacity(sources.len());
    for source in sources {
        let one = begun
            .entry(source)
            .or_insert_with(|| board.during(source_name(source), load(source)).boxed().shared());
        each.push(one.clone());
    }
    let at_once = std::thread::available_parallelism().map_or(1, NonZero::get);
    stream::iter(each).buffered(at_once).collect().await
}

/// Tells a person who waits what is being loaded.
struct Board<'a> {
    progress: Progress<'a>,
    total: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    ready: usize,
    /// The names of those that are being loaded, the first begun first.
    busy: Vec<String>,
}

impl<'a> Board<'a> {
    fn new(total: usize, progress: Progress<'a>) -> Self {
        Self { progress, total, state: Mutex::default() }
    }

    async fn during<T>(&self, name: String, load: impl Future<Output = T>) -> T {
        self.change(|state| state.busy.push(name.clone()));
        let loaded = load.await;
        self.change(|state| {
            state.ready += 1;
            state.busy.retain(|busy| *busy != name);
        });
        loaded
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state.lock();
        change(&mut state);
        if let Some(first) = state.busy.first() {
            (self.progress)(&format!(
                "loading components ({} of {} ready): {first}",
                state.ready, self.total
            ));
        }
    }
}
