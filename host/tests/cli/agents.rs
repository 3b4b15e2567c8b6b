//! Sub-agents of a manifest, from the table of `cepa check` to a reply.

use cepa_tests::guest;
use serde_json::Value;

use crate::rig::Place;

/// A layer that runs an agent, which calls a tool of a program outside and has a layer of its own.
fn place(more: &str) -> Place {
    let manifest = format!(
        "[[middleware]]\nname = \"boss\"\nsource = \"d.wasm\"\n\
         grants = {{ agents = [\"finder\"], state = true }}\n\
         config = {{ runs = [[\"finder\", \"kept\", \"gold\"], [\"finder\", \"kept\", \"more\"]] }}\n\
         [agents.finder]\nsystem-prompt = \"Find.\"\nmodel = \"small\"\ntools = [\"look\"]\n\
         [[agents.finder.middleware]]\nname = \"inner\"\nsource = \"bundled:timing\"\n\
         [models.small]\nprovider = \"scripted\"\nscript = \"small.toml\"\n\
         [[tool]]\nname = \"look\"\ndescription = \"looks\"\n\
         [[tool]]\nname = \"deploy\"\ndescription = \"deploys\"\n{more}"
    );
    Place::new(&manifest)
        .file("d.wasm", guest!("delegate"))
        .file("small.toml", "[[turn]]\ntext = \"found {{last-user}} as {{system}}\"\nrepeat = true\n")
}

fn objects(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).expect("an object")).collect()
}

#[test]
fn a_check_shows_the_agents_with_their_layers_and_tools() {
    let done = place("").cepa("check .").ends_with(0);
    let line = done.out.lines().find(|line| line.starts_with("finder")).expect("a line of the agent");
    assert_eq!(line.split_whitespace().collect::<Vec<_>>(), ["finder", "small", "inner", "look"]);
    assert!(done.out.contains("agents=finder"), "{done:#?}");
    let told = objects(&place("").cepa("--json check .").ends_with(0).out);
    let agent = told.iter().find(|object| object["type"] == "agent").expect("the agent");
    assert_eq!((&agent["agent"], &agent["tools"][0]), (&"finder".into(), &"look".into()));
}

#[test]
fn a_run_goes_on_in_another_process() {
    let place = place("");
    let done = place.cepa("--json run . hello --session s").ends_with(0);
    let told = objects(&done.out);
    let ran: Vec<&Value> = told.iter().filter(|object| object["type"] == "layer-agent-run").collect();
    assert_eq!((ran.len(), &ran[0]["layer"], &ran[0]["agent"]), (2, &"boss".into(), &"finder".into()));
    assert_eq!(ran[0]["session-id"], ran[1]["session-id"]);
    assert!(done.out.contains("found more as Find."), "{done:#?}");
    let text =
        |object: &&Value| object["type"] == "text-delta" && object["text"].to_string().contains("found");
    assert!(!told.iter().any(|object| text(&object)), "nothing of it is streamed: {done:#?}");
    assert!(told.iter().any(|object| object["type"] == "layer-summary" && object["layer"] == "inner"));
    let again = objects(&place.cepa("--json run . hello --session s").ends_with(0).out);
    let other = again.iter().find(|object| object["type"] == "layer-agent-run").expect("a run");
    assert_eq!(other["session-id"], ran[0]["session-id"]);
}

#[test]
fn a_tool_that_there_is_not_is_told_with_a_suggestion() {
    let manifest = "[agents.seeker]\nmodel = \"small\"\ntools = [\"depoly\", \"look\"]\n";
    let says = "agent `seeker` names tool `depoly`, and no server or program has it: did you mean `deploy`?";
    let checked = place(manifest).cepa("check .").ends_with(0);
    assert!(checked.out.contains(&format!("note: {says}")), "{checked:#?}");
    let run = place(manifest).cepa("run . hello").ends_with(0);
    assert!(run.err.contains(says), "{run:#?}");
}

#[test]
fn a_thread_is_not_gone_on_with_by_the_main_agent() {
    let place = place("");
    let told = objects(&place.cepa("--json run . hello --session s").ends_with(0).out);
    let ran = told.iter().find(|object| object["type"] == "layer-agent-run").expect("a run");
    let thread = ran["session-id"].as_str().expect("an id");
    let done = place.cepa(&format!("run . hello --session {thread}")).ends_with(2);
    assert!(
        done.err.contains("belongs to agent `finder`, and the main agent can't go on with it"),
        "{done:#?}"
    );
}

#[test]
fn the_operators_rules_hold_for_a_sub_agents_calls_and_waiting_is_shown() {
    let calls = "[[turn]]\ntool-calls = [{ name = \"look\" }]\n[[turn]]\ntext = \"done\"\nrepeat = true\n";
    let place = place("").file("small.toml", calls);
    let done = place.cepa("run . hello").ends_with(0);
    assert!(done.err.contains("boss: ran agent `finder`, which waits for a person"), "{done:#?}");
    let denied = place.cepa("--json run . hello").ends_with(0);
    assert!(denied.out.contains("\"outcome\":\"parked\""), "{denied:#?}");
    let forbidden = self::place("[permissions]\ndeny = [\"look\"]\n").file("small.toml", calls);
    let done = forbidden.cepa("--json run . hello").ends_with(0);
    assert!(!done.out.contains("\"outcome\":\"parked\""), "{done:#?}");
}
