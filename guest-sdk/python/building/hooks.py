"""Each export of the contract: the functions that the author writes for it, with their parameters."""

HOOKS: dict[str, dict[str, tuple[str, ...]]] = {
    "on-reply": {"on_reply": ("request", "next", "out")},
    "on-reasoning": {"on_reasoning": ("request", "next", "out")},
    "on-model-call": {"on_model_call": ("request", "next", "out")},
    "on-acting": {"on_acting": ("request", "next", "out")},
    "on-compress-context": {"on_compress_context": ("request", "next", "out")},
    "on-check-permission": {"on_check_permission": ("request", "next")},
    "on-system-prompt": {"on_system_prompt": ("prompt",)},
    "on-events": {"kinds": (), "on_events": ("events",)},
    "on-draft": {"on_draft": ("draft",)},
    "tool-source": {"list_tools": (), "call_tool": ("request", "out")},
    "on-turn-end": {"on_turn_end": ("turn",)},
    "migrate-state": {"migrate_state": ("from_config",)},
}
