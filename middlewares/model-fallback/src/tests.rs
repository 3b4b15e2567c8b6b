use cepa_sdk::rig::{Answer, Called, Rig};
use cepa_sdk::{
    ContentBlock, Error, ErrorKind, Event, Message, ModelRequest, ModelResponse, Role, ThinkingBlock,
};

use super::{Config, ModelFallback};

type Outcome = Called<ModelRequest, ModelResponse>;

fn to(models: &[&str]) -> Config {
    Config { models: models.iter().map(ToString::to_string).collect(), ..Config::default() }
}

fn failed(kind: ErrorKind) -> Answer<ModelResponse> {
    Answer::error(Error::new(kind, "no"))
}

fn call(config: Config, answers: impl IntoIterator<Item = Answer<ModelResponse>>) -> Result<Outcome, Error> {
    let rig = Rig::<ModelFallback>::new(config)?;
    Ok(rig.on_model_call(ModelRequest::new("main"), answers))
}

fn asked(called: &Outcome) -> Vec<String> {
    called.requests.iter().map(ModelRequest::model).collect()
}

#[test]
fn models_are_asked_in_order_until_one_answers() -> Result<(), Error> {
    let down = failed(ErrorKind::Overloaded);
    let called = call(to(&["second", "third"]), [down, failed(ErrorKind::Timeout), Answer::text("hi")])?;
    assert_eq!(asked(&called), ["main", "second", "third"]);
    let Some(Event::Other(event)) = called.events.first() else { panic!("{:?}", called.events) };
    let json: serde_json::Value = serde_json::from_str(&event.json)?;
    assert_eq!(json, serde_json::json!({ "from": "main", "kind": "overloaded", "to": "second" }));
    assert_eq!(called.result?.text(), "hi");
    Ok(())
}

#[test]
fn an_answer_of_the_first_model_asks_no_other() -> Result<(), Error> {
    assert_eq!(asked(&call(to(&["second"]), [Answer::text("hi")])?), ["main"]);
    Ok(())
}

#[test]
fn the_last_error_is_the_result() -> Result<(), Error> {
    let called = call(to(&["second"]), [failed(ErrorKind::Overloaded), failed(ErrorKind::Connection)])?;
    assert_eq!(called.result.err().map(|error| error.kind), Some(ErrorKind::Connection));
    Ok(())
}

#[test]
fn a_model_is_not_asked_twice_for_being_listed() -> Result<(), Error> {
    let called = call(to(&["main", "second"]), [failed(ErrorKind::Overloaded), Answer::text("hi")])?;
    assert_eq!(asked(&called), ["main", "second"]);
    Ok(())
}

#[test]
fn other_kinds_go_outward_at_once() -> Result<(), Error> {
    for kind in [ErrorKind::ContentFilter, ErrorKind::InvalidInput, ErrorKind::Limit] {
        let called = call(to(&["second"]), [failed(kind), Answer::text("hi")])?;
        assert_eq!(called.result.err().map(|error| error.kind), Some(kind));
    }
    Ok(())
}

#[test]
fn an_abort_and_a_denial_can_t_be_configured_away() -> Result<(), Error> {
    for kind in [ErrorKind::Aborted, ErrorKind::Denied] {
        let called = call(Config { on: vec![kind], ..to(&["second"]) }, [failed(kind), Answer::text("hi")])?;
        assert_eq!(asked(&called), ["main"]);
    }
    Ok(())
}

#[test]
fn what_only_the_first_provider_knows_is_taken_off() -> Result<(), Error> {
    let request = ModelRequest::new("main");
    for name in ["temperature", "seed", "cache-control", "shared-tier"] {
        request.set_parameter(name, Some("1"))?;
    }
    let thought =
        ContentBlock::Thinking(ThinkingBlock { text: "hm".to_owned(), signature: Some("s".to_owned()) });
    request.push_message(&Message::new(Role::Assistant, vec![thought.clone(), ContentBlock::text("yes")]))?;
    request.push_message(&Message::new(Role::Assistant, vec![thought]))?;

    let config = Config {
        keep_parameters: vec!["shared-tier".to_owned()],
        drop_parameters: vec!["seed".to_owned()],
        ..to(&["second"])
    };
    let rig = Rig::<ModelFallback>::new(config)?;
    let called = rig.on_model_call(request, [failed(ErrorKind::Overloaded), Answer::text("hi")]);
    let [first, second] = called.requests.as_slice() else { panic!("two runs") };
    assert_eq!((first.parameters().len(), first.message_count()), (4, 2));
    let kept: Vec<String> = second.parameters().into_iter().map(|(name, _)| name).collect();
    assert_eq!(kept, ["shared-tier", "temperature"]);
    assert_eq!(second.messages(), [Message::assistant("yes")]);
    Ok(())
}

#[test]
fn no_model_to_fall_back_on_is_a_mistake() {
    let error = Rig::<ModelFallback>::from_json("{}").err().map(|error| error.message);
    assert_eq!(error.as_deref(), Some("`models` is empty: name at least one alias of the manifest"));
}
