use cepa_sdk::rig::{Answer, Rig, with};
use cepa_sdk::{Error, ErrorKind, Event, ModelRequest};

use super::{Config, Timing};

fn log() -> Vec<String> {
    with(|world| world.log.iter().map(|(_, line)| line.clone()).collect())
}

#[test]
fn a_call_is_logged_with_its_name_and_its_end() -> Result<(), Error> {
    let rig = Rig::<Timing>::new(Config::default())?;
    let called = rig.on_model_call(ModelRequest::new("main"), [Answer::text("hi")]);
    assert_eq!(called.result?.text(), "hi");
    let failed =
        rig.on_model_call(ModelRequest::new("main"), [Answer::error(Error::new(ErrorKind::Timeout, "slow"))]);
    assert!(failed.result.is_err());
    assert_eq!(log(), ["model-call `main`: 0.000 ms, ok", "model-call `main`: 0.000 ms, timeout"]);
    Ok(())
}

#[test]
fn events_come_after_those_of_the_call_and_only_when_asked_for() -> Result<(), Error> {
    let quiet = Rig::<Timing>::new(Config { log: false, events: false })?;
    assert_eq!(quiet.on_model_call(ModelRequest::new("main"), [Answer::text("hi")]).events.len(), 3);
    assert!(log().is_empty());

    let rig = Rig::<Timing>::new(Config { log: false, events: true })?;
    let events = rig.on_model_call(ModelRequest::new("main"), [Answer::text("hi")]).events;
    let Some(Event::Other(last)) = events.last() else { panic!("{events:?}") };
    assert_eq!(last.name, "timing");
    assert!(last.json.contains("\"what\":\"model-call\""), "{}", last.json);
    Ok(())
}
