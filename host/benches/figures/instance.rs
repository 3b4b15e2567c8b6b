//! What it costs to take an instance, call it and drop it.

use std::time::Duration;

use cepa::chain::{Chain, ChainEntry, ReplyContext};
use cepa_tests::chain::{LayerPlan, load, sandbox};
use cepa_tests::guest;
use tokio::runtime::Runtime;
use wasmtime::component::{Component, InstancePre, Linker};
use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig, Store};

use super::measure::{ratio, timed};

const INSTANCES: u64 = 200;

/// The same component on an engine that does nothing but run it.
fn bare() -> (Engine, InstancePre<()>) {
    let mut pool = PoolingAllocationConfig::default();
    pool.linear_memory_keep_resident(256 << 10).pagemap_scan(Enabled::Auto);
    let mut config = Config::new();
    config.concurrency_support(false).allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    let engine = Engine::new(&config).expect("an engine can be made");
    let component = Component::from_binary(&engine, guest!("prompt")).expect("the guest compiles");
    let mut linker = Linker::new(&engine);
    linker.define_unknown_imports_as_traps(&component).expect("imports can be stubbed");
    linker.allow_shadowing(true);
    linker
        .instance("cepa:middleware/context@0.1.0")
        .and_then(|mut context| context.func_wrap("config", |_, ()| Ok(("{}".to_owned(),))))
        .expect("the configuration can be given");
    let pre = linker.instantiate_pre(&component).expect("the guest links");
    (engine, pre)
}

async fn call_bare(engine: &Engine, pre: &InstancePre<()>) {
    let mut store = Store::new(engine, ());
    let instance = pre.instantiate_async(&mut store).await.expect("an instance can be made");
    let interface = instance.get_export_index(&mut store, None, "cepa:middleware/on-system-prompt@0.1.0");
    let function =
        instance.get_export_index(&mut store, interface.as_ref(), "transform").expect("the hook is there");
    let function = instance.get_func(&mut store, function).expect("the hook is a function");
    let mut results = [wasmtime::component::Val::Bool(false)];
    let prompt = wasmtime::component::Val::String("Be brief".to_owned());
    function.call_async(&mut store, &[prompt], &mut results).await.expect("the call succeeds");
}

/// A layer of a small component.
pub(crate) fn entry(runtime: &Runtime) -> ChainEntry {
    LayerPlan::new("prompt").entry(&runtime.block_on(load("bench", guest!("prompt"))))
}

/// So many times: a fresh instance, one call, and its end.
pub(crate) fn fresh_calls(runtime: &Runtime, entry: &ChainEntry, count: u64) -> Duration {
    timed(|| {
        runtime.block_on(async {
            for _ in 0..count {
                let chain = Chain::open(std::slice::from_ref(entry), ReplyContext::builder("s", "r").build());
                chain.system_prompt("Be brief".to_owned()).await.expect("the call succeeds");
            }
        });
    })
}

/// A fresh instance of a layer, one call, and its end, against the same on a bare engine.
pub(crate) fn fresh(runtime: &Runtime) -> f64 {
    let entry = entry(runtime);
    let (engine, pre) = bare();
    let theirs = || {
        timed(|| {
            runtime.block_on(async {
                for _ in 0..INSTANCES {
                    call_bare(&engine, &pre).await;
                }
            });
        })
    };
    ratio(|| fresh_calls(runtime, &entry, INSTANCES), theirs)
}

/// Stores made for a hundred hook calls of one layer in one reply: one, and nothing compiled.
pub(crate) fn stores_per_reply(runtime: &Runtime) -> f64 {
    let entry = entry(runtime);
    let compiled = sandbox().counts().compilations();
    let made = sandbox().counts().stores();
    let chain = Chain::open(std::slice::from_ref(&entry), ReplyContext::builder("s", "r").build());
    for _ in 0..100 {
        runtime.block_on(chain.system_prompt("Be brief".to_owned())).expect("the call succeeds");
    }
    let compiled = sandbox().counts().compilations() - compiled;
    let made = sandbox().counts().stores() - made;
    f64::from(u32::try_from(made + compiled).expect("a small number"))
}
