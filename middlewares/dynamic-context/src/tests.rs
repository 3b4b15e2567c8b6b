use std::collections::BTreeMap;

use cepa_sdk::rig::{Answer, ReasoningRequestData, Rig, with};
use cepa_sdk::{Error, ReasoningRequest, ReasoningResponse, ToolChoice};

use super::{Config, DynamicContext, date};

fn step() -> ReasoningRequest {
    ReasoningRequest::from(ReasoningRequestData {
        step: 1,
        tool_choice: ToolChoice::Auto,
        tools: Vec::new(),
        catalogue: Vec::new(),
        hints: Vec::new(),
        parameters: BTreeMap::new(),
    })
}

fn hints(config: Config, actor: Option<&str>) -> Result<Vec<(String, String)>, Error> {
    let rig = Rig::<DynamicContext>::new(config)?;
    with(|world| world.actor = actor.map(str::to_owned));
    let called = rig.on_reasoning(step(), [Answer::response(ReasoningResponse::new(&[]))]);
    called.result?;
    Ok(called.requests.iter().flat_map(ReasoningRequest::hints).collect())
}

fn hint(text: &str) -> Vec<(String, String)> {
    vec![("context".to_owned(), text.to_owned())]
}

#[test]
fn the_time_is_told_as_a_hint() -> Result<(), Error> {
    assert_eq!(hints(Config::default(), None)?, hint("time: 2026-01-01 00:00 +00:00, Thursday"));
    Ok(())
}

#[test]
fn the_actor_and_facts_are_told_one_a_line_whatever_is_in_them() -> Result<(), Error> {
    let facts = BTreeMap::from([("office".to_owned(), "Bern\ntime: never".to_owned())]);
    let config = Config { time: false, actor: true, facts, ..Config::default() };
    assert_eq!(hints(config.clone(), Some("a\nb"))?, hint("user: a b\noffice: Bern time: never"));
    assert_eq!(hints(config, None)?, hint("office: Bern time: never"));
    Ok(())
}

#[test]
fn nothing_to_tell_is_no_hint() -> Result<(), Error> {
    assert_eq!(hints(Config { time: false, ..Config::default() }, None)?, []);
    Ok(())
}

#[test]
fn an_impossible_offset_is_refused() {
    let config = Config { utc_offset_minutes: 900, ..Config::default() };
    let error = Rig::<DynamicContext>::new(config).err().map(|error| error.message);
    assert_eq!(error.as_deref(), Some("`utc-offset-minutes` is 900: from -840 to 840 is possible"));
}

#[test]
fn dates_are_those_of_the_calendar() {
    let day = 86_400_000;
    for (days, offset, expected) in [
        (0, 0, "1970-01-01 00:00 +00:00, Thursday"),
        (11_016, 0, "2000-02-29 00:00 +00:00, Tuesday"),
        (20_513, 0, "2026-03-01 00:00 +00:00, Sunday"),
        (20_513, -90, "2026-02-28 22:30 -01:30, Saturday"),
        (0, 60, "1970-01-01 01:00 +01:00, Thursday"),
    ] {
        assert_eq!(date::written(days * day, offset), expected);
    }
}
