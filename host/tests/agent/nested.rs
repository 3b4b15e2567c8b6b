//! Tool calls of layers inside one another: how deep, not how many.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use cepa::chain::{Acting, ChainEntry, HookFuture, HookKind, Layer, Next, Sink};
use cepa::message::ToolState;
use cepa::request::{ToolRequest, ToolResponse};
use cepa::services::Services;
use serde_json::json;
use tokio::sync::Barrier;

use crate::rig::{Double, Script, agent, call, calls, line, opened, says, transcript, turn};

const ARGUMENTS: &str = r#"{"x": 1}"#;

/// Calls one tool before another one runs.
struct Before {
    tool: &'static str,
    first: &'static str,
    name: &'static str,
    services: Arc<dyn Services>,
}

impl Layer for Before {
    fn on_acting(
        self: Arc<Self>,
        request: ToolRequest,
        mut next: Next<Acting>,
        _out: Sink,
    ) -> HookFuture<ToolResponse> {
        Box::pin(async move {
            if request.call.name == self.tool {
                let call = (self.name.to_owned(), self.first.to_owned(), ARGUMENTS.to_owned());
                self.services.call_tool(call.0, call.1, call.2).await?;
            }
            Ok(next.run(request).await?)
        })
    }
}

fn before(name: &'static str, tool: &'static str, first: &'static str) -> ChainEntry {
    opened(name, &[HookKind::Acting], move |reply| Before {
        tool,
        first,
        name,
        services: Arc::clone(&reply.services),
    })
}

#[tokio::test]
async fn calls_beside_each_other_do_not_stand_inside_one_another() {
    let all_there = Arc::new(Barrier::new(8));
    let meets = Double::new("meet", move |_, _| {
        let all_there = Arc::clone(&all_there);
        async move {
            all_there.wait().await;
            Ok(ToolResponse::text_answer(ToolState::Success, "met"))
        }
    });
    let looks: [_; 8] = std::array::from_fn(|at| call(&format!("c{at}"), "look", &json!({"x": at})));
    let agent = agent(&Script::new([calls(looks), says("Done.")]))
        .tool(Arc::new(Double::echo("look")))
        .tool(Arc::new(Double::echo("ask")))
        .tool(Arc::new(meets))
        .middleware(before("outer", "look", "ask"))
        .middleware(before("inner", "ask", "meet"))
        .build()
        .await
        .unwrap();
    let (told, session) = turn(&agent, "Look").await;
    let results: Vec<_> = session
        .messages
        .iter()
        .flat_map(cepa::message::Message::tool_results)
        .map(|result| result.state)
        .collect();
    assert_eq!(results, vec![ToolState::Success; 8], "{}", transcript(&told, &session));
}

#[tokio::test]
async fn calls_inside_one_another_come_to_an_end() {
    let runs = Arc::new(AtomicU32::new(0));
    let again = {
        let runs = Arc::clone(&runs);
        Double::new("again", move |invocation, _| {
            runs.fetch_add(1, Ordering::SeqCst);
            async move {
                let services = Arc::clone(&invocation.context.services);
                let inner = services.call_tool("nobody".to_owned(), "again".to_owned(), ARGUMENTS.to_owned());
                Ok(match inner.await {
                    Ok(response) => response,
                    Err(error) => ToolResponse::text_answer(ToolState::Success, error.message),
                })
            }
        })
    };
    let model = Script::new([calls([call("c1", "again", &json!({"x": 1}))]), says("Done.")]);
    let agent = agent(&model).tool(Arc::new(again)).build().await.unwrap();
    let (_, session) = turn(&agent, "Go").await;
    assert_eq!(runs.load(Ordering::SeqCst), 9, "the model's call, and 8 inside one another");
    let thread: Vec<String> = session.messages.iter().map(line).collect();
    assert_eq!(thread[2], "tool: c1 Success limit `nested-tool-calls` reached: 9 of 8 allowed");
}
