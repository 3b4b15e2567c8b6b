//! The catalogue of tools: names, schemas, and what a model is told about its arguments.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use cepa::chain::Sink;
use cepa::error::Error;
use cepa::message::ToolDefinition;
use cepa::request::ToolResponse;
use cepa::tool::{Tool, ToolInvocation, ToolList, ToolOwner, ToolProvider, Toolbox};
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};
use tokio::sync::Barrier;

struct Definition(ToolDefinition);

impl Tool for Definition {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn call(
        &self,
        _invocation: ToolInvocation,
        _out: Sink,
    ) -> BoxFuture<'static, Result<ToolResponse, Error>> {
        Box::pin(async { Err(Error::internal("a definition is never called")) })
    }
}

fn tool(name: &str, parameters: Value) -> Arc<dyn Tool> {
    Arc::new(Definition(ToolDefinition {
        name: name.to_owned(),
        description: String::new(),
        parameters,
        parallel: false,
        metadata: Map::new(),
    }))
}

fn refused(name: &str, parameters: Value) -> String {
    let owner = ToolOwner::Middleware("notes".into());
    Toolbox::default().add(owner, tool(name, parameters)).unwrap_err().to_string()
}

#[test]
fn tools_are_found_by_name_and_listed_in_order() {
    let mut toolbox = Toolbox::default();
    toolbox.add(ToolOwner::Native, tool("b", json!({}))).unwrap();
    toolbox.add(ToolOwner::Mcp("files".into()), tool("a", json!({}))).unwrap();
    let names: Vec<_> = toolbox.catalogue().iter().map(|definition| definition.name.clone()).collect();
    assert_eq!(names, ["b", "a"]);
    assert_eq!(toolbox.get("a").unwrap().definition().name, "a");
    assert_eq!(toolbox.owner("a"), Some(ToolOwner::Mcp("files".into())));
    assert!(toolbox.get("A").is_none());
    assert_eq!(toolbox.validate("c", "{}").unwrap_err(), "there is no tool `c`");
}

#[test]
fn a_name_that_is_taken_names_both_owners_and_changes_nothing() {
    let mut toolbox = Toolbox::default();
    toolbox.add(ToolOwner::Middleware("notes".into()), tool("read", json!({}))).unwrap();
    let error = toolbox.add(ToolOwner::Mcp("files".into()), tool("read", json!({}))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "tool `read` is brought twice: by middleware `notes` and by MCP server `files`; rename or leave out one of them"
    );
    assert_eq!(toolbox.catalogue().len(), 1);
    assert_eq!(toolbox.owner("read"), Some(ToolOwner::Middleware("notes".into())));
}

#[test]
fn names_that_providers_refuse_are_refused() {
    for name in ["", "a b", "files.read", "é", &"x".repeat(65)] {
        let error = refused(name, json!({}));
        assert!(error.starts_with(&format!("tool `{name}` of middleware `notes` has a name")), "{error}");
    }
    Toolbox::default().add(ToolOwner::Native, tool(&"x".repeat(64), json!({}))).unwrap();
}

#[test]
fn a_bad_schema_is_named_with_its_owner() {
    let prefix = "tool `t` of middleware `notes` has parameters that are no usable JSON Schema: ";
    let error = refused("t", json!([]));
    assert_eq!(error, format!("{prefix}they are an array, not an object"));
    let error = refused("t", json!({ "properties": { "a": { "type": "text" } } }));
    assert!(error.starts_with(prefix), "{error}");
    assert!(error.contains("/properties/a/type"), "{error}");
}

#[test]
fn parameters_that_take_no_object_are_refused() {
    for types in [json!("string"), json!(["string", "null"]), json!(7)] {
        let error = refused("t", json!({ "type": types }));
        assert!(error.ends_with(&format!("they take {types}, and a model gives an object")), "{error}");
    }
    Toolbox::default().add(ToolOwner::Native, tool("t", json!({ "type": ["object", "null"] }))).unwrap();
}

#[test]
fn a_foreign_schema_is_never_fetched() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&file, r#"{"type": "object"}"#).unwrap();
    for reference in [format!("http://{address}/schema"), format!("file://{}", file.path().display())] {
        let error = refused("t", json!({ "$ref": reference }));
        assert!(error.contains(&reference), "{error}");
    }
    let asked = listener.accept().unwrap_err();
    assert_eq!(asked.kind(), std::io::ErrorKind::WouldBlock, "nobody has connected");
}

#[test]
fn a_model_is_told_where_its_arguments_are_wrong_and_what_was_expected() {
    let mut toolbox = Toolbox::default();
    let parameters = json!({
        "type": "object",
        "properties": {
            "city": { "type": "string", "minLength": 1 },
            "days": { "type": "array", "items": { "type": "integer", "maximum": 14 } },
            "unit": { "enum": ["C", "F"] },
        },
        "required": ["city"],
        "additionalProperties": false,
    });
    toolbox.add(ToolOwner::Native, tool("weather", parameters)).unwrap();
    let told = |arguments: &str| match toolbox.validate("weather", arguments) {
        Ok(arguments) => format!("ok: {}", Value::Object(arguments)),
        Err(text) => text,
    };
    let long = format!(r#"{{"city": ["{}"]}}"#, "x".repeat(5000));
    let all = [
        r#"{"city": "Ulm", "days": [1, 2], "unit": "C"}"#,
        r#"{"city": "Ulm"#,
        r#"["Ulm"]"#,
        "null",
        "",
        r#"{"city": 5}"#,
        r#"{"city": "Ulm", "days": [1, "two", 30]}"#,
        r#"{"city": "Ulm", "unit": "K", "when": 1}"#,
        &long,
    ]
    .map(told);
    insta::assert_snapshot!(all.join("\n"), @r#"
    ok: {"city":"Ulm","days":[1,2],"unit":"C"}
    the arguments of `weather` are not a JSON object: EOF while parsing a string at line 1 column 13
    the arguments of `weather` are not a JSON object: they are an array
    the arguments of `weather` are not a JSON object: they are null
    the arguments of `weather` do not match its parameters: "city" is a required property
    the arguments of `weather` do not match its parameters: at `/city`: 5 is not of type "string"
    the arguments of `weather` do not match its parameters: at `/days/1`: "two" is not of type "integer"; at `/days/2`: 30 is greater than the maximum of 14
    the arguments of `weather` do not match its parameters: at `/unit`: "K" is not one of "C" or "F"; Additional properties are not allowed ('when' was unexpected)
    the arguments of `weather` do not match its parameters: at `/city`: the value is not of type "string"
    "#);
}

#[test]
fn many_faults_are_cut_short_and_no_arguments_are_an_empty_object() {
    let mut toolbox = Toolbox::default();
    let numbers = json!({ "properties": { "n": { "items": { "type": "number" } } } });
    toolbox.add(ToolOwner::Native, tool("sum", numbers)).unwrap();
    let arguments = json!({ "n": vec!["x"; 100] }).to_string();
    let told = toolbox.validate("sum", &arguments).unwrap_err();
    assert!(told.contains("at `/n/7`") && !told.contains("at `/n/8`"), "{told}");
    assert!(told.ends_with("; and more"), "{told}");
    assert_eq!(toolbox.validate("sum", " \n").unwrap(), Map::new());
}

/// Someone whose list can be changed.
struct Changing(Mutex<ToolList>);

impl Changing {
    fn new<const N: usize>(tools: [Arc<dyn Tool>; N]) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Arc::new(tools.into()))))
    }

    fn set<const N: usize>(&self, tools: [Arc<dyn Tool>; N]) {
        *self.0.lock().unwrap() = Arc::new(tools.into());
    }
}

impl ToolProvider for Changing {
    fn current(&self) -> BoxFuture<'_, ToolList> {
        Box::pin(async { Arc::clone(&self.0.lock().unwrap()) })
    }
}

fn far() -> ToolOwner {
    ToolOwner::Mcp("far".into())
}

fn names(toolbox: &Toolbox) -> Vec<String> {
    toolbox.catalogue().iter().map(|definition| definition.name.clone()).collect()
}

#[tokio::test]
async fn a_providers_tools_change_in_their_place_and_with_their_schemas() {
    let provider = Changing::new([tool("b", json!({})), tool("c", json!({ "required": ["x"] }))]);
    let mut toolbox = Toolbox::default();
    toolbox.add(ToolOwner::Native, tool("a", json!({}))).unwrap();
    toolbox.follow(far(), Arc::clone(&provider) as Arc<dyn ToolProvider>).await.unwrap();
    toolbox.add(ToolOwner::Native, tool("z", json!({}))).unwrap();
    assert_eq!(names(&toolbox), ["a", "b", "c", "z"]);
    assert!(toolbox.validate("c", "{}").is_err());

    provider.set([tool("c", json!({})), tool("d", json!({}))]);
    assert_eq!(names(&toolbox), ["a", "b", "c", "z"], "nothing changes in between");
    toolbox.refresh().await;
    assert_eq!(names(&toolbox), ["a", "c", "d", "z"]);
    assert!(toolbox.get("b").is_none() && toolbox.validate("c", "{}").is_ok());
    assert_eq!(toolbox.owner("d"), Some(far()));

    let before = toolbox.catalogue();
    toolbox.refresh().await;
    assert!(Arc::ptr_eq(&before, &toolbox.catalogue()), "the same list is not taken again");
}

#[tokio::test]
async fn a_provider_that_clashes_is_refused_at_first_and_later_its_tool_is_left_out() {
    let mut toolbox = Toolbox::default();
    toolbox.add(ToolOwner::Native, tool("a", json!({}))).unwrap();
    for wrong in [[tool("b", json!({})), tool("a", json!({}))], [tool("b", json!({})), tool("b", json!({}))]]
    {
        let error = toolbox.follow(far(), Changing::new(wrong)).await.unwrap_err().to_string();
        assert!(error.contains("is brought twice") && error.contains("MCP server `far`"), "{error}");
        assert_eq!(names(&toolbox), ["a"]);
    }
    let provider = Changing::new([tool("b", json!({}))]);
    toolbox.follow(far(), Arc::clone(&provider) as Arc<dyn ToolProvider>).await.unwrap();
    let twice = tool("c", json!({ "required": ["x"] }));
    provider.set([
        tool("a", json!({ "required": ["x"] })),
        tool("no good", json!({})),
        tool("c", json!({})),
        twice,
        tool("e", json!({ "type": 7 })),
    ]);
    toolbox.refresh().await;
    assert_eq!(names(&toolbox), ["a", "c"]);
    assert_eq!(toolbox.owner("a"), Some(ToolOwner::Native));
    assert!(toolbox.validate("a", "{}").is_ok() && toolbox.validate("c", "{}").is_ok());
}

/// Someone who says nothing before all have been asked.
struct Waiting(Arc<Barrier>);

impl ToolProvider for Waiting {
    fn current(&self) -> BoxFuture<'_, ToolList> {
        Box::pin(async {
            self.0.wait().await;
            ToolList::default()
        })
    }
}

#[tokio::test]
async fn providers_are_asked_at_once() {
    let mut toolbox = Toolbox::default();
    let all = Arc::new(Barrier::new(3));
    for _ in 0..3 {
        let provider = Waiting(Arc::clone(&all));
        // Each is alone when it is followed, and with others when it is asked again.
        let (followed, ..) = tokio::join!(toolbox.follow(far(), Arc::new(provider)), all.wait(), all.wait());
        followed.unwrap();
    }
    let refreshed = tokio::time::timeout(Duration::from_secs(60), toolbox.refresh()).await;
    refreshed.expect("one that waits for the others holds up nobody");
}
