/** Each export of the contract: the functions that the author writes for it, with their parameters. */
export const HOOKS = {
  "on-reply": { onReply: ["request", "next", "out"] },
  "on-reasoning": { onReasoning: ["request", "next", "out"] },
  "on-model-call": { onModelCall: ["request", "next", "out"] },
  "on-acting": { onActing: ["request", "next", "out"] },
  "on-compress-context": { onCompressContext: ["request", "next", "out"] },
  "on-check-permission": { onCheckPermission: ["request", "next"] },
  "on-system-prompt": { onSystemPrompt: ["prompt"] },
  "on-events": { kinds: [], onEvents: ["events"] },
  "on-draft": { onDraft: ["draft"] },
  "tool-source": { listTools: [], callTool: ["request", "out"] },
  "on-turn-end": { onTurnEnd: ["turn"] },
  "migrate-state": { migrateState: ["fromConfig"] },
};
