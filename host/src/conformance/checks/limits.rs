//! Heavy replies stay within the layer's limits.

use crate::conformance::chunked::Cuts;
use crate::conformance::finding::{Finding, Outcome, Said};
use crate::conformance::game::{Game, ask, has_turn_end};
use crate::conformance::kit::Kit;
use crate::conformance::rig::{Rig, Setup};
use crate::conformance::scenes;
use crate::conformance::seen::Seen;
use crate::message::Message;
use crate::policy::{Bound, Limits};

/// Messages of the long conversation.
const HISTORY: usize = 2_000;
/// Bytes of the long message.
const LONG: usize = 1 << 20;
/// How many tools a model has with many.
const TOOLS: u32 = 64;
/// Pieces of the answer in many pieces.
const PIECES: usize = 10_000;

pub(super) async fn check(kit: &Kit) -> Outcome {
    let limits = &kit.subject.around.limits;
    let mut most: Vec<Use> = Vec::new();
    for heavy in [Heavy::History, Heavy::Message, Heavy::Tools, Heavy::Pieces] {
        let name = heavy.name();
        let seen = heavy.play(kit).await.map_err(|finding| finding.within(name))?;
        seen.in_order(has_turn_end(&kit.subject)).map_err(|finding| finding.within(name))?;
        uses(&seen, limits).into_iter().for_each(|used| raise(&mut most, used));
    }
    let shares: Vec<String> =
        most.iter().map(|used| format!("`{}` {:.1} %", used.limit, used.share() * 100.0)).collect();
    let notes = if shares.is_empty() { Vec::new() } else { vec![format!("at most {}", shares.join(", "))] };
    let said = format!("{HISTORY} messages, a message of {LONG} bytes, {TOOLS} tools, {PIECES} pieces");
    Ok(Said::Pass(said, notes))
}

/// Keeps the largest use of each limit.
fn raise(most: &mut Vec<Use>, used: Use) {
    match most.iter_mut().find(|known| known.limit == used.limit) {
        Some(known) if known.used < used.used => *known = used,
        Some(_) => {}
        None => most.push(used),
    }
}

#[derive(Clone, Copy)]
enum Heavy {
    History,
    Message,
    Tools,
    Pieces,
}

impl Heavy {
    fn name(self) -> &'static str {
        match self {
            Self::History => "a long conversation",
            Self::Message => "a long message",
            Self::Tools => "many tools",
            Self::Pieces => "an answer in many pieces",
        }
    }

    async fn play(self, kit: &Kit) -> Result<Seen, Finding> {
        let (scene, cuts) = match self {
            Self::Pieces => {
                (scenes::saying(self.name(), &"abcdefghi ".repeat(PIECES / 10))?, Cuts::Everywhere)
            }
            _ => (scenes::saying(self.name(), "Noted.")?, Cuts::None),
        };
        let setup = self.setup(Game::new(&kit.subject, &scene).cuts(cuts).setup());
        let prompt =
            if matches!(self, Self::Message) { "ten bytes ".repeat(LONG / 10) } else { "Hello".to_owned() };
        ask(&kit.subject, &Rig::build(&kit.subject, setup).await?, &prompt).await
    }

    fn setup(self, setup: Setup) -> Setup {
        match self {
            Self::History => setup.history(history()),
            Self::Tools => setup.spare_tools(TOOLS),
            Self::Message | Self::Pieces => setup,
        }
    }
}

fn history() -> Vec<Message> {
    let message = |number: usize| {
        let text = format!("message {number}");
        let message = if number.is_multiple_of(2) { Message::user(text) } else { Message::assistant(text) };
        Message { id: format!("m{number}"), ..message }
    };
    (0..HISTORY).map(message).collect()
}

/// What was used of a limit.
struct Use {
    limit: &'static str,
    used: u64,
    allowed: u64,
}

impl Use {
    /// From 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "a share of which one digit is shown")]
    fn share(&self) -> f64 {
        self.used as f64 / self.allowed.max(1) as f64
    }
}

/// What each hook used of each limit that is measured. All its calls in the reply are taken together, so that one call
/// used that much at most.
fn uses(seen: &Seen, limits: &Limits) -> Vec<Use> {
    let bounds = limits.each();
    let allowed = |limit: &str| {
        let (_, bound) = bounds.iter().find(|(name, _)| *name == limit)?;
        Some(match *bound {
            Bound::Count(count) => u64::from(count),
            Bound::Bytes(bytes) => bytes,
            Bound::Time(time) => u64::try_from(time.as_micros()).unwrap_or(u64::MAX),
        })
    };
    let spent = seen.result.layers.iter().flat_map(|(_, _, line)| {
        let spent = &line.spent;
        [
            ("memory", spent.memory_peak),
            ("cpu", spent.cpu_micros),
            ("wall", spent.own_micros),
            ("bytes-copied", spent.bytes_copied),
            ("host-calls", spent.host_calls),
            ("events", spent.events),
            ("event-bytes", spent.event_bytes),
            ("log", spent.log_bytes),
            ("state", spent.state_bytes),
        ]
    });
    spent.filter_map(|(limit, used)| Some(Use { limit, used, allowed: allowed(limit)? })).collect()
}
