//! The hooks that a component exports: where they are, and that they have the types of the contract.

use wasmtime::component::InstancePre;

use crate::chain::{HookKind, HookSet};

use super::bindings::exports::cepa::middleware as exports;
use super::instance::GuestInstance;
use super::store::GuestState;

/// Where a component's hooks are, looked up once.
#[derive(Clone)]
pub(super) struct HookIndices {
    pub(super) on_reply: Option<exports::on_reply::GuestIndices>,
    pub(super) on_reasoning: Option<exports::on_reasoning::GuestIndices>,
    pub(super) on_model_call: Option<exports::on_model_call::GuestIndices>,
    pub(super) on_acting: Option<exports::on_acting::GuestIndices>,
    pub(super) on_compress_context: Option<exports::on_compress_context::GuestIndices>,
    pub(super) on_check_permission: Option<exports::on_check_permission::GuestIndices>,
    pub(super) on_system_prompt: Option<exports::on_system_prompt::GuestIndices>,
    pub(super) on_events: Option<exports::on_events::GuestIndices>,
    pub(super) on_draft: Option<exports::on_draft::GuestIndices>,
    pub(super) tool_source: Option<exports::tool_source::GuestIndices>,
    pub(super) on_turn_end: Option<exports::on_turn_end::GuestIndices>,
    pub(super) migrate_state: Option<exports::migrate_state::GuestIndices>,
    pub(super) configuration: Option<exports::configuration::GuestIndices>,
}

impl HookIndices {
    /// The indices of the hooks in the set, and of what a component exports besides.
    pub(super) fn find(
        pre: &InstancePre<GuestState>,
        hooks: HookSet,
        migrates: bool,
        configuration: bool,
    ) -> wasmtime::Result<Self> {
        macro_rules! find {
            ($kind:ident, $module:ident) => {
                if hooks.contains(HookKind::$kind) {
                    Some(exports::$module::GuestIndices::new(pre)?)
                } else {
                    None
                }
            };
        }
        Ok(Self {
            on_reply: find!(Reply, on_reply),
            on_reasoning: find!(Reasoning, on_reasoning),
            on_model_call: find!(ModelCall, on_model_call),
            on_acting: find!(Acting, on_acting),
            on_compress_context: find!(CompressContext, on_compress_context),
            on_check_permission: find!(CheckPermission, on_check_permission),
            on_system_prompt: find!(SystemPrompt, on_system_prompt),
            on_events: find!(Events, on_events),
            on_draft: find!(Draft, on_draft),
            tool_source: find!(ToolSource, tool_source),
            on_turn_end: find!(TurnEnd, on_turn_end),
            migrate_state: if migrates {
                Some(exports::migrate_state::GuestIndices::new(pre)?)
            } else {
                None
            },
            configuration: if configuration {
                Some(exports::configuration::GuestIndices::new(pre)?)
            } else {
                None
            },
        })
    }
}

/// The hooks of an instance that have been called before.
#[derive(Default)]
pub(super) struct LoadedHooks {
    pub(super) on_reply: Option<exports::on_reply::Guest>,
    pub(super) on_reasoning: Option<exports::on_reasoning::Guest>,
    pub(super) on_model_call: Option<exports::on_model_call::Guest>,
    pub(super) on_acting: Option<exports::on_acting::Guest>,
    pub(super) on_compress_context: Option<exports::on_compress_context::Guest>,
    pub(super) on_check_permission: Option<exports::on_check_permission::Guest>,
    pub(super) on_system_prompt: Option<exports::on_system_prompt::Guest>,
    pub(super) on_events: Option<exports::on_events::Guest>,
    pub(super) on_draft: Option<exports::on_draft::Guest>,
    pub(super) tool_source: Option<exports::tool_source::Guest>,
    pub(super) on_turn_end: Option<exports::on_turn_end::Guest>,
    pub(super) migrate_state: Option<exports::migrate_state::Guest>,
    pub(super) configuration: Option<exports::configuration::Guest>,
}

/// The guest of a hook: loaded at its first call, with its types checked.
macro_rules! hook_guest {
    ($instance:expr, $field:ident) => {{
        let guest = &mut *$instance;
        if guest.loaded.$field.is_none() {
            let Some(index) = &guest.indices.$field else {
                return Err(wasmtime::format_err!("the component does not export this hook"));
            };
            guest.loaded.$field = Some(index.load(&mut guest.store, &guest.instance)?);
        }
        match &guest.loaded.$field {
            Some(loaded) => loaded.clone(),
            None => return Err(wasmtime::format_err!("the component does not export this hook")),
        }
    }};
}
pub(super) use hook_guest;

/// Checks that a component's hooks have the types of the contract, and asks for its configuration's schema.
pub(super) async fn check_hooks(guest: &mut GuestInstance) -> wasmtime::Result<Option<String>> {
    macro_rules! check {
        ($($field:ident),+) => {
            $(if guest.indices.$field.is_some() {
                let _ = hook_guest!(guest, $field);
            })+
        };
    }
    check!(
        on_reply,
        on_reasoning,
        on_model_call,
        on_acting,
        on_compress_context,
        on_check_permission,
        on_system_prompt,
        on_events,
        on_draft,
        tool_source,
        on_turn_end,
        migrate_state
    );
    if guest.indices.configuration.is_none() {
        return Ok(None);
    }
    let configuration = hook_guest!(guest, configuration);
    configuration.call_schema(&mut guest.store).await.map(Some)
}
