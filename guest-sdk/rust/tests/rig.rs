//! The rig behaves as a host does, as far as a middleware can see.

use cepa_sdk::rig::{Answer, Capability, Rig, with};
use cepa_sdk::schemars::JsonSchema;
use cepa_sdk::serde::Deserialize;
use cepa_sdk::state::{self, Scope};
use cepa_sdk::{
    Error, ErrorKind, Event, EventKinds, Message, Middleware, ModelNext, ModelRequest, ModelResponse,
    OnModelCall, Sink, ToolCall, clock, random,
};

/// Sends text on in upper case, and lets all else pass.
struct Loud {
    runs: u32,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default, crate = "cepa_sdk::serde")]
#[schemars(crate = "cepa_sdk::schemars")]
struct Config {
    /// How often the model is asked besides.
    extra_runs: u32,
}

impl Middleware for Loud {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        Ok(Self { runs: config.extra_runs })
    }
}

impl OnModelCall for Loud {
    fn on_model_call(
        &self,
        request: ModelRequest,
        next: ModelNext,
        out: Sink,
    ) -> Result<ModelResponse, Error> {
        for _ in 0..self.runs {
            next.run(request.clone())?;
        }
        let run = next.start(request);
        loop {
            let mut events = run.next(EventKinds::TEXT);
            if events.is_empty() {
                break;
            }
            for event in &mut events {
                if let Event::TextDelta(delta) = event {
                    delta.text = delta.text.to_uppercase();
                }
            }
            out.emit(&events)?;
        }
        let response = run.finish()?;
        let twice = run.finish().err().map(|error| error.kind);
        assert_eq!(twice, Some(ErrorKind::InvalidInput));
        Ok(response)
    }
}

cepa_sdk::export!(Loud: OnModelCall);

fn marker(name: &str) -> Event {
    Event::other(name, &cepa_sdk::serde_json::Value::Null)
}

#[test]
fn events_of_other_kinds_pass_by_in_their_place() -> Result<(), Error> {
    let rig = Rig::<Loud>::new(Config::default())?;
    let spoken = Answer::text("hi").after([marker("last")]);
    let called = rig.on_model_call(ModelRequest::new("main"), [spoken]);
    let seen: Vec<String> = called
        .events
        .iter()
        .map(|event| match event {
            Event::TextDelta(delta) => delta.text.clone(),
            other => format!("{:?}", other.kind()),
        })
        .collect();
    assert_eq!(seen.len(), 4);
    assert_eq!(seen.get(1).map(String::as_str), Some("HI"));
    assert_eq!(called.events.last(), Some(&marker("last")));
    Ok(())
}

#[test]
fn a_run_more_than_there_are_answers_meets_the_limit() -> Result<(), Error> {
    let rig = Rig::<Loud>::from_json(r#"{"extra-runs": 1}"#)?;
    let called = rig.on_model_call(ModelRequest::new("main"), [Answer::text("once")]);
    let error = called.result.err().map(|error| (error.kind, error.message));
    let text = "limit `next-runs` reached: the rig has no answer for run 2".to_owned();
    assert_eq!(error, Some((ErrorKind::Limit, text)));
    Ok(())
}

#[test]
fn an_unknown_key_is_refused_and_the_schema_says_so() {
    let error =
        Rig::<Loud>::from_json(r#"{"extra-run": 1}"#).err().map(|error| error.message).unwrap_or_default();
    assert!(error.contains("unknown field `extra-run`, expected `extra-runs`"), "{error}");
    let schema = cepa_sdk::schema::<Loud>();
    assert!(schema.contains(r#""additionalProperties":false"#), "{schema}");
    assert!(schema.contains("How often the model is asked besides."), "{schema}");
}

#[test]
fn edits_are_checked_and_a_clone_is_of_its_own() -> Result<(), Error> {
    let request = ModelRequest::new("main");
    request.push_message(&Message::user("one"))?;
    let other = request.clone();
    other.insert_message(0, &Message::user("zero"))?;
    assert_eq!((request.message_count(), other.message_count()), (1, 2));
    assert_eq!(request.message(9).err().map(|error| error.kind), Some(ErrorKind::InvalidInput));
    assert_eq!(
        request.set_parameter("seed", Some("{broken")).err().map(|e| e.kind),
        Some(ErrorKind::InvalidInput)
    );
    assert_eq!(request.parameter("seed"), None);
    Ok(())
}

#[test]
fn a_change_of_state_is_not_lost_to_another() -> Result<(), Error> {
    Rig::<Loud>::new(Config::default())?;
    let mut meddled = false;
    let sum = state::update_json(Scope::Session, "sum", |sum: &mut u32| {
        if !meddled {
            meddled = true;
            state::set(Scope::Session, "sum", "40")?;
        }
        *sum += 2;
        Ok(*sum)
    })?;
    assert_eq!((sum, state::get(Scope::Session, "sum")?.as_deref()), (42, Some("42")));
    assert_eq!(state::get(Scope::Reply, "sum")?, None);
    assert_eq!(state::keys(Scope::Session, "su")?, ["sum"]);
    Ok(())
}

#[test]
fn what_is_not_granted_is_denied() -> Result<(), Error> {
    Rig::<Loud>::new(Config::default())?;
    with(|world| world.denied.insert(Capability::State));
    assert_eq!(state::get(Scope::Session, "a").err().map(|error| error.kind), Some(ErrorKind::Denied));
    Ok(())
}

#[test]
fn time_moves_only_when_slept_and_chance_repeats() -> Result<(), Error> {
    Rig::<Loud>::new(Config::default())?;
    let (start, number) = (clock::now_ms(), random::number());
    clock::sleep(1500);
    assert_eq!((clock::now_ms() - start, clock::monotonic_us()), (1500, 1_500_000));
    Rig::<Loud>::new(Config::default())?;
    assert_eq!(random::number(), number);
    Ok(())
}

#[test]
fn an_answer_with_calls_stops_for_them() {
    let call = ToolCall { id: "1".to_owned(), name: "add".to_owned(), arguments: "{}".to_owned() };
    let response = ModelResponse::new(&[cepa_sdk::ContentBlock::ToolCall(call)]);
    assert_eq!(response.finish_reason(), cepa_sdk::FinishReason::ToolCalls);
    assert_eq!(response.tool_calls().len(), 1);
}
