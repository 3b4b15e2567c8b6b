use cepa_sdk::rig::{Answer, Capability, Rig, with};
use cepa_sdk::{Error, ErrorKind, ModelRequest};

use super::{Config, Per, RateLimit};

fn call(rig: &Rig<RateLimit>) -> Result<String, Error> {
    rig.on_model_call(ModelRequest::new("main"), [Answer::text("hi")]).result.map(|response| response.text())
}

fn slept() -> Vec<u32> {
    with(|world| world.slept.clone())
}

fn ten_a_second() -> Config {
    Config { requests_per_minute: 600, burst: 3, max_wait_ms: 250, ..Config::default() }
}

#[test]
fn a_burst_goes_through_and_then_calls_wait_their_turn() -> Result<(), Error> {
    let rig = Rig::<RateLimit>::new(ten_a_second())?;
    for _ in 0..5 {
        call(&rig)?;
    }
    assert_eq!(slept(), [100, 100]);
    Ok(())
}

#[test]
fn a_quiet_time_fills_the_bucket_and_no_more() -> Result<(), Error> {
    let rig = Rig::<RateLimit>::new(ten_a_second())?;
    call(&rig)?;
    with(|world| world.advance(3_600_000));
    for _ in 0..4 {
        call(&rig)?;
    }
    assert_eq!(slept(), [100]);
    Ok(())
}

#[test]
fn too_long_a_wait_is_refused_and_takes_no_turn() -> Result<(), Error> {
    let rig = Rig::<RateLimit>::new(Config { burst: 1, max_wait_ms: 50, ..ten_a_second() })?;
    call(&rig)?;
    for _ in 0..3 {
        let error = call(&rig).err().unwrap_or_else(|| Error::internal("not refused"));
        assert_eq!(
            (error.kind, error.retry_after_ms, error.retryable),
            (ErrorKind::RateLimited, Some(100), true)
        );
    }
    with(|world| world.advance(100));
    call(&rig)?;
    assert!(slept().is_empty());
    Ok(())
}

#[test]
fn the_rate_lasts_beyond_the_instance() -> Result<(), Error> {
    let config = Config { burst: 1, ..ten_a_second() };
    call(&Rig::<RateLimit>::new(config)?)?;
    call(&Rig::<RateLimit>::next_instance(config)?)?;
    assert_eq!(slept(), [100]);
    Ok(())
}

#[test]
fn sessions_share_the_rate_or_have_one_each() -> Result<(), Error> {
    for (per, keys) in [(Per::Layer, "Layer"), (Per::Session, "Session")] {
        call(&Rig::<RateLimit>::new(Config { per, ..ten_a_second() })?)?;
        let scopes: Vec<String> =
            with(|world| world.state.keys().map(|(scope, _)| format!("{scope:?}")).collect());
        assert_eq!(scopes.len(), 1);
        assert!(scopes.concat().ends_with(keys), "{scopes:?}");
    }
    Ok(())
}

#[test]
fn a_clock_that_was_set_back_does_not_block_for_long() -> Result<(), Error> {
    let rig = Rig::<RateLimit>::new(Config { burst: 1, ..ten_a_second() })?;
    call(&rig)?;
    with(|world| world.now_ms -= 3_600_000);
    let wait = call(&rig).err().and_then(|error| error.retry_after_ms);
    assert!(wait.is_some_and(|wait| wait <= 350), "{wait:?}");
    Ok(())
}

#[test]
fn without_the_grant_no_call_goes_through_unlimited() -> Result<(), Error> {
    let rig = Rig::<RateLimit>::new(Config::default())?;
    with(|world| world.denied.insert(Capability::State));
    assert_eq!(call(&rig).err().map(|error| error.message).as_deref(), Some("`state` is not granted"));
    Ok(())
}

#[test]
fn a_rate_of_nothing_is_a_mistake() {
    let error = Rig::<RateLimit>::from_json(r#"{"requests-per-minute": 0}"#).err().map(|error| error.message);
    assert_eq!(error.as_deref(), Some("`requests-per-minute` is 0: from 1 to 1000000 is possible"));
}
