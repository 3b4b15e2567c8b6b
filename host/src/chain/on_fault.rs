//! What the chain does when a layer breaks a rule.

use super::hook::HookKind;

/// What the chain does when a layer breaks a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFault {
    /// What fits the hook. The default: gates and transformers of content fail, so that nothing goes by unguarded, and
    /// the compression of the context is skipped, since the reply can do without.
    #[default]
    ByHook,
    /// The hook fails, and the outer layers see an error.
    Fail,
    /// The chain goes on without the layer. If it had run what is inside, that result is kept.
    Skip,
}

impl OnFault {
    /// Whether the chain goes on without the layer at this hook.
    ///
    /// An observer is always skipped: the reply is over. A tool never is: its call needs an answer.
    pub const fn skips(self, hook: HookKind) -> bool {
        match (self, hook) {
            (_, HookKind::TurnEnd) => true,
            (_, HookKind::ToolSource) => false,
            (Self::ByHook, hook) => matches!(hook, HookKind::CompressContext),
            (Self::Fail, _) => false,
            (Self::Skip, _) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_skipped_by_policy_and_hook() {
        let skipped = |policy: OnFault| {
            let hooks = HookKind::ALL.into_iter().filter(|hook| policy.skips(*hook));
            hooks.map(HookKind::name).collect::<Vec<_>>()
        };
        assert_eq!(skipped(OnFault::default()), ["on-compress-context", "on-turn-end"]);
        assert_eq!(skipped(OnFault::Fail), ["on-turn-end"]);
        let kept = HookKind::ALL.into_iter().filter(|hook| !OnFault::Skip.skips(*hook));
        assert_eq!(kept.map(HookKind::name).collect::<Vec<_>>(), ["tool-source"]);
    }
}
