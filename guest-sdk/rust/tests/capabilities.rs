//! Capabilities in the rig: files, documents, telemetry and runs of agents in memory.

use cepa_sdk::index::{self, Document, Scope};
use cepa_sdk::rig::{AgentRunData, Capability, Rig, with};
use cepa_sdk::telemetry::{self, Span};
use cepa_sdk::{Error, ErrorKind, Middleware, NoConfig, Outcome, agents, workspace};

/// Does nothing by itself: what the tests use is around it.
struct Idle;

impl Middleware for Idle {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

#[test]
fn files_are_kept_below_mounts() -> Result<(), Error> {
    Rig::<Idle>::new(NoConfig {})?;
    workspace::create_folder("work/notes/old")?;
    workspace::write("work/notes/a", b"one")?;
    workspace::append("work/notes/a", b", two")?;
    assert_eq!(workspace::read_text("work/notes/a")?, "one, two");
    assert_eq!(workspace::read_part("work/notes/a", 5, 9)?, b"two");
    let names: Vec<String> =
        workspace::all_entries("work/notes")?.into_iter().map(|entry| entry.name).collect();
    assert_eq!(names, ["a", "old"]);
    workspace::rename("work/notes", "work/papers")?;
    assert_eq!(workspace::stat("work/papers/a")?.size, 8);
    let kind = |result: Result<(), Error>| result.err().map(|error| error.kind);
    assert_eq!(kind(workspace::write("work/notes/a", b"")), Some(ErrorKind::NotFound));
    assert_eq!(kind(workspace::write("other/a", b"")), Some(ErrorKind::Denied));
    assert_eq!(kind(workspace::write("work/../a", b"")), Some(ErrorKind::InvalidInput));
    assert_eq!(kind(workspace::remove("work/papers")), Some(ErrorKind::InvalidInput));
    with(|world| world.mounts.iter_mut().for_each(|mount| mount.writable = false));
    assert_eq!(kind(workspace::remove("work/papers/a")), Some(ErrorKind::Denied));
    Ok(())
}

#[test]
fn documents_are_found_by_their_words() -> Result<(), Error> {
    Rig::<Idle>::new(NoConfig {})?;
    let english = Document::new("a", "Onion soup")
        .with_metadata(&Tags::from([("lang".to_owned(), "en".to_owned())]))?;
    index::put(Scope::Layer, "notes", &[english, Document::new("b", "Onion, onion")])?;
    let ids = |query: &str, filter: Option<&str>| -> Result<Vec<String>, Error> {
        let hits = index::search(Scope::Layer, "notes", query, filter, 10)?;
        Ok(hits.into_iter().map(|hit| hit.document.id).collect())
    };
    assert_eq!(ids("ONION", None)?, ["b", "a"]);
    assert_eq!(ids("onion", Some(r#"{"lang": ["en", "fr"]}"#))?, ["a"]);
    assert_eq!(index::count(Scope::Session, "notes")?, 0);
    let found = index::get(Scope::Layer, "notes", "a")?.map(|found| found.read_metadata::<Tags>());
    assert_eq!(found.transpose()?.and_then(|tags| tags.get("lang").cloned()).as_deref(), Some("en"));
    assert_eq!(index::remove(Scope::Layer, "notes", &["a".to_owned()])?, 1);
    assert_eq!(index::clear(Scope::Layer, "notes")?, 1);
    with(|world| world.denied.insert(Capability::Index));
    assert_eq!(index::count(Scope::Layer, "notes").err().map(|error| error.kind), Some(ErrorKind::Denied));
    Ok(())
}

type Tags = std::collections::BTreeMap<String, String>;

#[test]
fn what_is_measured_is_kept_for_the_test() -> Result<(), Error> {
    Rig::<Idle>::new(NoConfig {})?;
    let outer = Span::start("search", r#"{"words": 2}"#)?;
    let inner = outer.child("rank", "")?;
    cepa_sdk::clock::sleep(5);
    inner.end();
    outer.set_attributes(r#"{"words": 3}"#)?;
    let failed = telemetry::measured("fetch", || Err::<(), _>(Error::invalid("no address")));
    assert_eq!(failed.map_err(|error| error.message), Err("no address".to_owned()));
    telemetry::count("searches", 1.0, "")?;
    let kind = |result: Result<(), Error>| result.err().map(|error| error.kind);
    assert_eq!(kind(inner.fail("late")), Some(ErrorKind::InvalidInput));
    assert_eq!(kind(telemetry::count("searches", f64::NAN, "")), Some(ErrorKind::InvalidInput));
    drop(outer);
    let shown = with(|world| {
        let spans = world.spans.iter().map(|span| {
            let attributes = serde_json::Value::Object(span.attributes.clone());
            format!("{} {:?} {attributes} {:?} {:?}", span.name, span.parent, span.end_ms, span.failure)
        });
        spans.collect::<Vec<_>>()
    });
    assert_eq!(
        shown,
        [
            r#"search None {"words":3} Some(5) None"#,
            r#"rank Some(0) {} Some(5) None"#,
            r#"fetch None {} Some(5) Some("no address")"#,
        ]
    );
    assert_eq!(with(|world| world.counts.len()), 1);
    with(|world| world.denied.insert(Capability::Telemetry));
    assert_eq!(kind(telemetry::count("searches", 1.0, "")), Some(ErrorKind::Denied));
    assert_eq!(telemetry::measured("search", || Ok(7))?, 7);
    Ok(())
}

#[test]
fn agents_answer_what_the_test_says() -> Result<(), Error> {
    Rig::<Idle>::new(NoConfig {})?;
    with(|world| {
        world.agents = vec!["helper".to_owned()];
        let parked = AgentRunData { outcome: Outcome::Parked, ..AgentRunData::answer("t2", "") };
        world.agent_runs.extend([Ok(AgentRunData::answer("t1", "Here.")), Ok(parked)]);
    });
    assert_eq!(agents::ask("helper", "Where?")?, "Here.");
    let run = agents::run("helper", Some("t1"), "And now?")?;
    assert_eq!(agents::answer(&run).map_err(|error| error.code), Err("parked".to_owned()));
    assert_eq!(agents::ask("nobody", "You?").map_err(|error| error.kind), Err(ErrorKind::NotFound));
    let asked = with(|world| world.agent_calls.clone());
    let call = |thread: Option<&str>, prompt: &str| {
        ("helper".to_owned(), thread.map(str::to_owned), prompt.to_owned())
    };
    assert_eq!(asked, [call(None, "Where?"), call(Some("t1"), "And now?")]);
    with(|world| world.denied.insert(Capability::Agents));
    assert_eq!(agents::names().map_err(|error| error.kind), Err(ErrorKind::Denied));
    Ok(())
}
