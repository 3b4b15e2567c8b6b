//! The contract in five languages: the same two guests in each do the same.

use cepa::chain::{ModelCall, NoteKind, Sink, endpoint_fn};
use cepa::error::{Error, ErrorKind};
use cepa::event::Event;
use cepa::message::{Block, Message};
use cepa::request::{ModelRequest, ModelResponse};
use cepa_tests::agent::{agent, model};
use cepa_tests::built::built;
use cepa_tests::chain::{LayerPlan, call, load};
use cepa_tests::recording::record;

const LANGUAGES: [&str; 5] = ["rust", "c", "go", "js", "python"];

fn request() -> ModelRequest {
    let mut request = ModelRequest::to("main");
    request.edit().system_prompt = Some("Be brief".to_owned());
    request.push_message(Message::user("hello"));
    request
}

async fn answer(request: ModelRequest, out: Sink) -> Result<ModelResponse, Error> {
    let heard = format!(
        "{} | {} | {}",
        request.system_prompt.clone().unwrap_or_default(),
        request.messages.iter().map(|message| message.text()).collect::<Vec<_>>().join(","),
        request.parameters.get("temperature").map(ToString::to_string).unwrap_or_default(),
    );
    out.send(Event::TextStart { id: "b".into() }).await?;
    tokio::task::yield_now().await;
    out.send(Event::TextDelta { id: "b".into(), text: heard.clone() }).await?;
    out.send(Event::TextEnd { id: "b".into() }).await?;
    Ok(ModelResponse::answer(vec![Block::Text { text: heard }]))
}

#[tokio::test]
async fn a_guest_that_passes_through_changes_nothing() {
    for language in LANGUAGES {
        let component = load(language, &built(language, "passthrough")).await;
        let entry = LayerPlan::new(language).entry(&component);
        let happened = call::<ModelCall>(&[entry], request(), endpoint_fn(answer)).await;
        assert_eq!(happened.result.unwrap().text(), "Be brief | hello | ", "{language}");
        assert_eq!(happened.events.len(), 3, "{language}");
        assert_eq!(component.hooks().iter().count(), 1, "{language}");
    }
}

#[tokio::test]
async fn a_guest_that_rewrites_reaches_request_stream_and_response() {
    for language in LANGUAGES {
        let component = load(language, &built(language, "rewrite")).await;
        let entry = LayerPlan::new(language).entry(&component);
        let happened = call::<ModelCall>(&[entry], request(), endpoint_fn(answer)).await;
        let text = happened.result.unwrap_or_else(|error| panic!("{language}: {error}")).text();
        let upper = text.to_uppercase();
        assert_eq!(text, upper, "{language}");
        for part in ["BE BRIEF (SEEN BY ", ",FROM ", " | 0.5"] {
            assert!(text.contains(part), "{language}: {part:?} in {text:?}");
        }
        let delta = happened.events.iter().find_map(|event| match event {
            Event::TextDelta { text, .. } => Some(text.clone()),
            _ => None,
        });
        assert_eq!(delta, Some(upper), "{language}");
        let logs = happened.notes.iter().filter(|note| matches!(note.kind, NoteKind::Log { .. })).count();
        assert_eq!(logs, 1, "{language}");
    }
}

#[tokio::test]
async fn an_error_inside_reaches_the_guest_as_a_value() {
    for language in LANGUAGES {
        for name in ["passthrough", "rewrite"] {
            let component = load(language, &built(language, name)).await;
            let entry = LayerPlan::new(language).entry(&component);
            let failing = endpoint_fn(|_: ModelRequest, _: Sink| async {
                Err(Error::new(ErrorKind::RateLimited, "slow down, é").status(429))
            });
            let happened = call::<ModelCall>(&[entry], request(), failing).await;
            let error = happened.result.unwrap_err();
            assert_eq!(
                (error.kind, error.status),
                (ErrorKind::RateLimited, Some(429)),
                "{language} {name}: {error}"
            );
            assert_eq!(error.message, "slow down, é", "{language} {name}");
        }
    }
}

#[tokio::test]
async fn what_a_guest_saw_it_does_again() {
    for language in LANGUAGES {
        let plan = LayerPlan::new(language);
        let agent = agent(&model("[[turn]]\ntext = \"Answer.\""));
        let calls = record(agent, plan, &built(language, "rewrite")).await.is_the_same().await;
        assert!(!calls.is_empty(), "{language}");
    }
}
