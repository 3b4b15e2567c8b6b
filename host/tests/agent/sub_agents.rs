//! Runs of sub-agents: a thread of their own, counted and aborted with the reply around them.

mod given_up;
mod many;
mod rules;
mod threads;

use std::sync::{Arc, Mutex};

use cepa::agent::{Agent, AgentBuilder, BuildError, ReplyItem};
use cepa::chain::{ChainEntry, HookFuture, HookKind, Layer, Next, NoteKind, Reply, Sink};
use cepa::error::{Error, ErrorKind};
use cepa::event::{Event, Outcome};
use cepa::message::Usage;
use cepa::model::Model;
use cepa::request::{ReplyRequest, ReplyResponse};
use cepa::services::{AgentCall, AgentRun, Services};
use cepa::session::{MemorySessions, ReplyStatus, SessionStore};
use futures::future::BoxFuture;
use serde_json::json;

use crate::rig::{
    Double, Say, Script, Told, agent, ask, ask_before, call, calls, line, opened, says, stored, text, told,
};

type Deed = dyn Fn(Arc<dyn Services>) -> BoxFuture<'static, Result<(), Error>> + Send + Sync;

/// Does something before each reply runs.
struct Boss {
    deed: Arc<Deed>,
    services: Arc<dyn Services>,
}

impl Layer for Boss {
    fn on_reply(
        self: Arc<Self>,
        request: ReplyRequest,
        mut next: Next<Reply>,
        _out: Sink,
    ) -> HookFuture<ReplyResponse> {
        Box::pin(async move {
            (self.deed)(Arc::clone(&self.services)).await?;
            Ok(next.run(request).await?)
        })
    }
}

fn boss<F, R>(name: &'static str, deed: F) -> ChainEntry
where
    F: Fn(Arc<dyn Services>) -> R + Send + Sync + 'static,
    R: Future<Output = Result<(), Error>> + Send + 'static,
{
    let deed: Arc<Deed> = Arc::new(move |services| Box::pin(deed(services)));
    opened(name, &[HookKind::Reply], move |reply| Boss {
        deed: Arc::clone(&deed),
        services: Arc::clone(&reply.services),
    })
}

/// What runs came to, and the threads they are in.
#[derive(Clone, Default)]
struct Runs(Arc<Mutex<Vec<Result<AgentRun, Error>>>>);

impl Runs {
    fn all(&self) -> Vec<Result<AgentRun, Error>> {
        self.0.lock().unwrap().clone()
    }

    fn thread(&self) -> Option<String> {
        let runs = self.0.lock().unwrap();
        runs.iter().find_map(|run| run.as_ref().ok().map(|run| run.thread.clone()))
    }

    /// A layer that runs an agent in each reply, in the thread that `thread` gives, and keeps what came of it.
    fn layer(
        &self,
        name: &'static str,
        agent: &'static str,
        thread: impl Fn(&Self) -> Option<String> + Send + Sync + 'static,
    ) -> ChainEntry {
        let (runs, thread) = (self.clone(), Arc::new(thread));
        boss(name, move |services| {
            let (runs, thread) = (runs.clone(), thread(&runs));
            async move {
                let call = AgentCall { agent: agent.to_owned(), thread, prompt: "Find it.".to_owned() };
                let run = services.run_agent(name.to_owned(), call).await;
                runs.0.lock().unwrap().push(run);
                Ok(())
            }
        })
    }

    /// How each ended and what it answered, or why there was none.
    fn told(&self) -> Vec<String> {
        let told = |run: Result<AgentRun, Error>| match run {
            Ok(run) => format!("{:?} {:?}", run.response.outcome, run.response.text()),
            Err(error) => format!("{:?} {}", error.kind, error.message),
        };
        self.all().into_iter().map(told).collect()
    }
}

fn helper(model: &Arc<Script>) -> AgentBuilder {
    Agent::builder("helper")
        .system_prompt("You find things.")
        .model("small", Arc::clone(model) as Arc<dyn Model>)
}

fn answers() -> Arc<Script> {
    Script::new((0..9).map(|_| says("Done.")))
}

/// The sessions of the runs, as the operator is told of them.
fn sessions(told: &Told) -> Vec<String> {
    let notes = told.items.iter().filter_map(|item| match item {
        ReplyItem::Note(note) => Some(&note.kind),
        ReplyItem::Event(_) => None,
    });
    notes
        .filter_map(|kind| match kind {
            NoteKind::AgentRun { session_id, .. } => Some(session_id.clone()),
            _ => None,
        })
        .collect()
}

async fn conversation(agent: &Agent, session: &str) -> Vec<String> {
    let session = agent.sessions().load(session.to_owned()).await.unwrap();
    session.messages.iter().map(line).collect()
}

#[tokio::test]
async fn a_run_has_a_thread_of_its_own_that_can_be_continued() {
    let (outer, inner, runs) = (answers(), Script::new([says("Here."), says("And here.")]), Runs::default());
    let agent = agent(&outer)
        .sub_agent(helper(&inner))
        .middleware(runs.layer("boss", "helper", Runs::thread))
        .build()
        .await
        .unwrap();
    let first = ask(&agent, "Go").await;
    let second = ask(&agent, "Again").await;
    assert_eq!(runs.told(), [r#"Replied "Here.""#, r#"Replied "And here.""#]);
    assert_eq!(sessions(&first), sessions(&second));
    let thread = conversation(&agent, &sessions(&first)[0]).await;
    assert_eq!(thread, ["user: Find it.", "assistant: Here.", "user: Find it.", "assistant: And here."]);
    assert_eq!(
        conversation(&agent, "s").await,
        ["user: Go", "assistant: Done.", "user: Again", "assistant: Done."]
    );
    let prompts: Vec<_> = inner.asked().iter().map(|request| request.system_prompt.clone()).collect();
    assert_eq!(prompts, vec![Some("You find things.".to_owned()); 2]);
    let streamed = |event: &Event| matches!(event, Event::TextDelta { text, .. } if text.contains("ere."));
    assert!(!first.events.iter().any(streamed), "nothing of the run is streamed: {:?}", first.events);
}

#[tokio::test]
async fn threads_last_as_sessions_do() {
    let (sessions, runs) = (Arc::new(MemorySessions::default()), Runs::default());
    let thread = Runs::default();
    for say in ["Here.", "And here."] {
        let kept = thread.clone();
        let agent = agent(&answers())
            .sub_agent(helper(&Script::new([says(say)])))
            .middleware(runs.layer("boss", "helper", move |_| kept.thread()))
            .sessions(Arc::clone(&sessions) as Arc<dyn SessionStore>)
            .build()
            .await
            .unwrap();
        ask(&agent, "Go").await;
        *thread.0.lock().unwrap() = runs.all();
    }
    assert_eq!(runs.told(), [r#"Replied "Here.""#, r#"Replied "And here.""#]);
    let [Ok(first), Ok(second)] = &runs.all()[..] else { panic!("two runs: {:?}", runs.told()) };
    assert_eq!(first.thread, second.thread);
}

#[tokio::test]
async fn a_thread_belongs_to_a_layer_an_agent_and_a_session() {
    let runs = Runs::default();
    let own = runs.clone();
    let model = || Script::new((0..9).map(|_| says("Here.")));
    let other = Agent::builder("other").model("small", model() as Arc<dyn Model>);
    let agent = agent(&answers())
        .sub_agent(helper(&model()))
        .sub_agent(other)
        .middleware(runs.layer("boss", "helper", Runs::thread))
        .middleware(runs.layer("clerk", "helper", Runs::thread))
        .middleware(own.layer("boss-of-another", "other", Runs::thread))
        .build()
        .await
        .unwrap();
    ask(&agent, "Go").await;
    told(agent.reply("t", "Go").await.unwrap()).await;
    let refused =
        |agent| format!("NotFound agent `{agent}` has no such thread of this layer in this session");
    let in_another_session = [refused("helper"), refused("helper"), refused("other")];
    let mut wanted = vec![r#"Replied "Here.""#.to_owned(), refused("helper"), refused("other")];
    wanted.extend(in_another_session);
    assert_eq!(runs.told(), wanted);
}

#[tokio::test]
async fn tokens_of_a_run_count_in_the_reply_and_in_its_session() {
    let runs = Runs::default();
    let agent = agent(&answers())
        .sub_agent(helper(&Script::new([says("Here.")])))
        .middleware(runs.layer("boss", "helper", |_| None))
        .build()
        .await
        .unwrap();
    let told = ask(&agent, "Go").await;
    let price = Usage { input_tokens: Some(10), output_tokens: Some(2), ..Usage::default() };
    let both = Usage { input_tokens: Some(20), output_tokens: Some(4), ..Usage::default() };
    assert_eq!(told.result.response.usage, both);
    assert_eq!(runs.all()[0].as_ref().unwrap().response.usage, price);
    let usage = stored(&agent).await.usage;
    assert_eq!(usage, [("small".to_owned(), price.clone(), 1), ("main".to_owned(), price, 1)]);
}

#[tokio::test]
async fn an_agent_that_runs_itself_in_a_circle_is_refused() {
    let runs = Runs::default();
    let circle = helper(&answers()).middleware(runs.layer("inner", "helper", |_| None));
    let agent = agent(&answers())
        .sub_agent(circle)
        .middleware(runs.layer("boss", "helper", |_| None))
        .build()
        .await
        .unwrap();
    assert_eq!(ask(&agent, "Go").await.result.response.outcome, Outcome::Replied);
    let done = r#"Replied "Done.""#.to_owned();
    let refused = "Limit limit `agent-depth` reached: 5 of 4 allowed".to_owned();
    assert_eq!(runs.told(), [refused, done.clone(), done.clone(), done.clone(), done]);
}

#[tokio::test]
async fn an_abort_reaches_the_run_and_closes_its_calls() {
    let (begun, mut has_begun) = tokio::sync::mpsc::unbounded_channel();
    let hanging = Double::new("look", move |_, _| {
        begun.send(()).unwrap();
        std::future::pending()
    });
    let inner = Script::new([calls([call("c1", "look", &json!({"x": 1}))]), says("unused")]);
    let agent = agent(&answers())
        .sub_agent(helper(&inner).tool(Arc::new(hanging)))
        .middleware(Runs::default().layer("boss", "helper", |_| None))
        .build()
        .await
        .unwrap();
    let stream = agent.reply("s", "Go").await.unwrap();
    has_begun.recv().await.unwrap();
    stream.abort();
    let told = told(stream).await;
    assert_eq!(told.result.response.outcome, Outcome::Aborted);
    assert_eq!(told.result.response.usage.input_tokens, Some(10), "what the run had spent is counted");
    assert_eq!(stored(&agent).await.usage.len(), 1);
    let [session] = &sessions(&told)[..] else { panic!("one run") };
    assert_eq!(
        conversation(&agent, session).await,
        [
            "user: Find it.",
            "assistant: c1 = look({\"x\":1})",
            "tool: c1 Interrupted interrupted: the reply was aborted; it may or may not have taken effect",
        ]
    );
    let session = agent.sessions().load(session.clone()).await.unwrap();
    assert_eq!(session.reply.unwrap().status, ReplyStatus::Ended);
}

#[tokio::test]
async fn a_run_that_its_layer_gives_up_is_aborted_and_counted() {
    let inner = Script::new([Say::Hang(vec![text("Once upon")])]);
    let asked = Arc::clone(&inner);
    let impatient = boss("boss", move |services| {
        let asked = Arc::clone(&asked);
        async move {
            let call = AgentCall { agent: "helper".to_owned(), thread: None, prompt: "Find it.".to_owned() };
            let patience = async {
                while asked.asked().is_empty() {
                    tokio::task::yield_now().await;
                }
            };
            tokio::select! {
                _ = services.run_agent("boss".to_owned(), call) => panic!("the model hangs"),
                () = patience => Ok(()),
            }
        }
    });
    let agent = agent(&answers()).sub_agent(helper(&inner)).middleware(impatient).build().await.unwrap();
    let told = ask(&agent, "Go").await;
    assert_eq!(told.result.response.outcome, Outcome::Replied);
    assert_eq!(told.result.response.usage.input_tokens, Some(20));
    let [session] = &sessions(&told)[..] else { panic!("one run") };
    assert_eq!(conversation(&agent, session).await[0], "user: Find it.");
}

#[tokio::test]
async fn a_run_that_waits_for_a_person_says_so_and_is_given_up_by_the_next() {
    let runs = Runs::default();
    let inner = Script::new([calls([call("c1", "write", &json!({"x": 1}))]), says("Without it, then.")]);
    let agent = agent(&answers())
        .sub_agent(helper(&inner).tool(Arc::new(Double::echo("write"))).permissions(ask_before(&["write"])))
        .middleware(runs.layer("boss", "helper", Runs::thread))
        .build()
        .await
        .unwrap();
    let first = ask(&agent, "Go").await;
    assert_eq!(first.result.response.outcome, Outcome::Replied, "the reply around it does not wait");
    assert!(first.result.pending.is_empty());
    ask(&agent, "Again").await;
    assert_eq!(runs.told(), [r#"Parked """#, r#"Replied "Without it, then.""#]);
    let [session] = &sessions(&first)[..] else { panic!("one run") };
    let thread = conversation(&agent, session).await;
    assert!(
        thread.iter().any(|line| line.contains("the conversation went on without it; it did not run")),
        "{thread:#?}"
    );
}

#[tokio::test]
async fn what_can_not_be_run_is_an_error() {
    let runs = Runs::default();
    let broken = Error::new(ErrorKind::Connection, "the line was cut");
    let inner = Script::new([Say::Break(vec![text("I was")], broken)]);
    let nobody = runs.layer("nobody", "nobody", |_| None);
    let empty = {
        let runs = runs.clone();
        boss("empty", move |services| {
            let runs = runs.clone();
            async move {
                let call = AgentCall { agent: "helper".to_owned(), thread: None, prompt: " ".to_owned() };
                let run = services.run_agent("empty".to_owned(), call).await;
                runs.0.lock().unwrap().push(run);
                Ok(())
            }
        })
    };
    let agent = agent(&answers())
        .sub_agent(helper(&inner))
        .middleware(nobody)
        .middleware(empty)
        .middleware(runs.layer("boss", "helper", |_| None))
        .build()
        .await
        .unwrap();
    ask(&agent, "Go").await;
    let told = [
        "NotFound there is no agent `nobody`",
        "InvalidInput the prompt can't be used: it is empty",
        r#"Failed """#,
    ];
    assert_eq!(runs.told(), told);
    let run = runs.all().pop().unwrap().unwrap();
    assert_eq!(run.response.error.as_ref().unwrap().message, "the line was cut");
}

#[tokio::test]
async fn a_thread_runs_one_reply_at_a_time() {
    let runs = Runs::default();
    let inner = Script::new([says("Here."), says("And here.")]);
    let kept = runs.clone();
    let both = boss("boss", move |services| {
        let runs = kept.clone();
        async move {
            let call =
                |thread| AgentCall { agent: "helper".to_owned(), thread, prompt: "Find it.".to_owned() };
            let first = services.run_agent("boss".to_owned(), call(None)).await?;
            let again = || services.run_agent("boss".to_owned(), call(Some(first.thread.clone())));
            let (one, other) = tokio::join!(again(), again());
            runs.0.lock().unwrap().extend([one, other]);
            Ok(())
        }
    });
    let agent = agent(&answers()).sub_agent(helper(&inner)).middleware(both).build().await.unwrap();
    ask(&agent, "Go").await;
    let mut told = runs.told();
    told.sort();
    assert_eq!(told, ["Overloaded the thread is busy: a run goes on there", r#"Replied "And here.""#]);
}

#[tokio::test]
async fn names_are_unique() {
    let built =
        |builder: AgentBuilder| async { builder.build().await.map(drop).map_err(|error| error.to_string()) };
    let twice = agent(&answers()).sub_agent(helper(&answers()).sub_agent(helper(&answers())));
    assert_eq!(built(twice).await, Err(BuildError::DuplicateAgent("helper".to_owned()).to_string()));
    let layer = || Runs::default().layer("boss", "helper", |_| None);
    let shared = agent(&answers()).middleware(layer()).sub_agent(helper(&answers()).middleware(layer()));
    assert_eq!(built(shared).await, Err(BuildError::DuplicateLayer("boss".to_owned()).to_string()));
}
