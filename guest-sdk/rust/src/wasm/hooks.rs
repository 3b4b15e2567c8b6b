//! One generated world for each export, all sharing the types of [`crate::bindings`].
//!
//! A world's export macro carries that world's part of the component's type, so a component has in it what it exports
//! and nothing else.

macro_rules! worlds {
    ($($export:ident $world:tt)+) => {$(
        pub mod $export {
            wit_bindgen::generate!({
                path: ["../../wit", "wit"],
                world: $world,
                pub_export_macro: true,
                with: {
                    "cepa:middleware/types@0.1.0": crate::bindings::cepa::middleware::types,
                    "cepa:middleware/events@0.1.0": crate::bindings::cepa::middleware::events,
                    "cepa:middleware/requests@0.1.0": crate::bindings::cepa::middleware::requests,
                    "cepa:middleware/flow@0.1.0": crate::bindings::cepa::middleware::flow,
                },
            });
            pub(crate) use self::exports::cepa::middleware::$export::Guest;
        }
    )+};
}

worlds! {
    on_reply "cepa:sdk/export-on-reply"
    on_reasoning "cepa:sdk/export-on-reasoning"
    on_model_call "cepa:sdk/export-on-model-call"
    on_acting "cepa:sdk/export-on-acting"
    on_compress_context "cepa:sdk/export-on-compress-context"
    on_check_permission "cepa:sdk/export-on-check-permission"
    on_system_prompt "cepa:sdk/export-on-system-prompt"
    on_events "cepa:sdk/export-on-events"
    on_draft "cepa:sdk/export-on-draft"
    tool_source "cepa:sdk/export-tool-source"
    on_turn_end "cepa:sdk/export-on-turn-end"
    migrate_state "cepa:sdk/export-migrate-state"
    configuration "cepa:sdk/export-configuration"
}
