//! What all parts of one running reply share.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use parking_lot::{Mutex, MutexGuard};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::chain::{Chain, Ledger, ReplyContext};
use crate::message::{Block, ToolChoice, ToolDefinition};
use crate::services::Services;
use crate::session::ReplyRecord;

use super::Inner;
use super::board::SharedBoard;
use super::conversation::Conversation;
use super::enter::Start;
use super::lineup::Seat;
use super::services::ReplyServices;
use super::spending::Spending;
use super::sub_agents::Roster;

/// One reply while it runs.
pub(super) struct Turn {
    pub(super) agent: Arc<Inner>,
    pub(super) lineup: Seat,
    pub(super) context: Arc<ReplyContext>,
    pub(super) chain: Chain,
    pub(super) conversation: Arc<Conversation>,
    pub(super) board: SharedBoard,
    pub(super) spending: Spending,
    /// Whether the loop is over: what of it still runs says nothing more.
    pub(super) over: Arc<AtomicBool>,
    pub(super) steps: AtomicU32,
    pub(super) tool_calls: AtomicU32,
    /// The agents that its layers may run.
    pub(super) roster: Arc<Roster>,
    /// The runs of sub-agents that have not ended.
    pub(super) runs: TaskTracker,
    /// How many runs were begun, in whichever of the replies that stand inside one another.
    pub(super) begun_runs: Arc<AtomicU32>,
    /// The reply whose layer runs this one, if one does.
    pub(super) outer: Option<Arc<Self>>,
    memo: Mutex<Memo>,
}

/// What a sub-agent's run stands inside of.
pub(super) struct Outer {
    /// The reply whose layer runs it.
    pub(super) turn: Arc<Turn>,
    /// Whether it goes on in a thread that there must be.
    pub(super) continues: bool,
    /// Aborts the run alone; cancelled with that reply.
    pub(super) cancel: CancellationToken,
}

/// What changes in the course of a reply and is not stored.
#[derive(Default)]
struct Memo {
    /// What the model that answered last was offered.
    offered: Arc<Vec<ToolDefinition>>,
    /// What each model call of the running step was offered, by its id.
    offers: HashMap<String, Arc<Vec<ToolDefinition>>>,
    /// What layers withhold.
    withheld: HashSet<String>,
    /// The final content that the layers' review let through.
    accepted: Option<Vec<Block>>,
    /// The ids of the messages that are the reply's input.
    input: Vec<String>,
    /// What the first run of the loop began with; absent before it.
    start: Option<Start>,
}

impl Turn {
    /// A reply whose begin is stored; `input` are the ids of its new messages.
    pub(super) fn new(
        agent: Arc<Inner>,
        lineup: Seat,
        record: &ReplyRecord,
        conversation: Arc<Conversation>,
        input: Vec<String>,
        outer: Option<Outer>,
    ) -> Arc<Self> {
        let (outer, cancel) = match outer {
            Some(Outer { turn, cancel, .. }) => (Some(turn), cancel),
            None => (None, CancellationToken::new()),
        };
        let around = outer.as_deref();
        let roster = Arc::clone(around.map_or(&agent.roster, |outer| &outer.roster));
        let begun_runs = around.map_or_else(Arc::default, |outer| Arc::clone(&outer.begun_runs));
        let services =
            Arc::new(ReplyServices::new(Arc::clone(&agent), lineup.lineup(), Arc::clone(&conversation)));
        let context = ReplyContext::builder(conversation.session_id(), &record.id)
            .agent_name(&agent.name)
            .actor(record.actor.clone())
            .cancel(cancel)
            .services(Arc::clone(&services) as Arc<dyn Services>)
            .world(Arc::clone(&agent.world))
            .ledger(Arc::new(Ledger::keeping()))
            .telemetry(agent.telemetry.clone())
            .build();
        let chain = lineup.open(Arc::clone(&context));
        let memo = Memo { offered: lineup.tools.catalogue(), input, ..Memo::default() };
        let turn = Arc::new(Self {
            agent,
            lineup,
            context,
            chain,
            spending: Spending::new(Arc::clone(&conversation), outer.clone()),
            conversation,
            board: SharedBoard::default(),
            over: Arc::default(),
            steps: AtomicU32::new(record.step),
            tool_calls: AtomicU32::new(0),
            roster,
            runs: TaskTracker::new(),
            begun_runs,
            outer,
            memo: Mutex::new(memo),
        });
        services.serve(&turn);
        turn
    }

    pub(super) fn is_aborted(&self) -> bool {
        self.context.cancel.is_cancelled()
    }

    /// How many replies this one stands inside of.
    pub(super) fn depth(&self) -> u32 {
        self.outer.as_ref().map_or(0, |outer| outer.depth() + 1)
    }

    /// The steps begun.
    pub(super) fn step(&self) -> u32 {
        self.steps.load(Ordering::SeqCst)
    }

    /// What the model that answered last was offered; before the first answer in this process, every tool.
    pub(super) fn offered(&self) -> Arc<Vec<ToolDefinition>> {
        Arc::clone(&self.memo().offered)
    }

    /// A step asks with this offer. It holds if layers answer without a model.
    pub(super) fn set_offered(&self, tools: Arc<Vec<ToolDefinition>>, choice: &ToolChoice) {
        let mut memo = self.memo();
        memo.offered = callable(tools, choice);
        memo.offers.clear();
    }

    /// A model is asked with this offer: layers may have changed it, and may ask several times.
    pub(super) fn note_offer(&self, id: &str, tools: Arc<Vec<ToolDefinition>>, choice: &ToolChoice) {
        let mut memo = self.memo();
        memo.offered = callable(tools, choice);
        let offered = Arc::clone(&memo.offered);
        memo.offers.insert(id.to_owned(), offered);
    }

    /// This model call gave the step's answer: what it was offered can be called. An answer that a layer made itself is
    /// held to what was offered last.
    pub(super) fn settle_offer(&self, id: &str) {
        let mut memo = self.memo();
        if let Some(offered) = memo.offers.get(id).cloned() {
            memo.offered = offered;
        }
    }

    /// The names of the tools to be offered next, in the catalogue's order.
    pub(super) fn offers(&self) -> Vec<String> {
        let memo = self.memo();
        let all = self.lineup.tools.catalogue();
        all.iter().filter(|tool| !memo.withheld.contains(&tool.name)).map(|tool| tool.name.clone()).collect()
    }

    pub(super) fn set_withheld(&self, name: &str, withheld: bool) {
        let mut memo = self.memo();
        if withheld {
            memo.withheld.insert(name.to_owned());
        } else {
            memo.withheld.remove(name);
        }
    }

    /// Remembers what the review let through.
    pub(super) fn accept(&self, content: Vec<Block>) {
        self.memo().accepted = Some(content);
    }

    /// Whether the review let just this through.
    pub(super) fn is_accepted(&self, content: &[Block]) -> bool {
        self.memo().accepted.as_deref() == Some(content)
    }

    /// The ids of the messages that are the reply's input.
    pub(super) fn input(&self) -> Vec<String> {
        self.memo().input.clone()
    }

    pub(super) fn set_input(&self, ids: Vec<String>) {
        self.memo().input = ids;
    }

    /// What the first run of the loop began with; absent before it.
    pub(super) fn start(&self) -> Option<Start> {
        self.memo().start.clone()
    }

    pub(super) fn set_start(&self, start: Start) {
        self.memo().start = Some(start);
    }

    /// Lets these messages stay when the loop is begun again.
    pub(super) fn keep(&self, ids: impl IntoIterator<Item = String>) {
        if let Some(start) = &mut self.memo().start {
            start.kept.extend(ids);
        }
    }

    fn memo(&self) -> MutexGuard<'_, Memo> {
        self.memo.lock()
    }
}

/// What of an offer can be called.
fn callable(tools: Arc<Vec<ToolDefinition>>, choice: &ToolChoice) -> Arc<Vec<ToolDefinition>> {
    if *choice == ToolChoice::None { Arc::default() } else { tools }
}
