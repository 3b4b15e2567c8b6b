use cepa_sdk::rig::{Answer, Called, Rig, with};
use cepa_sdk::{Error, ErrorKind, Event, ModelRequest, ModelResponse};

use super::{Config, ModelRetry, OnFailure};

type Outcome = Called<ModelRequest, ModelResponse>;

fn steady() -> Config {
    Config { jitter: false, ..Config::default() }
}

fn overloaded() -> Answer<ModelResponse> {
    Answer::error(Error::new(ErrorKind::Overloaded, "busy"))
}

fn call(config: Config, answers: impl IntoIterator<Item = Answer<ModelResponse>>) -> Result<Outcome, Error> {
    let rig = Rig::<ModelRetry>::new(config)?;
    Ok(rig.on_model_call(ModelRequest::new("main"), answers))
}

fn slept() -> Vec<u32> {
    with(|world| world.slept.clone())
}

#[test]
fn a_success_is_passed_on_untouched() -> Result<(), Error> {
    let called = call(steady(), [Answer::text("hi")])?;
    assert_eq!(called.result?.text(), "hi");
    assert_eq!(called.events.len(), 3);
    assert!(slept().is_empty());
    Ok(())
}

#[test]
fn waits_grow_and_the_third_attempt_is_the_last() -> Result<(), Error> {
    let called = call(steady(), [overloaded(), overloaded(), overloaded(), Answer::text("late")])?;
    assert_eq!(called.result.err().map(|error| error.kind), Some(ErrorKind::Overloaded));
    assert_eq!(called.requests.len(), 3);
    assert_eq!(slept(), [1000, 2000]);
    Ok(())
}

#[test]
fn each_retry_is_an_event_before_its_wait() -> Result<(), Error> {
    let called = call(steady(), [overloaded(), Answer::text("hi")])?;
    let Some(Event::Other(event)) = called.events.first() else { panic!("{:?}", called.events) };
    assert_eq!(event.name, "model-retry");
    let json: serde_json::Value = serde_json::from_str(&event.json)?;
    assert_eq!(
        json,
        serde_json::json!({ "kind": "overloaded", "max-retries": 2, "retry": 1, "wait-ms": 1000 })
    );
    Ok(())
}

#[test]
fn the_longest_wait_is_a_cap_and_factor_zero_keeps_the_length() -> Result<(), Error> {
    let config = Config { max_retries: 4, max_delay_ms: 2500, ..steady() };
    call(config.clone(), [overloaded(), overloaded(), overloaded(), overloaded(), overloaded()])?;
    assert_eq!(slept(), [1000, 2000, 2500, 2500]);
    call(Config { backoff_factor: 0.0, ..config }, [overloaded(), overloaded(), Answer::text("hi")])?;
    assert_eq!(slept(), [1000, 1000]);
    Ok(())
}

#[test]
fn jitter_stays_within_a_quarter() -> Result<(), Error> {
    let rig = Rig::<ModelRetry>::new(Config::default())?;
    for (number, expected) in [(0, 750), (u32::MAX, 1250), (u32::MAX / 2, 1000)] {
        with(|world| {
            world.slept.clear();
            world.numbers = [number].into();
        });
        rig.on_model_call(ModelRequest::new("main"), [overloaded(), Answer::text("hi")]).result?;
        assert_eq!(slept(), [expected]);
    }
    Ok(())
}

#[test]
fn the_provider_s_wait_is_kept_or_the_call_given_up() -> Result<(), Error> {
    let limited = |wait| Answer::error(Error::new(ErrorKind::RateLimited, "slow down").retry_after_ms(wait));
    call(steady(), [limited(7000), Answer::text("hi")])?.result?;
    assert_eq!(slept(), [7000]);
    let called = call(steady(), [limited(30_001), Answer::text("hi")])?;
    assert_eq!(called.result.err().map(|error| error.kind), Some(ErrorKind::RateLimited));
    assert!(slept().is_empty());
    Ok(())
}

#[test]
fn all_waits_together_have_a_bound() -> Result<(), Error> {
    let limited = || Answer::error(Error::new(ErrorKind::RateLimited, "slow down").retry_after_ms(20_000));
    let config = Config { max_retries: 9, ..steady() };
    let called = call(config.clone(), [limited(), limited(), limited(), Answer::text("late")])?;
    assert_eq!(called.result.err().map(|error| error.kind), Some(ErrorKind::RateLimited));
    assert_eq!((called.requests.len(), slept()), (3, vec![20_000, 20_000]));
    let exact = Config { max_total_wait_ms: 60_000, ..config };
    call(exact, [limited(), limited(), limited(), Answer::text("hi")])?.result?;
    assert_eq!(slept(), [20_000, 20_000, 20_000]);
    Ok(())
}

#[test]
fn own_waits_count_toward_that_bound() -> Result<(), Error> {
    let config = Config { max_retries: 9, max_total_wait_ms: 3000, ..steady() };
    let called = call(config, [overloaded(), overloaded(), overloaded(), Answer::text("late")])?;
    assert_eq!(called.result.err().map(|error| error.kind), Some(ErrorKind::Overloaded));
    assert_eq!(slept(), [1000, 2000]);
    Ok(())
}

#[test]
fn what_can_t_succeed_is_not_tried_again() -> Result<(), Error> {
    for kind in [ErrorKind::Authentication, ErrorKind::ContextOverflow, ErrorKind::InvalidInput] {
        let called = call(steady(), [Answer::error(Error::new(kind, "no")), Answer::text("hi")])?;
        assert_eq!(called.requests.len(), 1, "{kind:?}");
    }
    Ok(())
}

#[test]
fn an_abort_and_a_denial_are_never_tried_again_nor_turned_into_an_answer() -> Result<(), Error> {
    for kind in [ErrorKind::Aborted, ErrorKind::Denied] {
        let config = Config { retry_on: vec![kind], on_failure: OnFailure::Continue, ..steady() };
        let called =
            call(config, [Answer::error(Error::new(kind, "stop").retryable(true)), Answer::text("hi")])?;
        assert_eq!(called.requests.len(), 1);
        assert_eq!(called.result.err().map(|error| error.kind), Some(kind));
    }
    Ok(())
}

#[test]
fn listed_kinds_replace_the_error_s_own_word() -> Result<(), Error> {
    let config = Config { retry_on: vec![ErrorKind::ContentFilter], ..steady() };
    let filtered = Answer::error(Error::new(ErrorKind::ContentFilter, "no"));
    assert_eq!(call(config.clone(), [filtered, Answer::text("hi")])?.requests.len(), 2);
    assert_eq!(call(config, [overloaded(), Answer::text("hi")])?.requests.len(), 1);
    Ok(())
}

#[test]
fn continue_makes_the_failure_an_answer() -> Result<(), Error> {
    let config = Config { max_retries: 1, on_failure: OnFailure::Continue, ..steady() };
    let called = call(config, [overloaded(), overloaded()])?;
    assert_eq!(called.result?.text(), "The model call failed after 2 attempts: busy");
    Ok(())
}

#[test]
fn every_attempt_starts_from_the_same_request() -> Result<(), Error> {
    let request = ModelRequest::new("main");
    request.set_system_prompt(Some("be brief"));
    let rig = Rig::<ModelRetry>::new(steady())?;
    let called = rig.on_model_call(request, [overloaded(), Answer::text("hi")]);
    assert!(called.requests.iter().all(|request| request.system_prompt().as_deref() == Some("be brief")));
    Ok(())
}

#[test]
fn a_misspelt_key_and_an_unknown_kind_are_refused() {
    for (config, expected) in [
        (r#"{"max-retry": 1}"#, "unknown field `max-retry`"),
        (r#"{"retry-on": ["slow"]}"#, "no error kind is named `slow`"),
        (r#"{"backoff-factor": -1}"#, "`backoff-factor` is -1"),
    ] {
        let error = Rig::<ModelRetry>::from_json(config).err().map(|error| error.message).unwrap_or_default();
        assert!(error.contains(expected), "{error}");
    }
}
