use cepa_sdk::rig::{Capability, Rig, with};
use cepa_sdk::state::{Scope, get_json};
use cepa_sdk::{Error, ToolSource};
use serde_json::{Value, json};

use super::{Config, Status, TODOS, TOOL, Todo, TodoList, Todos};

/// Writes a list of contents and states.
fn write(rig: &Rig<TodoList>, todos: &[(&str, &str)]) -> Result<String, Error> {
    let todos: Vec<Value> =
        todos.iter().map(|(content, status)| json!({ "content": content, "status": status })).collect();
    let called = rig.call_tool(TOOL, &json!({ "todos": todos }).to_string());
    called.result.map(|response| response.text())
}

fn list() -> Result<Todos, Error> {
    Ok(get_json(Scope::Session, TODOS)?.unwrap_or_default())
}

#[test]
fn the_model_is_shown_the_list_that_it_wrote() -> Result<(), Error> {
    let rig = Rig::<TodoList>::new(Config::default())?;
    let shown = write(&rig, &[("cook\n supper", "completed"), ("eat", "in_progress"), ("read", "pending")])?;
    assert_eq!(shown, "1 of 3 done\n[x] cook supper\n[>] eat\n[ ] read");
    Ok(())
}

#[test]
fn each_call_replaces_the_list() -> Result<(), Error> {
    let rig = Rig::<TodoList>::new(Config::default())?;
    write(&rig, &[("cook", "pending"), ("eat", "pending")])?;
    write(&rig, &[("wash up", "in_progress")])?;
    let todo = Todo { content: "wash up".to_owned(), status: Status::InProgress };
    assert_eq!(list()?, Todos(vec![todo]));
    assert_eq!(write(&rig, &[])?, "0 of 0 done");
    assert_eq!(list()?, Todos::default());
    Ok(())
}

#[test]
fn a_list_that_is_refused_leaves_the_one_before() -> Result<(), Error> {
    let rig = Rig::<TodoList>::new(Config { max_todos: 2 })?;
    write(&rig, &[("cook", "pending")])?;
    let before = list()?;
    let refused = |todos: &[(&str, &str)]| write(&rig, todos).err().map(|error| error.message);
    let three = [("a", "pending"), ("b", "pending"), ("c", "pending")];
    assert_eq!(refused(&three).as_deref(), Some("the list has 3 todos, and 2 are allowed"));
    assert_eq!(refused(&[("a", "pending"), (" \n", "pending")]).as_deref(), Some("todo 2 has no text"));
    assert!(refused(&[("a", "soon")]).is_some_and(|error| error.contains("unknown variant `soon`")));
    assert_eq!(list()?, before);
    Ok(())
}

#[test]
fn without_the_grant_the_model_is_told() -> Result<(), Error> {
    let rig = Rig::<TodoList>::new(Config::default())?;
    with(|world| world.denied.insert(Capability::State));
    let error = write(&rig, &[("cook", "pending")]).err().map(|error| error.message);
    assert_eq!(error.as_deref(), Some("`state` is not granted"));
    Ok(())
}

#[test]
fn the_tool_says_what_it_takes() -> Result<(), Error> {
    let rig = Rig::<TodoList>::new(Config { max_todos: 7 })?;
    let tools = rig.middleware.list_tools()?;
    let [tool] = tools.as_slice() else { panic!("{tools:?}") };
    let parameters: Value = serde_json::from_str(&tool.parameters)?;
    assert_eq!((tool.name.as_str(), tool.parallel), (TOOL, false));
    assert_eq!(parameters["properties"]["todos"]["maxItems"], 7);
    Ok(())
}

#[test]
fn a_length_out_of_range_is_refused() {
    for (length, fits) in [(0, false), (1, true), (1000, true), (1001, false)] {
        let made = Rig::<TodoList>::from_json(&json!({ "max-todos": length }).to_string());
        assert_eq!(made.is_ok(), fits, "{length}");
    }
}
