//! How many runs a reply may have in all.

use std::sync::{Arc, Mutex};

use cepa::agent::Agent;
use cepa::model::Model;
use cepa::services::AgentCall;

use crate::rig::{Script, agent, ask, says};

use super::boss;

fn answers(times: usize) -> Arc<Script> {
    Script::new((0..times).map(|_| says("Done.")))
}

#[tokio::test]
async fn runs_inside_one_another_are_counted_together() {
    let refusals = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&refusals);
    // Each run of `helper` runs `leaf`, so that every second run begins inside of another.
    let delegating = |name: &'static str, to: &'static str, times: u32| {
        let kept = Arc::clone(&kept);
        boss(name, move |services| {
            let kept = Arc::clone(&kept);
            async move {
                for _ in 0..times {
                    let call = AgentCall { agent: to.to_owned(), thread: None, prompt: "Go".to_owned() };
                    if let Err(error) = services.run_agent(name.to_owned(), call).await {
                        kept.lock().unwrap().push((name, error.message));
                    }
                }
                Ok(())
            }
        })
    };
    let model = |script: Arc<Script>| script as Arc<dyn Model>;
    let helper = Agent::builder("helper")
        .model("small", model(answers(200)))
        .middleware(delegating("inner", "leaf", 1));
    let leaf = Agent::builder("leaf").model("small", model(answers(200)));
    let agent = agent(&answers(1))
        .sub_agent(helper)
        .sub_agent(leaf)
        .middleware(delegating("outer", "helper", 130))
        .build()
        .await
        .unwrap();
    ask(&agent, "Go").await;
    let refused = |name, begun| (name, format!("limit `agent-runs-in-all` reached: {begun} of 256 allowed"));
    assert_eq!(*refusals.lock().unwrap(), [refused("outer", 257), refused("outer", 258)]);
}
