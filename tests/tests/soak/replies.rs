//! What is asked, and what each reply comes to.

use cepa::agent::{Agent, Answer, ReplyInput, ReplyItem};
use cepa::chain::NoteKind;
use cepa::event::{Event, Outcome};
use cepa::message::{ResultPart, ToolState};
use cepa_tests::agent::{Told, told};

/// What is done about a reply, and what it comes to.
#[derive(Clone, Copy)]
enum Then {
    /// It is read to its end, which is this one.
    Ends(Outcome),
    /// So it is, and a layer broke a rule for this cause.
    Faults(Outcome, &'static str),
    /// It is aborted once it waits.
    Aborted,
    /// Nobody listens any more once it waits.
    GivenUp,
    /// It parks, and somebody outside brings the result.
    Resumed,
    /// It parks, and the next input gives the call up.
    Discarded,
}

use Outcome::{Failed, Replied};
use Then::{Aborted, Discarded, Ends, Faults, GivenUp, Resumed};

/// What each session says, one after the other.
const TALK: [(&str, Then); 22] = [
    ("Hello.", Ends(Replied)),
    ("first:trap", Faults(Replied, "the guest gave up")),
    ("first:panic", Faults(Replied, "in no mood")),
    ("please remember", Ends(Replied)),
    ("first:late", Faults(Replied, "in no mood any more")),
    ("first:spin", Faults(Replied, "limit `cpu` reached")),
    ("please look", Resumed),
    ("first:hoard", Faults(Replied, "limit `memory` reached")),
    ("first:refuse", Ends(Failed)),
    ("please wait", Aborted),
    ("Hello again.", Ends(Replied)),
    ("second:trap", Faults(Failed, "the guest gave up")),
    ("please break", Ends(Replied)),
    ("second:late", Faults(Failed, "in no mood any more")),
    ("please hang", Aborted),
    ("second:hoard", Faults(Failed, "limit `memory` reached")),
    ("please wait", GivenUp),
    ("please look", Discarded),
    ("last:nap", Faults(Replied, "limit `wall` reached")),
    ("please fail", Ends(Failed)),
    ("please hang", GivenUp),
    ("second:refuse", Ends(Failed)),
];

/// How many replies one session has in a round, those that go on with a parked one included.
pub(crate) const REPLIES_EACH: usize = TALK.len() + 2;

/// All of it, in one session.
pub(crate) async fn talk(agent: Agent, session: String) {
    for (turn, (text, then)) in TALK.into_iter().enumerate() {
        match then {
            Ends(outcome) => {
                let told = ask(&agent, &session, text).await;
                assert_eq!(told.result.response.outcome, outcome, "{text}: {told:#?}");
            }
            Faults(outcome, cause) => {
                let told = ask(&agent, &session, text).await;
                assert_eq!(told.result.response.outcome, outcome, "{text}: {told:#?}");
                assert!(faulted(&told, cause), "{text}: {told:#?}");
            }
            Aborted => {
                let mut stream = agent.reply(session.as_str(), text).await.expect("the reply begins");
                while !waits(text, &stream.next().await.expect("it waits some time")) {}
                stream.abort();
                assert_eq!(told(stream).await.result.response.outcome, Outcome::Aborted, "{text}");
            }
            GivenUp => {
                // In a session of its own, which nobody has to wait for.
                let apart = format!("{session}-{turn}");
                let mut stream = agent.reply(apart, text).await.expect("the reply begins");
                while !waits(text, &stream.next().await.expect("it waits some time")) {}
            }
            Resumed => {
                let call_id = parked(&agent, &session, text).await;
                let content = vec![ResultPart::text("seen")];
                let answer = Answer::Result { call_id, content, state: ToolState::Success };
                let stream = agent.resume(session.as_str(), vec![answer]).await.expect("the reply goes on");
                assert_eq!(told(stream).await.result.response.outcome, Replied, "{text}");
            }
            Discarded => {
                parked(&agent, &session, text).await;
                let input = ReplyInput { discard_pending: true, ..ReplyInput::from("Never mind.") };
                let stream = agent.reply(session.as_str(), input).await.expect("the reply begins");
                assert_eq!(told(stream).await.result.response.outcome, Replied, "{text}");
            }
        }
    }
}

async fn ask(agent: &Agent, session: &str, text: &str) -> Told {
    told(agent.reply(session, text).await.expect("the reply begins")).await
}

/// Has a reply park, and gives the call that waits.
async fn parked(agent: &Agent, session: &str, text: &str) -> String {
    let told = ask(agent, session, text).await;
    assert_eq!(told.result.response.outcome, Outcome::Parked, "{text}: {told:#?}");
    told.result.pending.first().expect("a call waits").call.id.clone()
}

/// Whether a layer broke a rule for this cause.
fn faulted(told: &Told, cause: &str) -> bool {
    told.marks().iter().any(|note| match &note.kind {
        NoteKind::Fault { cause: found, .. } | NoteKind::Skipped { cause: found, .. } => {
            found.contains(cause)
        }
        _ => false,
    })
}

/// Whether the model is asked that does not answer this, or the tool is called that never ends.
fn waits(text: &str, item: &ReplyItem) -> bool {
    match item {
        ReplyItem::Event(Event::ModelCallStart { .. }) => text == "please wait",
        ReplyItem::Event(Event::ToolResultText { .. }) => text == "please hang",
        _ => false,
    }
}
