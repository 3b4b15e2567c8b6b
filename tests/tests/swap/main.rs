//! Swapping components of a running agent: by its manifest, one by one, and under load.

mod bench;
mod load;

use cepa::chain::NoteKind;
use cepa::event::Outcome;
use cepa::host::{Change, DifferenceKind, LoadError, SwapError};
use cepa::request::Permission;
use cepa_tests::agent::ask;
use cepa_tests::guest;
use serde_json::json;

use bench::{Bench, layer};

/// A sub-agent with a layer `x`.
const HELPER: &str = "[agents.helper]\nsystem-prompt = \"Help.\"\n[[agents.helper.middleware]]\nname = \"x\"\nsource = \"x.wasm\"\n";

const TALLY: &str = "[[middleware]]\nname = \"t\"\nsource = \"t.wasm\"\nconfig = { label = \"a\" }\ngrants = { state = true }\n";

/// The same layer with its state as JSON, in one of its moods.
fn tally_json(mood: &str) -> String {
    TALLY.replace("label = \"a\"", &format!("mood = \"{mood}\""))
}

#[tokio::test]
async fn nothing_is_swapped_where_nothing_differs() {
    let bench = Bench::new(&layer("x", ""), &[("x.wasm", guest!("passthrough"))]).await;
    let report = bench.take_up(&[]).await.unwrap();
    assert_eq!((report.generation, report.layers), (1, vec![]));
}

#[tokio::test]
async fn a_broken_component_never_replaces_a_working_one() {
    let bench = Bench::new(&layer("x", ""), &[("x.wasm", guest!("passthrough"))]).await;
    for (broken, says) in [
        (&b""[..], "it is empty"),
        (&b"\0asm\x01\0\0\0"[..], "core WebAssembly module"),
        (&guest!("passthrough")[..1000], "can't be compiled"),
        (&b"\0asm\x0d\0\x01\0"[..], "exports no hook"),
    ] {
        bench.write("x.wasm", broken);
        let refused = bench.take_up(&[]).await.unwrap_err();
        assert!(matches!(refused, SwapError::Load(LoadError::Component(_))), "{refused:?}");
        assert!(refused.to_string().contains(says), "{refused}");
        assert!(refused.to_string().contains("source = \"x.wasm\""), "it is shown at its place: {refused}");
        assert_eq!(ask(bench.agent(), "Go").await.result.response.outcome, Outcome::Replied);
        assert_eq!(bench.agent().generation(), 1);
    }
    std::fs::remove_file(bench.path("x.wasm")).unwrap();
    let same = Change::Manifest(Box::new(bench.loaded.manifest().clone()));
    assert!(bench.swap(same, &[]).await.unwrap_err().to_string().contains("can't be read"));
    assert_eq!(ask(bench.agent(), "Go").await.result.response.outcome, Outcome::Replied);
}

#[tokio::test]
async fn a_configuration_that_does_not_fit_changes_nothing() {
    let bench = Bench::new(&layer("x", ""), &[("x.wasm", guest!("program"))]).await;
    bench.manifest(&layer("x", "config = { steps = 3 }"));
    let refused = bench.take_up(&[]).await.unwrap_err();
    assert!(refused.to_string().contains("does not fit its component"), "{refused}");
    assert_eq!(bench.agent().generation(), 1);
}

#[tokio::test]
async fn layers_are_added_changed_moved_and_taken_out() {
    let files =
        [("x.wasm", guest!("passthrough")), ("y.wasm", guest!("observe")), ("z.wasm", guest!("program"))];
    let bench = Bench::new(&format!("{}{}", layer("x", ""), layer("y", "")), &files).await;
    let answers = r#"config = { steps = [{ answer = "z" }] }"#;
    bench.manifest(&format!(
        "{}{}{}",
        layer("y", "on-fault = \"skip\""),
        layer("z", answers),
        layer("x", "")
    ));
    let report = bench.take_up(&[]).await.unwrap();
    let told: Vec<(&str, DifferenceKind, String)> = (report.layers.iter())
        .map(|layer| (layer.layer.as_str(), layer.kind, layer.changed.join(" ")))
        .collect();
    assert_eq!(
        told,
        [
            ("y", DifferenceKind::Changed, "on-fault place".to_owned()),
            ("z", DifferenceKind::Added, String::new()),
            ("x", DifferenceKind::Changed, "place".to_owned()),
        ]
    );
    assert_eq!(bench.agent().layers(), ["y", "z", "x"]);
    assert_eq!(bench.said("Go").await, "z");

    bench.manifest(&layer("x", ""));
    let report = bench.take_up(&[]).await.unwrap();
    let gone: Vec<&str> = (report.layers.iter())
        .filter(|layer| layer.kind == DifferenceKind::Removed)
        .map(|layer| layer.layer.as_str())
        .collect();
    assert_eq!(gone, ["y", "z"]);
    assert_eq!(bench.said("Go").await, "got Go");
}

#[tokio::test]
async fn one_layer_is_swapped_alone_and_no_other_file_is_read() {
    let files = [("x.wasm", guest!("passthrough")), ("y.wasm", guest!("passthrough"))];
    let bench = Bench::new(&format!("{}{}", layer("x", ""), layer("y", "")), &files).await;
    bench.write("y.wasm", b"broken meanwhile");
    bench.write("new.wasm", guest!("program"));
    let mut spec = bench.loaded.layers()[0].spec.clone();
    spec.source = cepa::policy::LayerSource::File(bench.path("new.wasm"));
    spec.config = json!({ "steps": [{ "answer": "new" }] });
    let change = Change::Layer { spec: Box::new(spec.clone()), place: None };
    let report = bench.swap(change, &[]).await.unwrap();
    assert_eq!(report.layers[0].changed, ["source", "component", "config"]);
    assert_eq!(bench.said("Go").await, "new");

    let change = Change::Layer { spec: Box::new(spec.clone()), place: Some(9) };
    bench.swap(change, &[]).await.unwrap();
    assert_eq!(bench.agent().layers(), ["y", "x"]);

    spec.name = "no-such".to_owned();
    let change = Change::Layer { spec: Box::new(spec), place: None };
    let refused = bench.swap(change, &[]).await.unwrap_err();
    assert_eq!(refused.to_string(), "there is no layer `no-such`; there are `y`, `x`");
}

#[tokio::test]
async fn what_is_newly_imported_or_granted_needs_consent() {
    let bench = Bench::new(&layer("t", ""), &[("t.wasm", guest!("passthrough"))]).await;
    bench.write("t.wasm", guest!("tally"));
    let refused = bench.take_up(&[]).await.unwrap_err();
    assert_eq!(refused.to_string(), "the swap needs consent: layer `t` newly has `state`");
    let SwapError::Consent(layers) = refused else { panic!("{refused:?}") };
    assert_eq!(
        (layers[0].new_imports.as_slice(), layers[0].new_grants.len()),
        (&["state".to_owned()][..], 0)
    );
    assert!(layers[0].version_before != layers[0].version_after);
    assert_eq!(bench.agent().generation(), 1);

    for (manifest, wanted) in [
        (layer("t", "grants = { state = true }"), "state"),
        (layer("t", "grants = { state = true, tools = [\"a\"] }"), "state`, `tools=a"),
        (layer("t", "grants = { conversation = \"write\" }"), "conversation=write`, `state"),
    ] {
        bench.manifest(&manifest);
        let refused = bench.take_up(&["models", "other:state"]).await.unwrap_err();
        assert_eq!(refused.to_string(), format!("the swap needs consent: layer `t` newly has `{wanted}`"));
    }
    bench.manifest(TALLY);
    let report = bench.take_up(&["t:state"]).await.unwrap();
    assert_eq!(report.layers[0].needs_consent, ["state"]);
    assert_eq!(bench.said("Go").await, "a: 1");

    // Granted and imported before: another version of it needs no consent.
    bench.write("t.wasm", guest!("tally-json"));
    bench.manifest(&tally_json("good"));
    bench.take_up(&[]).await.unwrap();
    assert_eq!(bench.agent().generation(), 3);
}

#[tokio::test]
async fn a_new_layer_needs_consent_for_all_it_may_use() {
    let bench = Bench::new("", &[]).await;
    bench.write("t.wasm", guest!("tally"));
    bench.write("x.wasm", guest!("passthrough"));
    bench.manifest(&format!("{TALLY}{}", layer("x", "")));
    let refused = bench.take_up(&[]).await.unwrap_err();
    assert_eq!(refused.to_string(), "the swap needs consent: layer `t` newly has `state`");
    let report = bench.take_up(&["*"]).await.unwrap();
    assert_eq!(report.layers.len(), 2);
}

#[tokio::test]
async fn a_component_takes_the_state_of_its_version_before_over() {
    let bench = Bench::new(TALLY, &[("t.wasm", guest!("tally"))]).await;
    assert_eq!(bench.said("Go").await, "a: 1");
    assert_eq!(bench.said("Go").await, "a: 2");
    bench.write("t.wasm", guest!("tally-json"));
    for (mood, says) in [
        ("refuses-to-migrate", "I would rather not"),
        ("panics-at-migration", "broken on purpose"),
        ("wants-sessions", "only the state of the scope `layer`"),
    ] {
        bench.manifest(&tally_json(mood));
        let refused = bench.take_up(&[]).await.unwrap_err();
        assert!(refused.to_string().contains(says), "{refused}");
        let SwapError::Migrate { layer, notes, .. } = refused else { panic!("{refused:?}") };
        assert_eq!(layer, "t");
        assert!(notes.contains(&"t: took over 2".to_owned()), "what it said explains it: {notes:?}");
    }
    assert_eq!(bench.said("Go").await, "a: 3", "the old version goes on with its state");
    bench.manifest(&tally_json("good"));
    let report = bench.take_up(&[]).await.unwrap();
    assert_eq!(report.notes, ["t: took over 3"]);
    assert_eq!(bench.said("Go").await, "4 from {\"label\":\"a\"}");
}

#[tokio::test]
async fn a_migration_keeps_to_the_limits_of_its_layer() {
    let limited = format!("{TALLY}limits = {{ cpu = \"40ms\", state = \"10KiB\" }}\n");
    let bench = Bench::new(&limited, &[("t.wasm", guest!("tally"))]).await;
    assert_eq!(bench.said("Go").await, "a: 1");
    bench.write("t.wasm", guest!("tally-json"));
    for (mood, says) in
        [("spins-at-migration", "limit `cpu` reached"), ("floods-at-migration", "limit `state` reached")]
    {
        bench.manifest(&limited.replace("label = \"a\"", &format!("mood = \"{mood}\"")));
        let refused = bench.take_up(&[]).await.unwrap_err();
        assert!(matches!(&refused, SwapError::Migrate { layer, .. } if layer == "t"), "{refused:?}");
        assert!(refused.to_string().contains(says), "{refused}");
    }
    assert_eq!(bench.said("Go").await, "a: 2");
    assert!(bench.is_idle().await);
}

#[tokio::test]
async fn without_the_grant_no_state_is_taken_over() {
    let without = TALLY.replace("grants = { state = true }\n", "");
    let bench = Bench::new(&without, &[("t.wasm", guest!("tally"))]).await;
    bench.write("t.wasm", guest!("tally-json"));
    bench.manifest(&without.replace("label = \"a\"", "mood = \"panics-at-migration\""));
    bench.take_up(&[]).await.unwrap();
}

#[tokio::test]
async fn a_component_that_traps_at_its_first_calls_is_taken_back_with_its_state() {
    let bench = Bench::new(TALLY, &[("t.wasm", guest!("tally"))]).await;
    assert_eq!(bench.said("Go").await, "a: 1");
    bench.write("t.wasm", guest!("tally-json"));
    bench.manifest(&tally_json("panics-at-calls"));
    bench.take_up(&[]).await.unwrap();
    for call in 1..=3 {
        let told = ask(bench.agent(), "Go").await;
        assert_eq!(told.result.response.outcome, Outcome::Failed);
        let taken_back = |kind: &NoteKind| matches!(kind, NoteKind::RolledBack { cause, from: 2, to: 1, .. } if cause.contains("on purpose"));
        let notes = told.notes.iter().filter(|note| taken_back(&note.kind)).count();
        assert_eq!(notes, usize::from(call == 3), "after call {call}");
    }
    assert_eq!(bench.said("Go").await, "a: 2");
    // The same once more is refused by nobody, and taken back again.
    bench.take_up(&[]).await.unwrap();
    assert_eq!(bench.agent().generation(), 3);
}

#[tokio::test]
async fn a_layer_that_was_taken_out_is_tried_again_once_it_is_swapped_even_for_itself() {
    let breaks = layer("x", "on-fault = \"skip\"\nmax-faults = 1\n");
    let bench = Bench::new(&breaks, &[("x.wasm", guest!("trap"))]).await;
    assert_eq!(bench.said("Go").await, "got Go");
    assert_eq!(bench.agent().taken_out().len(), 1);
    let report = bench.take_up(&[]).await.unwrap();
    assert_eq!((report.generation, report.put_back), (1, vec!["x".to_owned()]));
    assert_eq!(bench.agent().taken_out(), []);

    assert_eq!(bench.said("Go").await, "got Go");
    bench.write("x.wasm", guest!("passthrough"));
    let report = bench.take_up(&[]).await.unwrap();
    assert_eq!(report.generation, 2);
    assert_eq!(bench.agent().taken_out(), []);
}

#[tokio::test]
async fn a_sub_agents_layer_is_tried_again_unless_its_old_code_would_run() {
    let helper = format!("{HELPER}on-fault = \"skip\"\nmax-faults = 1\n");
    let bench = Bench::new(&helper, &[("x.wasm", guest!("trap"))]).await;
    let helper = bench.agent().sub_agents().remove(0);
    assert_eq!(ask(&helper, "Go").await.result.response.text(), "got Go");
    assert_eq!(bench.agent().taken_out().len(), 1);
    let report = bench.take_up(&[]).await.unwrap();
    assert_eq!((report.put_back, report.outdated), (vec!["x".to_owned()], vec![]));
    assert_eq!(bench.agent().taken_out(), []);

    assert_eq!(ask(&helper, "Go").await.result.response.text(), "got Go");
    bench.write("x.wasm", guest!("passthrough"));
    let report = bench.take_up(&[]).await.unwrap();
    assert_eq!((report.put_back, report.unapplied), (vec![], vec!["agents".to_owned()]));
    assert_eq!(report.outdated[0].layer, "x");
    assert_eq!(bench.agent().taken_out().len(), 1);
}

#[tokio::test]
async fn a_sub_agents_layer_that_is_gone_is_told_apart_from_one_that_can_not_be_read() {
    let bench = Bench::new(HELPER, &[("x.wasm", guest!("passthrough"))]).await;
    bench.manifest("[agents.helper]\nsystem-prompt = \"Help.\"\n");
    let report = bench.take_up(&[]).await.unwrap();
    let [gone] = report.outdated.as_slice() else { panic!("{:?}", report.outdated) };
    assert_eq!((gone.layer.as_str(), &gone.version_after, &gone.problem), ("x", &None, &None));

    std::fs::remove_file(bench.path("x.wasm")).unwrap();
    let same = Change::Manifest(Box::new(bench.loaded.manifest().clone()));
    let report = bench.swap(same, &[]).await.unwrap();
    let [unreadable] = report.outdated.as_slice() else { panic!("{:?}", report.outdated) };
    assert_eq!(unreadable.version_after, None);
    let problem = unreadable.problem.as_deref().unwrap_or_default();
    assert!(problem.contains("can't be read"), "{unreadable:?}");
}

#[tokio::test]
async fn what_stands_beside_the_layers_is_told_and_left() {
    let bench = Bench::new(&layer("x", ""), &[("x.wasm", guest!("passthrough"))]).await;
    bench.manifest(&format!(
        "{}[permissions]\ndefault = \"deny\"\n[sessions]\npath = \"s.db\"\n",
        layer("x", "")
    ));
    for _ in 0..2 {
        let report = bench.take_up(&[]).await.unwrap();
        assert_eq!((report.generation, report.unapplied), (1, vec!["sessions".to_owned()]));
    }
}

#[tokio::test]
async fn rules_about_tool_calls_come_with_the_manifest_alone_and_stay_after_a_roll_back() {
    let bench = Bench::new(TALLY, &[("t.wasm", guest!("tally"))]).await;
    let rules = |default: &str| format!("[permissions]\ndefault = \"{default}\"\n");
    bench.manifest(&format!("{TALLY}{}", rules("deny")));
    let report = bench.take_up(&[]).await.unwrap();
    assert_eq!((report.generation, report.permissions), (1, true));
    assert_eq!(bench.agent().permissions().default, Permission::Deny);

    let mut spec = bench.loaded.layers()[0].spec.clone();
    spec.config = json!({ "label": "b" });
    let report = bench.swap(Change::Layer { spec: Box::new(spec), place: None }, &[]).await.unwrap();
    assert_eq!((report.generation, report.permissions), (2, false));
    assert_eq!(bench.agent().permissions().default, Permission::Deny);

    bench.write("t.wasm", guest!("tally-json"));
    bench.manifest(&format!("{}{}", tally_json("panics-at-calls"), rules("ask")));
    assert!(bench.take_up(&[]).await.unwrap().permissions);
    for _ in 0..3 {
        bench.said("Go").await;
    }
    assert_eq!(bench.agent().layers(), ["t"]);
    assert_eq!(bench.agent().swap_status().rolled_back.unwrap().from, 3);
    assert_eq!(bench.agent().permissions().default, Permission::Ask);
}

#[tokio::test]
async fn layers_that_a_program_put_in_are_not_compared() {
    let bench = Bench::new(&layer("x", ""), &[("x.wasm", guest!("passthrough"))]).await;
    bench.agent().swap(vec![]).await.unwrap();
    let same = Change::Manifest(Box::new(bench.loaded.manifest().clone()));
    let refused = bench.swap(same, &[]).await;
    assert!(matches!(refused, Err(SwapError::Foreign)), "{refused:?}");
}
