//! Whose threads are, and how long they may be.

use std::sync::{Arc, Mutex};

use cepa::agent::INPUT_TEXT_MAX;
use cepa::error::ErrorKind;
use cepa::services::AgentCall;

use crate::rig::{agent, ask, told};

use super::{Runs, answers, boss, conversation, helper, sessions};

#[tokio::test]
async fn a_thread_that_is_too_long_is_not_gone_on_with() {
    let refused = Arc::new(Mutex::new(None));
    let kept = Arc::clone(&refused);
    let chatty = boss("boss", move |services| {
        let kept = Arc::clone(&kept);
        async move {
            let mut thread = None;
            for _ in 0..5 {
                let prompt = "x".repeat(INPUT_TEXT_MAX);
                let call = AgentCall { agent: "helper".to_owned(), thread: thread.clone(), prompt };
                match services.run_agent("boss".to_owned(), call).await {
                    Ok(run) => thread = Some(run.thread),
                    Err(error) => *kept.lock().unwrap() = Some(error),
                }
            }
            Ok(())
        }
    });
    let agent = agent(&answers()).sub_agent(helper(&answers())).middleware(chatty).build().await.unwrap();
    let session = sessions(&ask(&agent, "Go").await).pop().unwrap();
    let error = refused.lock().unwrap().take().expect("the fifth run is refused");
    assert_eq!((error.kind, error.code.as_str()), (ErrorKind::Limit, "thread-bytes"));
    assert!(error.message.starts_with("limit `thread-bytes` reached: 16"), "{}", error.message);
    assert!(error.message.ends_with(" of 16777216 allowed; begin a new thread"), "{}", error.message);
    assert_eq!(conversation(&agent, &session).await.len(), 8, "the prompt that was refused is not stored");
}

#[tokio::test]
async fn a_session_is_gone_on_with_by_the_agent_that_began_it() {
    let runs = Runs::default();
    let agent = agent(&answers())
        .sub_agent(helper(&answers()))
        .middleware(runs.layer("boss", "helper", Runs::thread))
        .build()
        .await
        .unwrap();
    let thread = sessions(&ask(&agent, "Go").await).pop().unwrap();
    let own = agent.reply(thread.clone(), "Go").await.err().map(|error| error.to_string());
    let belongs = "belongs to agent `helper`, and the main agent can't go on with it: name another session";
    assert_eq!(own, Some(format!("session `{thread}` {belongs}")));
    let again = agent.resume(thread.clone(), Vec::new()).await.err().map(|error| error.to_string());
    assert_eq!(again, own);
    let [sub] = &agent.sub_agents()[..] else { panic!("one sub-agent") };
    let mains = sub.reply("s", "Go").await.err().map(|error| error.to_string());
    let belongs = "belongs to the main agent, and agent `helper` can't go on with it: name another session";
    assert_eq!(mains, Some(format!("session `s` {belongs}")));
    told(sub.reply(thread, "Go").await.unwrap()).await;
}
