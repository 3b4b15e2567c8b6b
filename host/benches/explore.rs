//! For exploring: what a hook call, a stream and an instance cost, in time and by depth. Promises are in `figures`.
//!
//! `cargo bench --bench explore`, or `-- NAME` for some; criterion compares with the run before.

#[expect(dead_code, reason = "shared with `figures`, which uses more of it")]
mod figures {
    pub(crate) mod bare;
    pub(crate) mod hop;
    pub(crate) mod instance;
    pub(crate) mod measure;
    pub(crate) mod stream;
}

use cepa::chain::{Chain, ChainEntry, HookKind, HookSet, Layer, Native, ReplyContext};
use cepa_tests::guest;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use figures::{hop, instance, stream};
use tokio::runtime::Runtime;

const DEPTHS: [usize; 4] = [0, 1, 5, 20];

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime can be started")
}

/// A model call through pass-through layers.
fn pass_through(criterion: &mut Criterion) {
    let runtime = runtime();
    let mut group = criterion.benchmark_group("pass-through");
    for (size, request) in [("8KB", hop::request(20, 400)), ("200KB", hop::request(200, 1000))] {
        for depth in DEPTHS {
            let chain = hop::chain(&runtime, guest!("passthrough"), depth);
            group.bench_with_input(BenchmarkId::new(size, depth), &chain, |bencher, chain| {
                bencher.iter_custom(|calls| hop::calls(&runtime, chain, &request, calls));
            });
        }
    }
    group.finish();
}

/// A native layer that passes everything by.
struct PassBy;

impl Layer for PassBy {}

/// A chain of native layers that pass everything by.
fn native(depth: usize) -> Chain {
    let hooks = HookSet::EMPTY.with(HookKind::ModelCall);
    let entries: Vec<ChainEntry> =
        (0..depth).map(|n| ChainEntry::new(Native::new(format!("layer-{n}"), hooks, PassBy))).collect();
    Chain::open(&entries, ReplyContext::builder("s", "r").build())
}

/// Text deltas through layers: passed by, and read and sent one by one or in batches as they come; and passed by native layers.
fn streams(criterion: &mut Criterion) {
    let runtime = runtime();
    let mut group = criterion.benchmark_group("stream");
    group.throughput(Throughput::Elements(stream::DELTAS as u64));
    for (name, bytes) in [("run", guest!("passthrough")), ("observe", guest!("observe"))] {
        for depth in DEPTHS {
            let chain = hop::chain(&runtime, bytes, depth);
            group.bench_with_input(BenchmarkId::new(name, depth), &chain, |bencher, chain| {
                bencher.iter_custom(|count| stream::streams(&runtime, chain, count));
            });
        }
    }
    for depth in DEPTHS {
        let chain = native(depth);
        group.bench_with_input(BenchmarkId::new("native", depth), &chain, |bencher, chain| {
            bencher.iter_custom(|count| stream::streams(&runtime, chain, count));
        });
    }
    group.finish();
}

/// A fresh instance, one call, and its end.
fn instances(criterion: &mut Criterion) {
    let runtime = runtime();
    let entry = instance::entry(&runtime);
    criterion.bench_function("instance", |bencher| {
        bencher.iter_custom(|count| instance::fresh_calls(&runtime, &entry, count));
    });
}

criterion_group!(benches, pass_through, streams, instances);
criterion_main!(benches);
