//! Tool calls: beside each other, wrong ones, those that fail, and what stream and store show of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cepa::error::{Error, ErrorKind};
use cepa::event::Event;
use cepa::message::{FinishReason, Message, ResultPart, ToolState};
use cepa::request::{ToolResponse, ToolResponseData};
use serde_json::{Map, json};
use tokio::sync::Barrier;

use crate::rig::{
    Double, Say, Script, agent, ask, call, calls, raw_call, says, stored, text, transcript, turn,
};

#[tokio::test]
async fn a_turn_with_a_tool() {
    let model = Script::new([
        Say::Blocks(
            vec![text("Let me look."), call("c1", "look", &json!({"x": 1}))],
            FinishReason::ToolCalls,
        ),
        says("I saw it."),
    ]);
    let agent = agent(&model).tool(Arc::new(Double::echo("look"))).build().await.unwrap();
    let (told, session) = turn(&agent, "Look").await;
    insta::assert_snapshot!(transcript(&told, &session));
}

#[tokio::test]
async fn parallel_calls_run_at_once_and_their_results_stand_in_order() {
    let both = Arc::new(Barrier::new(2));
    let meet = {
        let both = Arc::clone(&both);
        Double::new("meet", move |invocation, _| {
            let both = Arc::clone(&both);
            async move {
                both.wait().await;
                let first = invocation.arguments.get("x") == Some(&json!(1));
                for _ in 0..if first { 50 } else { 0 } {
                    tokio::task::yield_now().await;
                }
                Ok(ToolResponse::text_answer(ToolState::Success, invocation.call_id))
            }
        })
    };
    let model = Script::new([
        calls([call("c1", "meet", &json!({"x": 1})), call("c2", "meet", &json!({"x": 2}))]),
        says("Met."),
    ]);
    let agent = agent(&model).tool(Arc::new(meet)).build().await.unwrap();
    let (told, _) = turn(&agent, "Meet").await;
    let ends: Vec<&str> = told
        .events
        .iter()
        .filter_map(|event| match event {
            Event::ToolResultEnd { call_id, .. } => Some(call_id.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(ends, ["c2", "c1"], "the second was quicker");
}

#[tokio::test]
async fn calls_that_may_not_run_beside_others_run_one_after_another() {
    let running = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let tool = {
        let (running, most) = (Arc::clone(&running), Arc::clone(&most));
        Double::new("alone", move |_, _| {
            let (running, most) = (Arc::clone(&running), Arc::clone(&most));
            async move {
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                tokio::task::yield_now().await;
                running.fetch_sub(1, Ordering::SeqCst);
                Ok(ToolResponse::text_answer(ToolState::Success, "ok"))
            }
        })
        .alone()
    };
    let model = Script::new([
        calls([call("c1", "alone", &json!({"x": 1})), call("c2", "alone", &json!({"x": 2}))]),
        says("Done."),
    ]);
    let agent = agent(&model).tool(Arc::new(tool)).build().await.unwrap();
    turn(&agent, "Go").await;
    assert_eq!(most.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn at_most_eight_calls_run_at_once() {
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let tool = {
        let (running, most) = (Arc::clone(&running), Arc::clone(&most));
        Double::new("look", move |_, _| {
            let (running, most) = (Arc::clone(&running), Arc::clone(&most));
            async move {
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                for _ in 0..20 {
                    tokio::task::yield_now().await;
                }
                running.fetch_sub(1, Ordering::SeqCst);
                Ok(ToolResponse::text_answer(ToolState::Success, "ok"))
            }
        })
    };
    let blocks = (0..20).map(|n| call(&format!("c{n}"), "look", &json!({"x": n}))).collect();
    let model = Script::new([Say::Blocks(blocks, FinishReason::ToolCalls), says("Done.")]);
    let agent = agent(&model).tool(Arc::new(tool)).build().await.unwrap();
    turn(&agent, "Go").await;
    assert_eq!(most.load(Ordering::SeqCst), 8);
}

#[tokio::test]
async fn wrong_calls_get_an_error_result_and_do_not_run() {
    let ran = Arc::new(AtomicUsize::new(0));
    let tool = {
        let ran = Arc::clone(&ran);
        Double::new("look", move |_, _| {
            ran.fetch_add(1, Ordering::SeqCst);
            async { Ok(ToolResponse::text_answer(ToolState::Success, "seen")) }
        })
    };
    let model = Script::new([
        calls([
            raw_call("c1", "look", "{\"x\": "),
            raw_call("c2", "look", "[1]"),
            raw_call("c3", "look", "{\"x\": \"one\", \"y\": 2}"),
            raw_call("c4", "lok", "{\"x\": 1}"),
            raw_call("c5", "look", "{\"x\": 1}"),
        ]),
        says("Sorry."),
    ]);
    let agent = agent(&model).tool(Arc::new(tool)).build().await.unwrap();
    let (told, session) = turn(&agent, "Look").await;
    assert_eq!(ran.load(Ordering::SeqCst), 1);
    insta::assert_snapshot!(transcript(&told, &session));
}

#[tokio::test]
async fn a_call_that_was_cut_off_is_never_run() {
    let cut = Say::Blocks(vec![raw_call("c1", "look", "{\"x\": 1")], FinishReason::Length);
    let empty = Say::Blocks(vec![raw_call("c2", "look", "")], FinishReason::Length);
    let model = Script::new([cut, empty, says("Sorry.")]);
    let agent = agent(&model).tool(Arc::new(Double::echo("look"))).build().await.unwrap();
    let told = ask(&agent, "Look").await;
    insta::assert_snapshot!(transcript(&told, &stored(&agent).await));
}

#[tokio::test]
async fn a_repeated_call_id_is_replaced() {
    let again = || calls([call("c1", "look", &json!({"x": 1}))]);
    let model = Script::new([again(), again(), says("Twice.")]);
    let agent = agent(&model).tool(Arc::new(Double::echo("look"))).build().await.unwrap();
    let (told, session) = turn(&agent, "Look").await;
    insta::assert_snapshot!(transcript(&told, &session));
}

#[tokio::test]
async fn a_tool_that_fails_or_panics_gives_an_error_result_and_its_siblings_finish() {
    let fail = Double::new("fail", |_, _| async { Err(Error::new(ErrorKind::Timeout, "it took too long")) });
    let panic = Double::new("panic", |_, _| async { panic!("it broke") });
    let model = Script::new([
        calls([
            call("c1", "fail", &json!({"x": 1})),
            call("c2", "panic", &json!({"x": 1})),
            call("c3", "look", &json!({"x": 1})),
        ]),
        says("Oh."),
    ]);
    let agent = agent(&model)
        .tool(Arc::new(fail.alone()))
        .tool(Arc::new(panic.alone()))
        .tool(Arc::new(Double::echo("look")))
        .build()
        .await
        .unwrap();
    let (told, session) = turn(&agent, "Go").await;
    insta::assert_snapshot!(transcript(&told, &session));
}

#[tokio::test]
async fn a_streamed_result_goes_on_where_it_fits_and_is_withdrawn_where_not() {
    let stream = |name: &str, end: &'static str| {
        Double::new(name, move |invocation, out| async move {
            let call_id = invocation.call_id.clone();
            out.send(Event::ToolResultText { call_id, text: "half ".to_owned() }).await?;
            // What is not this call's content does not get into the stream.
            out.send(Event::TextStart { id: "forged".to_owned() }).await?;
            Ok(ToolResponse::text_answer(ToolState::Success, end))
        })
        .alone()
    };
    let model = Script::new([
        calls([call("c1", "fits", &json!({"x": 1})), call("c2", "differs", &json!({"x": 1}))]),
        says("Read."),
    ]);
    let agent = agent(&model)
        .tool(Arc::new(stream("fits", "half and whole")))
        .tool(Arc::new(stream("differs", "something else")))
        .build()
        .await
        .unwrap();
    let told = ask(&agent, "Read").await;
    insta::assert_snapshot!(transcript(&told, &stored(&agent).await));
}

#[tokio::test]
async fn a_part_of_another_kind_is_shown_as_json_and_stored_as_it_is() {
    let link = ResultPart::Other { name: "resource-link".to_owned(), json: json!({ "uri": "demo://far" }) };
    let content = vec![ResultPart::text("see "), link];
    let answer = ToolResponse::new(ToolResponseData {
        state: ToolState::Success,
        content: content.clone(),
        metadata: Map::new(),
    });
    let tool = Double::new("find", move |_, _| {
        let answer = answer.clone();
        async move { Ok(answer) }
    });
    let model = Script::new([calls([call("c1", "find", &json!({"x": 1}))]), says("Found.")]);
    let agent = agent(&model).tool(Arc::new(tool)).build().await.unwrap();
    let (told, session) = turn(&agent, "Find").await;
    let shown = told.events.iter().filter_map(|event| match event {
        Event::ToolResultText { text, .. } => Some(text.as_str()),
        _ => None,
    });
    assert_eq!(shown.collect::<String>(), r#"see {"uri":"demo://far"}"#);
    let results: Vec<_> = session.messages.iter().flat_map(Message::tool_results).collect();
    assert_eq!(results.len(), 1);
    assert_eq!(results[0].content, content);
}

#[tokio::test]
async fn an_answer_with_more_calls_than_the_loop_takes_is_a_failure_and_nothing_of_it_is_kept() {
    let many = |count: usize| {
        let blocks = (0..count).map(|n| call(&format!("c{n}"), "look", &json!({"x": n})));
        Say::Blocks(blocks.collect(), FinishReason::ToolCalls)
    };
    let model = Script::new([many(129), many(128), says("I saw it.")]);
    let agent = agent(&model).tool(Arc::new(Double::echo("look"))).build().await.unwrap();
    let told = ask(&agent, "Look").await;
    let error = told.result.response.error.clone().expect("a failure");
    assert_eq!(error.kind, ErrorKind::Limit);
    assert_eq!(error.message, "limit `tool-calls` reached: 129 of 128 in one answer allowed");
    assert_eq!(stored(&agent).await.messages.len(), 1, "the input");
    ask(&agent, "Look again").await;
    assert_eq!(stored(&agent).await.messages.len(), 2 + 1 + 128 + 1);
}
