//! The process dies at every write in turn; the next one finds the session whole and goes on.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use cepa::agent::{Agent, AgentError, Answer};
use cepa::event::Outcome;
use cepa::message::ToolState;
use cepa::request::ToolResponse;
use cepa::session::testing::FailingSessions;
use cepa::session::{CallState, MemorySessions, ReplyStatus, SessionData, SessionStore, SqliteSessions};
use cepa::world::TestWorld;
use serde_json::json;

use crate::rig::{
    Double, Say, Script, agent, ask_before, assert_whole, call, calls, says, stored, stored_in, text, told,
};

/// How often each call began and ended, over all processes.
type Book = Arc<Mutex<HashMap<String, (u32, u32)>>>;

fn counted(name: &str, book: &Book) -> Double {
    let book = Arc::clone(book);
    Double::new(name, move |invocation, _| {
        let book = Arc::clone(&book);
        async move {
            book.lock().unwrap().entry(invocation.call_id.clone()).or_default().0 += 1;
            tokio::task::yield_now().await;
            book.lock().unwrap().entry(invocation.call_id.clone()).or_default().1 += 1;
            Ok(ToolResponse::text_answer(ToolState::Success, "ok"))
        }
    })
}

/// A model for what is left of the scenario: it looks at the conversation and says what comes next.
fn script(session: &SessionData) -> Arc<Script> {
    let all = [
        Say::Blocks(
            vec![
                text("First these."),
                call("c1", "look", &json!({"x": 1})),
                call("c2", "look", &json!({"x": 2})),
                call("c3", "alone", &json!({"x": 3})),
            ],
            cepa::message::FinishReason::ToolCalls,
        ),
        calls([
            call("c4", "write", &json!({"x": 4})),
            call("c5", "look", &json!({"x": 5})),
            call("c6", "far", &json!({"x": 6})),
        ]),
        says("All done."),
    ];
    let asked = session.messages.iter().filter(|message| message.tool_calls().next().is_some()).count();
    Script::new(all.into_iter().skip(asked))
}

async fn process(sessions: Arc<dyn SessionStore>, book: &Book) -> Agent {
    let session = stored_in(&*sessions).await;
    agent(&script(&session))
        .tool(Arc::new(counted("look", book)))
        .tool(Arc::new(counted("alone", book).alone()))
        .tool(Arc::new(counted("write", book)))
        .tool(Arc::new(counted("far", book).external()))
        .permissions(ask_before(&["write"]))
        .sessions(sessions)
        .world(Arc::new(TestWorld::new(u64::try_from(session.messages.len()).unwrap() * 2 + 101)))
        .build()
        .await
        .unwrap()
}

fn answers(session: &SessionData) -> Vec<Answer> {
    session
        .open_calls
        .iter()
        .filter_map(|open| {
            let call_id = open.call.id.clone();
            match open.state {
                CallState::Asking => Some(Answer::Approve { call_id }),
                CallState::Submitted => Some(Answer::Result {
                    call_id,
                    content: vec![cepa::message::ResultPart::text("from afar")],
                    state: ToolState::Success,
                }),
                _ => None,
            }
        })
        .collect()
}

/// Takes the scenario as far as it goes. An error is the death of the process.
async fn live(agent: &Agent, store: &dyn SessionStore) -> Result<bool, AgentError> {
    loop {
        let session = stored_in(store).await;
        let stream = match session.reply.as_ref().map(|reply| reply.status) {
            None => agent.reply("s", "Do it all").await?,
            Some(ReplyStatus::Ended) => return Ok(true),
            Some(ReplyStatus::Parked) => agent.resume("s", answers(&session)).await?,
            Some(ReplyStatus::Running) => agent.resume("s", Vec::new()).await?,
        };
        let result = told(stream).await.result;
        if result.response.outcome == Outcome::Failed {
            return Ok(false);
        }
    }
}

fn assert_nothing_lost(session: &SessionData, book: &Book) {
    assert_whole(session);
    for (id, (begun, ended)) in &*book.lock().unwrap() {
        assert!(*begun <= 1, "call `{id}` began {begun} times and ended {ended} times");
    }
}

/// Where the sessions of the dying process are, and how the next one finds them.
enum Place {
    Memory(Arc<dyn SessionStore>),
    File(tempfile::TempDir),
}

impl Place {
    fn memory() -> Self {
        Self::Memory(Arc::new(MemorySessions::default()))
    }

    fn file() -> Self {
        Self::File(tempfile::tempdir().unwrap())
    }

    /// The store as a process opens it.
    async fn open(&self) -> Arc<dyn SessionStore> {
        match self {
            Self::Memory(store) => Arc::clone(store),
            Self::File(folder) => {
                Arc::new(SqliteSessions::open(folder.path().join("sessions.db")).await.unwrap())
            }
        }
    }
}

/// Lives until write `n`, then goes on in a new process. Says whether the first one came to the end by itself.
async fn die_at(n: u32, place: Place) -> bool {
    let store = place.open().await;
    let book = Book::default();
    let failing = Arc::new(FailingSessions::new(Arc::clone(&store), n));
    let first = process(Arc::clone(&failing) as Arc<dyn SessionStore>, &book).await;
    let lived = live(&first, &*store).await;
    drop((first, store));
    let store = place.open().await;
    let session = stored_in(&*store).await;
    assert_nothing_lost(&session, &book);
    if !failing.is_dead() {
        assert!(matches!(lived, Ok(true)));
    }

    let second = process(Arc::clone(&store), &book).await;
    assert!(
        live(&second, &*store).await.expect("the second process goes on"),
        "it comes to the end after {n}"
    );
    let session = stored_in(&*store).await;
    assert_nothing_lost(&session, &book);
    assert_eq!(session.messages.first().map(cepa::message::Message::text).as_deref(), Some("Do it all"));
    assert_eq!(session.messages.last().map(cepa::message::Message::text).as_deref(), Some("All done."));
    assert!(session.open_calls.is_empty());
    let results = session.messages.iter().flat_map(cepa::message::Message::tool_results);
    for result in results {
        let ran = book.lock().unwrap().get(&result.call_id).copied().unwrap_or_default();
        match result.state {
            ToolState::Success => assert!(ran == (1, 1) || result.call_id == "c6", "{result:?} ran {ran:?}"),
            ToolState::Interrupted => assert!(ran.0 <= 1),
            other => panic!("{other:?} of {result:?}"),
        }
    }
    !failing.is_dead()
}

#[tokio::test]
async fn a_process_that_dies_at_any_write_is_taken_over() {
    let mut n = 0;
    while !die_at(n, Place::memory()).await {
        n += 1;
    }
    assert!(n > 15, "the scenario has {n} writes");
}

#[tokio::test]
async fn the_same_holds_for_sessions_in_a_file() {
    let mut n = 0;
    while !die_at(n, Place::file()).await {
        n += 1;
    }
    assert!(n > 15, "the scenario has {n} writes");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_same_holds_on_several_threads() {
    for place in [Place::memory, Place::file] {
        let mut n = 0;
        while !die_at(n, place()).await {
            n += 1;
        }
    }
}

#[tokio::test]
async fn new_input_after_a_death_closes_what_was_open() {
    for place in [Place::memory, Place::file] {
        let mut n = 1;
        while new_input_after(n, place()).await {
            n += 1;
        }
        assert!(n > 15, "the scenario has {n} writes");
    }
}

/// Lives until write `n`, then asks for something else in a new process. `false` when the first one did not die.
async fn new_input_after(n: u32, place: Place) -> bool {
    let store = place.open().await;
    let book = Book::default();
    let failing = Arc::new(FailingSessions::new(Arc::clone(&store), n));
    let first = process(Arc::clone(&failing) as Arc<dyn SessionStore>, &book).await;
    let _ = live(&first, &*store).await;
    drop((first, store));
    if !failing.is_dead() {
        return false;
    }
    let model = Script::new([says("A new day.")]);
    let world = Arc::new(TestWorld::new(99));
    let second = agent(&model).sessions(place.open().await).world(world).build().await.unwrap();
    let input = cepa::agent::ReplyInput { discard_pending: true, ..cepa::agent::ReplyInput::from("Hello?") };
    let told = told(second.reply("s", input).await.unwrap()).await;
    let session = stored(&second).await;
    crate::rig::assert_sound(&told, &session);
    assert_nothing_lost(&session, &book);
    assert_eq!(told.result.response.text(), "A new day.");
    assert!(session.open_calls.is_empty());
    true
}
