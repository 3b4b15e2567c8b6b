//! From a middleware to a component: one generated world a hook, so that a component exports just what it implements.

/// Exports a middleware's hooks: `export!(MyType: OnModelCall, OnTurnEnd);`. Once in a crate.
///
/// The component exports what is named and the configuration's schema, and nothing else. Natively this does nothing,
/// so that the crate can be tested without wasm.
#[macro_export]
macro_rules! export {
    ($middleware:ty: $($hook:ident),+ $(,)?) => {
        #[cfg(target_family = "wasm")]
        const _: () = {
            type CepaComponent = $crate::__wasm::Exported<$middleware>;

            impl $crate::__wasm::Instance for $middleware {
                fn instance() -> Result<&'static Self, $crate::Error> {
                    ::std::thread_local! {
                        static INSTANCE: $crate::__wasm::Cell<$middleware> = const { $crate::__wasm::Cell::new() };
                    }
                    INSTANCE.with(|cell| cell.get())
                }
            }

            $crate::__export_world!(configuration CepaComponent);
            $($crate::__export_hook!($hook CepaComponent);)+
        };
        // Names every hook natively too, so that a missing implementation is found by `cargo check`.
        #[cfg(not(target_family = "wasm"))]
        const _: () = {
            $(const _: fn() = || {
                fn implements<M: $crate::$hook>() {}
                implements::<$middleware>();
            };)+
        };
    };
}

/// The export macro of one hook's world.
#[doc(hidden)]
#[macro_export]
macro_rules! __export_hook {
    (OnReply $ty:ident) => { $crate::__export_world!(on_reply $ty); };
    (OnReasoning $ty:ident) => { $crate::__export_world!(on_reasoning $ty); };
    (OnModelCall $ty:ident) => { $crate::__export_world!(on_model_call $ty); };
    (OnActing $ty:ident) => { $crate::__export_world!(on_acting $ty); };
    (OnCompressContext $ty:ident) => { $crate::__export_world!(on_compress_context $ty); };
    (OnCheckPermission $ty:ident) => { $crate::__export_world!(on_check_permission $ty); };
    (OnSystemPrompt $ty:ident) => { $crate::__export_world!(on_system_prompt $ty); };
    (OnEvents $ty:ident) => { $crate::__export_world!(on_events $ty); };
    (OnDraft $ty:ident) => { $crate::__export_world!(on_draft $ty); };
    (ToolSource $ty:ident) => { $crate::__export_world!(tool_source $ty); };
    (OnTurnEnd $ty:ident) => { $crate::__export_world!(on_turn_end $ty); };
    (MigrateState $ty:ident) => { $crate::__export_world!(migrate_state $ty); };
    ($other:ident $ty:ident) => {
        ::core::compile_error!(::core::concat!(
            "`", ::core::stringify!($other), "` is no hook: use OnReply, OnReasoning, OnModelCall, OnActing, \
             OnCompressContext, OnCheckPermission, OnSystemPrompt, OnEvents, OnDraft, ToolSource, OnTurnEnd or MigrateState"
        ));
    };
}

/// Expands a generated export macro with its paths into this crate.
#[doc(hidden)]
#[macro_export]
macro_rules! __export_world {
    ($export:ident $ty:ident) => {
        $crate::__wasm::hooks::$export::export!($ty with_types_in $crate::__wasm::hooks::$export);
    };
}
