//! Swapping the layers of a running agent.

mod property;
mod state;
mod trial;
mod version;

use std::sync::Arc;

use cepa::agent::{Agent, AgentBuilder, Answer, BuildError, SwapError};
use cepa::event::Outcome;
use cepa::message::{Message, ToolDefinition, ToolState};
use cepa::model::Model;
use cepa::request::ToolResponse;
use cepa::world::TestWorld;
use serde_json::{Map, json};
use tokio::sync::Semaphore;

use crate::rig::{Double, Script, ask, ask_before, call, calls, says, told};
use version::{Log, Version, Yes, gates};

/// An agent whose model always answers `yes`.
fn agent() -> AgentBuilder {
    Agent::builder("tester").model("main", Arc::new(Yes) as Arc<dyn Model>).world(Arc::new(TestWorld::new(7)))
}

/// Waits until something has come about that other tasks bring about.
async fn until(what: &str, mut is: impl FnMut() -> bool) {
    for _ in 0..100_000 {
        if is() {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("{what} did not come about");
}

/// The generations that are alive, the active one first, each with its running replies.
fn alive(agent: &Agent) -> Vec<(u64, usize)> {
    agent.swap_status().lineups.iter().map(|lineup| (lineup.generation, lineup.replies)).collect()
}

#[tokio::test]
async fn a_running_reply_ends_on_the_layers_that_it_began_with() {
    let (log, gates) = (Log::default(), gates(["a", "b"]));
    let one = Version::new("x", "1", &log).gated(&gates);
    let first_alive = one.alive();
    let agent = agent().middleware(one.entry()).build().await.unwrap();
    let first = agent.reply("a", "Go").await.unwrap();
    let swapped = agent.swap(vec![Version::new("x", "2", &log).gated(&gates).entry()]).await.unwrap();
    let second = agent.reply("b", "Go").await.unwrap();
    assert_eq!((first.generation(), swapped.generation, second.generation()), (1, 2, 2));
    assert_eq!(alive(&agent), [(2, 1), (1, 1)]);

    gates.values().for_each(|gate| gate.add_permits(1));
    for (stream, version) in [(first, "1"), (second, "2")] {
        let told = told(stream).await;
        assert_eq!(told.result.response.outcome, Outcome::Replied);
        let hooks = [("on-reply", version), ("on-model-call", version), ("on-turn-end", version)];
        assert_eq!(log.of(&told.result.reply_id), hooks);
    }
    until("the old layers are freed", || first_alive.strong_count() == 0).await;
    assert_eq!(alive(&agent), [(2, 0)]);
}

#[tokio::test]
async fn a_parked_reply_goes_on_with_the_new_layers_and_tools() {
    let model = Script::new([calls([call("c1", "write", &json!({ "x": 1 }))]), says("Done.")]);
    let log = Log::default();
    let agent = crate::rig::agent(&model)
        .tool(Arc::new(Double::echo("write")))
        .permissions(ask_before(&["write"]))
        .middleware(Version::new("x", "1", &log).entry())
        .build()
        .await
        .unwrap();
    let parked = ask(&agent, "Write").await;
    assert_eq!(parked.result.response.outcome, Outcome::Parked);
    agent.swap(vec![Version::new("x", "2", &log).entry()]).await.unwrap();
    let resumed = agent.resume("s", vec![Answer::Approve { call_id: "c1".to_owned() }]).await.unwrap();
    assert_eq!(resumed.generation(), 2);
    let resumed = told(resumed).await;
    assert_eq!(resumed.result.response.outcome, Outcome::Replied);
    assert_eq!(resumed.result.reply_id, parked.result.reply_id);
    let versions: Vec<&str> = log.of(&parked.result.reply_id).iter().map(|(_, version)| *version).collect();
    assert_eq!(versions, ["1", "1", "1", "2", "2", "2"]);
}

fn tool(name: &str) -> ToolDefinition {
    ToolDefinition {
        name: name.to_owned(),
        description: format!("{name}s"),
        parameters: json!({ "type": "object" }),
        parallel: true,
        metadata: Map::new(),
    }
}

fn names(agent: &Agent) -> Vec<String> {
    agent.tools().iter().map(|tool| tool.name.clone()).collect()
}

#[tokio::test]
async fn tools_come_and_go_with_their_layers() {
    let model = Script::new([
        calls([call("c1", "old", &json!({}))]),
        says("Used."),
        calls([call("c2", "old", &json!({}))]),
        says("Missed."),
    ]);
    let log = Log::default();
    let old = Version::new("old", "1", &log).tool(tool("old")).entry();
    let agent =
        crate::rig::agent(&model).tool(Arc::new(Double::echo("own"))).middleware(old).build().await.unwrap();
    assert_eq!(names(&agent), ["own", "old"]);
    ask(&agent, "Use it").await;
    agent.swap(vec![Version::new("new", "1", &log).tool(tool("new")).entry()]).await.unwrap();
    assert_eq!(names(&agent), ["own", "new"]);
    ask(&agent, "Again").await;
    let offered: Vec<Vec<String>> = (model.asked().iter())
        .map(|request| request.tools.iter().map(|tool| tool.name.clone()).collect())
        .collect();
    assert_eq!(offered, [["own", "old"], ["own", "old"], ["own", "new"], ["own", "new"]]);
    assert_eq!(
        results(&agent).await,
        [("c1".to_owned(), ToolState::Success), ("c2".to_owned(), ToolState::Error)]
    );
}

/// How the stored calls ended, in their order.
async fn results(agent: &Agent) -> Vec<(String, ToolState)> {
    (crate::rig::stored(agent).await.messages.iter())
        .flat_map(Message::tool_results)
        .map(|result| (result.call_id.clone(), result.state))
        .collect()
}

#[tokio::test]
async fn a_running_reply_keeps_the_tools_of_layers_that_are_gone() {
    let model = Script::new([calls([call("c1", "old", &json!({}))]), says("Used.")]);
    let (log, gates) = (Log::default(), gates(["s"]));
    let old = Version::new("old", "1", &log).tool(tool("old")).gated(&gates);
    let old_alive = old.alive();
    let agent = crate::rig::agent(&model).middleware(old.entry()).build().await.unwrap();
    let running = agent.reply("s", "Use it").await.unwrap();
    agent.swap(vec![]).await.unwrap();
    assert_eq!(names(&agent), [""; 0]);
    gates["s"].add_permits(1);
    assert_eq!(told(running).await.result.response.text(), "Used.");
    assert_eq!(results(&agent).await, [("c1".to_owned(), ToolState::Success)]);
    until("the old layer is freed", || old_alive.strong_count() == 0).await;
}

#[tokio::test]
async fn a_tool_call_that_is_open_ends_on_the_layers_of_its_reply() {
    let model = Script::new([calls([call("c1", "slow", &json!({ "x": 1 }))]), says("Done.")]);
    let (started, may_end) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let (starts, ends) = (Arc::clone(&started), Arc::clone(&may_end));
    let slow = Double::new("slow", move |_, _| {
        let (starts, ends) = (Arc::clone(&starts), Arc::clone(&ends));
        async move {
            starts.add_permits(1);
            ends.acquire().await.unwrap().forget();
            Ok(ToolResponse::text_answer(ToolState::Success, "slowly"))
        }
    });
    let log = Log::default();
    let agent = crate::rig::agent(&model)
        .tool(Arc::new(slow))
        .middleware(Version::new("x", "1", &log).entry())
        .build()
        .await
        .unwrap();
    let running = tokio::spawn(told(agent.reply("s", "Go").await.unwrap()));
    started.acquire().await.unwrap().forget();
    agent.swap(vec![Version::new("x", "2", &log).entry()]).await.unwrap();
    may_end.add_permits(1);
    let told = running.await.unwrap();
    assert_eq!(told.result.response.text(), "Done.");
    assert_eq!(results(&agent).await, [("c1".to_owned(), ToolState::Success)]);
    assert!(log.of(&told.result.reply_id).iter().all(|(_, version)| *version == "1"));
}

#[tokio::test]
async fn a_parked_call_whose_tool_is_gone_ends_in_a_result_that_says_so() {
    let model = Script::new([calls([call("c1", "old", &json!({}))]), says("Then not.")]);
    let log = Log::default();
    let agent = crate::rig::agent(&model)
        .permissions(ask_before(&["old"]))
        .middleware(Version::new("old", "1", &log).tool(tool("old")).entry())
        .build()
        .await
        .unwrap();
    assert_eq!(ask(&agent, "Use it").await.result.response.outcome, Outcome::Parked);
    agent.swap(vec![]).await.unwrap();
    let edit = Answer::Edit { call_id: "c1".to_owned(), name: None, arguments: "{}".to_owned() };
    let refused = agent.resume("s", vec![edit]).await.unwrap_err().to_string();
    assert!(refused.contains("there is no tool `old`"), "{refused}");
    let resumed = agent.resume("s", vec![Answer::Approve { call_id: "c1".to_owned() }]).await.unwrap();
    let resumed = told(resumed).await;
    assert_eq!(resumed.result.response.text(), "Then not.");
    assert_eq!(results(&agent).await, [("c1".to_owned(), ToolState::Error)]);
}

#[tokio::test]
async fn swaps_that_come_at_once_take_turns() {
    let log = Log::default();
    let agent = agent().middleware(Version::new("x", "0", &log).entry()).build().await.unwrap();
    let swaps = ["1", "2", "3", "4"].map(|version| {
        let (agent, entry) = (agent.clone(), Version::new("x", version, &log).entry());
        tokio::spawn(async move { agent.swap(vec![entry]).await.unwrap().generation })
    });
    let mut generations = Vec::new();
    for swap in swaps {
        generations.push(swap.await.unwrap());
    }
    generations.sort_unstable();
    assert_eq!(generations, [2, 3, 4, 5]);
    assert_eq!(alive(&agent), [(5, 0), (1, 0)], "the last one, and the one that has proven itself");
}

#[tokio::test]
async fn what_does_not_fit_together_changes_nothing() {
    let log = Log::default();
    let agent = agent()
        .tool(Arc::new(Double::new("own", |_, _| async {
            Ok(ToolResponse::text_answer(ToolState::Success, ""))
        })))
        .middleware(Version::new("x", "1", &log).entry())
        .build()
        .await
        .unwrap();
    let x = || Version::new("x", "2", &log);
    let twice = agent.swap(vec![x().entry(), x().entry()]).await;
    assert!(matches!(twice, Err(SwapError::Layers(BuildError::DuplicateLayer(_)))), "{twice:?}");
    let clash = agent.swap(vec![x().tool(tool("own")).entry()]).await;
    assert!(matches!(clash, Err(SwapError::Layers(BuildError::Tool(_)))), "{clash:?}");
    let mute = agent.swap(vec![x().without_tools().entry()]).await;
    assert!(matches!(mute, Err(SwapError::Layers(BuildError::ListTools { .. }))), "{mute:?}");
    assert_eq!(alive(&agent), [(1, 0)]);
    assert_eq!(agent.tools().len(), 1);
    let told = ask(&agent, "Go").await;
    assert!(log.of(&told.result.reply_id).iter().all(|(_, version)| *version == "1"));
}

#[tokio::test]
async fn layers_that_are_moved_or_taken_out_stand_no_trial() {
    let log = Log::default();
    let (a, b) = (Version::new("a", "1", &log), Version::new("b", "1", &log));
    let gone = a.alive();
    let (a, b) = (a.entry(), b.entry());
    let agent = agent().middleware(a.clone()).middleware(b.clone()).build().await.unwrap();
    agent.swap(vec![b.clone(), a]).await.unwrap();
    assert_eq!(agent.layers(), ["b", "a"]);
    let told = ask(&agent, "Go").await;
    let entered: Vec<String> = log.layers_of(&told.result.reply_id, "on-model-call");
    assert_eq!(entered, ["b", "a"]);
    agent.swap(vec![b]).await.unwrap();
    assert_eq!(agent.layers(), ["b"]);
    assert_eq!(alive(&agent), [(3, 0)], "nothing is kept to come back");
    assert_eq!(gone.strong_count(), 0);
}
