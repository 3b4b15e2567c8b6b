//! A component on an engine that does nothing but run it: no limits, no counts, and just the imports it needs.

use std::time::{SystemTime, UNIX_EPOCH};

use wasmtime::component::{Component, InstancePre, Linker, Val};
use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig, Store};

/// A component with the hook `on-system-prompt`.
pub(crate) struct Bare {
    engine: Engine,
    pre: InstancePre<()>,
}

impl Bare {
    pub(crate) fn new(component: &[u8]) -> Self {
        let mut pool = PoolingAllocationConfig::default();
        pool.linear_memory_keep_resident(256 << 10).pagemap_scan(Enabled::Auto);
        let mut config = Config::new();
        config.concurrency_support(false).allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
        let engine = Engine::new(&config).expect("an engine can be made");
        let component = Component::from_binary(&engine, component).expect("the guest compiles");
        let mut linker = Linker::new(&engine);
        linker.define_unknown_imports_as_traps(&component).expect("imports can be stubbed");
        linker.allow_shadowing(true);
        linker
            .instance("cepa:middleware/context@0.1.0")
            .and_then(|mut context| context.func_wrap("config", |_, ()| Ok(("{}".to_owned(),))))
            .expect("the configuration can be given");
        linker
            .instance("cepa:middleware/clock@0.1.0")
            .and_then(|mut clock| clock.func_wrap("now-ms", |_, ()| Ok((now_ms(),))))
            .expect("the clock can be given");
        let pre = linker.instantiate_pre(&component).expect("the guest links");
        Self { engine, pre }
    }

    /// A fresh instance, one call of the hook, and its end.
    pub(crate) async fn call(&self, prompt: &str) {
        let mut store = Store::new(&self.engine, ());
        let instance = self.pre.instantiate_async(&mut store).await.expect("an instance can be made");
        let interface = instance.get_export_index(&mut store, None, "cepa:middleware/on-system-prompt@0.1.0");
        let function = instance.get_export_index(&mut store, interface.as_ref(), "transform");
        let function = instance.get_func(&mut store, function.expect("the hook is there"));
        let mut results = [Val::Bool(false)];
        function
            .expect("the hook is a function")
            .call_async(&mut store, &[Val::String(prompt.to_owned())], &mut results)
            .await
            .expect("the call succeeds");
    }
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
