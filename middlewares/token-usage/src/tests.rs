use cepa_sdk::log::Level;
use cepa_sdk::rig::{Answer, Capability, Rig, TurnSummaryData, with};
use cepa_sdk::state::{Scope, get_json};
use cepa_sdk::{Error, Event, ModelRequest, ModelResponse, OnTurnEnd, Outcome, TurnSummary, Usage};

use super::{Bucket, Config, LATEST, Latest, TALLY, Tally, TokenUsage};

/// A model's answer with these counts.
fn answer(model: &str, provider: &str, usage: Option<Usage>) -> ModelResponse {
    let mut data = ModelResponse::new(&[]).data();
    data.id = "call".to_owned();
    data.model = model.to_owned();
    data.provider = provider.to_owned();
    data.reported_model = Some(format!("{provider}-model"));
    data.usage = usage;
    ModelResponse::from(data)
}

fn tokens(input: u32, output: u32, cached: Option<u32>) -> Option<Usage> {
    let known = Usage { input_tokens: Some(input), output_tokens: Some(output), ..Usage::unknown() };
    Some(Usage { cache_read_tokens: cached, ..known })
}

fn call(rig: &Rig<TokenUsage>, response: ModelResponse) -> Result<Vec<Event>, Error> {
    let called = rig.on_model_call(ModelRequest::new("main"), [Answer::response(response)]);
    called.result.map(|_| called.events)
}

fn tally(scope: Scope) -> Result<Tally, Error> {
    Ok(get_json(scope, TALLY)?.unwrap_or_default())
}

fn bucket(name: &str) -> Result<Bucket, Error> {
    Ok(tally(Scope::Session)?.models.remove(name).unwrap_or_default())
}

#[test]
fn a_new_reply_starts_a_run_and_the_session_goes_on() -> Result<(), Error> {
    let rig = Rig::<TokenUsage>::new(Config::default())?;
    call(&rig, answer("main", "openai", tokens(10, 5, None)))?;
    with(|world| world.state.retain(|(scope, _), _| *scope != Scope::Reply));
    call(&rig, answer("main", "openai", tokens(7, 1, None)))?;
    let (run, session) = (tally(Scope::Reply)?, tally(Scope::Session)?);
    assert_eq!((run.calls, run.total.input_tokens, run.total.output_tokens), (1, Some(7), Some(1)));
    assert_eq!(
        (session.calls, session.total.input_tokens, session.total.output_tokens),
        (2, Some(17), Some(6))
    );
    let latest: Option<Latest> = get_json(Scope::Reply, LATEST)?;
    assert_eq!(latest.and_then(|latest| latest.usage).and_then(|usage| usage.input_tokens), Some(7));
    Ok(())
}

#[test]
fn each_model_has_a_bucket_by_its_alias() -> Result<(), Error> {
    let rig = Rig::<TokenUsage>::new(Config::default())?;
    call(&rig, answer("main", "openai", tokens(10, 5, None)))?;
    call(&rig, answer("backup", "anthropic", tokens(20, 5, None)))?;
    call(&rig, answer("", "openai", tokens(1, 1, None)))?;
    let names: Vec<String> = tally(Scope::Session)?.models.into_keys().collect();
    assert_eq!(names, ["backup", "main", "response:openai:openai-model"]);
    assert_eq!(bucket("backup")?.reported_models.into_iter().collect::<Vec<_>>(), ["anthropic-model"]);
    Ok(())
}

#[test]
fn the_hit_ratio_is_over_the_calls_that_say_what_was_cached() -> Result<(), Error> {
    let rig = Rig::<TokenUsage>::new(Config::default())?;
    call(&rig, answer("main", "openai", tokens(1000, 5, None)))?;
    assert_eq!(bucket("main")?.cache_hit_ratio, None);
    assert_eq!(bucket("main")?.tokens.cache_read_tokens, None);
    call(&rig, answer("main", "openai", tokens(100, 5, Some(0))))?;
    call(&rig, answer("main", "openai", tokens(200, 5, Some(100))))?;
    let main = bucket("main")?;
    assert_eq!((main.calls, main.cache_observed_calls, main.cache_hit_calls), (3, 2, 1));
    assert_eq!((main.cache_hit_ratio, main.cache_request_hit_ratio), (Some(0.3333), Some(0.5)));
    Ok(())
}

#[test]
fn a_call_without_a_whole_report_makes_the_tally_incomplete() -> Result<(), Error> {
    let rig = Rig::<TokenUsage>::new(Config::default())?;
    call(&rig, answer("main", "openai", tokens(10, 5, None)))?;
    assert!(tally(Scope::Session)?.complete);
    call(&rig, answer("main", "openai", None))?;
    call(&rig, answer("main", "openai", Some(Usage { input_tokens: Some(3), ..Usage::unknown() })))?;
    let session = tally(Scope::Session)?;
    assert_eq!((session.calls, session.calls_reported, session.calls_unavailable), (3, 1, 2));
    assert!(!session.complete);
    Ok(())
}

#[test]
fn an_excluded_provider_s_calls_are_unavailable() -> Result<(), Error> {
    let config = Config { exclude_providers: vec!["scripted".to_owned()], ..Config::default() };
    let rig = Rig::<TokenUsage>::new(config)?;
    call(&rig, answer("main", "scripted", tokens(10, 5, None)))?;
    let session = tally(Scope::Session)?;
    assert_eq!((session.calls, session.calls_unavailable, session.models.len()), (1, 1, 0));
    assert_eq!(session.total.input_tokens, None);
    Ok(())
}

#[test]
fn an_answer_of_a_layer_is_no_model_call() -> Result<(), Error> {
    let rig = Rig::<TokenUsage>::new(Config::default())?;
    assert!(call(&rig, ModelResponse::new(&[]))?.is_empty());
    assert_eq!(tally(Scope::Session)?.calls, 0);
    Ok(())
}

#[test]
fn each_update_is_an_event_unless_switched_off() -> Result<(), Error> {
    let rig = Rig::<TokenUsage>::new(Config::default())?;
    let events = call(&rig, answer("main", "openai", tokens(10, 5, None)))?;
    let [Event::Other(event)] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!(event.name, "token-usage");
    let json: serde_json::Value = serde_json::from_str(&event.json)?;
    assert_eq!(json["run"]["total"]["input-tokens"], 10);
    assert_eq!(json["latest"]["model"], "main");

    let quiet = Rig::<TokenUsage>::new(Config { events: false, ..Config::default() })?;
    assert!(call(&quiet, answer("main", "openai", tokens(10, 5, None)))?.is_empty());
    Ok(())
}

#[test]
fn counting_that_fails_changes_no_reply() -> Result<(), Error> {
    let rig = Rig::<TokenUsage>::new(Config::default())?;
    with(|world| world.denied.insert(Capability::State));
    call(&rig, answer("main", "openai", tokens(10, 5, None)))?;
    let lines = with(|world| world.log.clone());
    let text = "the tokens of a model call are not counted: `state` is not granted";
    assert_eq!(lines, [(Level::Error, text.to_owned())]);
    Ok(())
}

/// Ends a reply, and gives what was logged.
fn logged_at_the_end(rig: &Rig<TokenUsage>) -> Vec<String> {
    rig.middleware.on_turn_end(TurnSummary::from(TurnSummaryData {
        outcome: Outcome::Replied,
        message: None,
        error: None,
        usage: Usage::unknown(),
        steps: 1,
        tool_calls: 0,
        duration_ms: 1,
    }));
    with(|world| world.log.drain(..).map(|(_, line)| line).collect())
}

#[test]
fn the_end_of_a_turn_logs_both_tallies() -> Result<(), Error> {
    let rig = Rig::<TokenUsage>::new(Config::default())?;
    call(&rig, answer("main", "openai", tokens(10, 5, None)))?;
    let text = "1 model call, 10 input tokens, 5 output tokens";
    assert_eq!(logged_at_the_end(&rig), [format!("run: {text}"), format!("session: {text}")]);
    call(&rig, answer("main", "openai", None))?;
    let text = "2 model calls, 10 input tokens, 5 output tokens, 1 call without a report";
    assert_eq!(logged_at_the_end(&rig), [format!("run: {text}"), format!("session: {text}")]);
    Ok(())
}
