//! What a manifest becomes, and what each mistake in it looks like.

mod network;
mod sub_agents;

use proptest::prelude::*;

use super::*;
use crate::policy::{Access, LayerSource};

/// Reads a manifest in a folder that has `script.toml` and `prompt.md`; errors with the folder as `DIR`.
fn parse(text: &str) -> Result<Manifest, String> {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content) in [("script.toml", ""), ("prompt.md", "Be kind.\n"), ("guest.wasm", "")] {
        std::fs::write(folder.path().join(name), content).expect("written");
    }
    std::fs::create_dir(folder.path().join("notes")).expect("a folder in it");
    let variable = |name: &str| match name {
        "KEY" => Some("sk-from-the-environment".to_owned()),
        "EMPTY" => Some(String::new()),
        _ => None,
    };
    Manifest::parse(text.to_owned(), &folder.path().join(FILE_NAME), &variable)
        .map_err(|error| error.to_string().replace(&folder.path().display().to_string(), "DIR"))
}

const MODELS: &str = "[models.main]\nprovider = \"scripted\"\nscript = \"script.toml\"\n";
const AGENT: &str = "[agent]\nname = \"a\"\nmodel = \"main\"\n";

/// The errors of a manifest that is fine up to what is added.
fn errors_with(extra: &str) -> String {
    parse(&format!("{AGENT}{MODELS}{extra}")).expect_err("the manifest has a mistake")
}

#[test]
fn a_whole_manifest() {
    let manifest = parse(
        r#"
        [agent]
        name = "assistant"
        system-prompt-file = "prompt.md"
        model = "fast"
        max-steps = 12

        [models.slow]
        provider = "openai"
        base-url = "http://127.0.0.1:8080/v1/"
        model = "smollm2"
        api-key = "${env:KEY}"
        parameters = { temperature = 0.5, max-tokens = 100 }
        context-tokens = 8192
        timeouts = { idle = "30s" }

        [models.fast]
        provider = "scripted"
        script = "script.toml"

        [[middleware]]
        name = "retry"
        source = "bundled:model-retry"
        config = { max-retries = 2, codes = ["a", "b"] }
        grants = { state = true, models = ["fast"], tools = ["*"], conversation = "read" }
        limits = { memory = "1MiB", cpu = "500ms", next-runs = 3 }
        on-fault = "skip"

        [[middleware]]
        name = "mine"
        source = "guest.wasm"

        [[mcp]]
        name = "files"
        command = "server"
        args = ["--root", "."]
        env = { TOKEN = "${env:KEY}" }
        tools = ["read"]
        prefix = "fs-"
        timeout = "10s"

        [[tool]]
        name = "deploy"
        description = "Brings a version into service."
        parameters = { type = "object", properties = { version = { type = "string" } } }

        [[tool]]
        name = "restart"
        description = "Restarts the service."

        [permissions]
        default = "ask"
        allow = ["read", "run(command=git *)"]

        [sessions]
        path = "here.db"

        [run]
        prompt = "hello"
        "#,
    )
    .expect("a good manifest");
    let folder = manifest.folder().display().to_string();
    let shown = format!("{:#?}", (&manifest.agent, &manifest.models, &manifest.layers, &manifest.mcp));
    let rest =
        format!("{:#?}", (&manifest.tools, &manifest.permissions, &manifest.sessions, &manifest.prompt));
    insta::assert_snapshot!(format!("{shown}\n{rest}").replace(&folder, "DIR"));
}

#[test]
fn what_is_left_out_has_a_safe_default() {
    let text = format!("{AGENT}{MODELS}[[middleware]]\nname = \"x\"\nsource = \"bundled:timing\"\n");
    let manifest = parse(&text).expect("a good manifest");
    let [layer] = manifest.layers.as_slice() else { panic!("one layer") };
    assert_eq!(layer.source, LayerSource::Bundled("timing".to_owned()));
    assert!(!layer.grants.state && layer.grants.models.is_empty() && layer.grants.tools.is_empty());
    assert_eq!(layer.grants.conversation, Access::None);
    assert_eq!(layer.on_fault, crate::chain::OnFault::ByHook);
    assert_eq!(layer.max_faults, 5);
    assert!(matches!(&manifest.sessions, SessionSpec::File(path) if path.ends_with(".cepa/sessions.db")));
}

#[test]
fn places_are_found_by_pointer() {
    let text = format!(
        "{AGENT}{MODELS}[[middleware]]\nname = \"x\"\nsource = \"bundled:y\"\nconfig.list = [1, 22]\n"
    );
    let manifest = parse(&text).expect("a good manifest");
    let at = |pointer: &str| manifest.span(pointer).and_then(|span| text.get(span));
    assert_eq!(at("/middleware/0/config/list/1"), Some("22"));
    assert_eq!(at("/middleware/0/config/list/7"), Some("[1, 22]"));
    assert_eq!(at("/middleware/0/source"), Some("\"bundled:y\""));
    assert_eq!(manifest.layer_pointer("x").as_deref(), Some("/middleware/0"));
}

#[test]
fn unknown_keys() {
    insta::assert_snapshot!(
        parse("[agent]\nname = \"a\"\nmodle = \"main\"\n[models.main]\nprovider = \"scripted\"\nscript = \"script.toml\"\ncolour = \"red\"\n[[middlewares]]\n")
            .expect_err("mistakes")
    );
}

#[test]
fn mounts() {
    let layer = "[[middleware]]\nname = \"x\"\nsource = \"bundled:x\"\n";
    let grant = "[middleware.grants.workspace]\n\"b\" = \"rw:./notes\"\na = \"ro:notes\"\n";
    let manifest = parse(&format!("{AGENT}{MODELS}{layer}{grant}")).expect("a good manifest");
    let [layer] = manifest.layers.as_slice() else { panic!("one layer") };
    let mounts: Vec<(&str, bool)> =
        layer.grants.workspace.iter().map(|mount| (mount.name.as_str(), mount.writable)).collect();
    assert_eq!(mounts, [("b", true), ("a", false)]);
    let folder = manifest.folder();
    assert!(layer.grants.workspace.iter().all(|mount| mount.folder == folder.join("notes")));
}

#[test]
fn mounts_in_one_another_are_not_both_changed() {
    let layer = |name: &str, grant: &str| {
        format!(
            "[[middleware]]\nname = \"{name}\"\nsource = \"bundled:x\"\ngrants = {{ workspace = {{ {grant} }} }}\n"
        )
    };
    let with = |first: &str, second: &str| {
        parse(&format!("{AGENT}{MODELS}{}{}", layer("a", first), layer("b", second)))
    };
    for (first, second) in
        [("all = \"rw:.\"", "n = \"rw:./notes\""), ("n = \"rw:notes\"", "all = \"rw:notes/..\"")]
    {
        let errors = with(first, second).expect_err("neither knows how much is in it");
        assert!(errors.contains("two folders that layers may change lie one in the other"), "{errors}");
        assert!(errors.contains("this one") && errors.contains("and this one"), "{errors}");
        let (first, second) = (first.split_once('"').unwrap().1, second.split_once('"').unwrap().1);
        assert!(errors.contains(first) && errors.contains(second), "both lines are shown: {errors}");
    }
    for (first, second) in [
        ("all = \"rw:.\"", "n = \"ro:notes\""),
        ("all = \"ro:.\"", "n = \"rw:notes\""),
        ("n = \"rw:notes\"", "m = \"rw:./notes\""),
    ] {
        with(first, second).expect("a good manifest");
    }
}

#[test]
fn mounts_that_are_none() {
    let layer = "[[middleware]]\nname = \"x\"\nsource = \"bundled:x\"\n";
    insta::assert_snapshot!(errors_with(&format!(
        "{layer}[middleware.grants.workspace]\nwork = \"./notes\"\nhere = \"rw:\"\ngone = \"ro:./gone\"\nfile = \"rw:prompt.md\"\n\"a/b\" = \"ro:notes\"\nNUL = \"ro:notes\"\n\"..\" = \"ro:notes\"\nnumber = 7\nhome = \"ro:${{env:NONE}}\"\n{}",
        layer.replace("\"x\"\ns", "\"y\"\ngrants = { workspace = \"rw:notes\", index = \"yes\" }\ns")
    )));
}

#[test]
fn an_empty_manifest() {
    insta::assert_snapshot!(parse("").expect_err("mistakes"));
}

#[test]
fn broken_syntax() {
    insta::assert_snapshot!(
        parse("[agent]\nname = \"a\nmodel = main\nx = 1\nx = 2\n[agent]\n[[x\n").expect_err("mistakes")
    );
}

#[test]
fn wrong_types() {
    insta::assert_snapshot!(errors_with(
        "parameters = 3\n[[middleware]]\nname = 7\nsource = [\"x\"]\ngrants = { state = \"yes\", models = \"main\", tools = [1] }\nlimits = { next-runs = -1, cpu = 2 }\n[run]\nprompt = 1979-05-27\n[permissions]\nallow = true\n"
    ));
}

#[test]
fn layers_of_one_name() {
    insta::assert_snapshot!(errors_with(
        "[[middleware]]\nname = \"retry\"\nsource = \"bundled:model-retry\"\n\n[[middleware]]\nname = \"timing\"\nsource = \"bundled:timing\"\n\n[[middleware]]\nname = \"retry\"\nsource = \"bundled:model-retry\"\n"
    ));
}

#[test]
fn models_that_are_not_there() {
    insta::assert_snapshot!(
        parse(&format!("{}{MODELS}[[middleware]]\nname = \"x\"\nsource = \"bundled:x\"\ngrants = {{ models = [\"*\", \"other\"] }}\n", AGENT.replace("main", "mian")))
            .expect_err("mistakes")
    );
}

#[test]
fn providers() {
    insta::assert_snapshot!(errors_with(
        "[models.a]\nprovider = \"opnai\"\nmodel = \"x\"\n[models.b]\nprovider = \"anthropic\"\nbase-url = \"localhost:80\"\n[models.c]\nprovider = \"scripted\"\nscript = \"gone.toml\"\n"
    ));
}

#[test]
fn sizes_durations_and_words() {
    insta::assert_snapshot!(errors_with(
        "[[middleware]]\nname = \"a b\"\nsource = \"bundled:x\"\nlimits = { memory = \"64\", cpu = \"0s\", wall = \"soon\", log = \"lots of MiB\" }\non-fault = \"skp\"\ngrants.conversation = \"all\"\n[permissions]\ndeny = [\"rm(\"]\n"
    ));
}

#[test]
fn sources() {
    insta::assert_snapshot!(errors_with(
        "[[middleware]]\nname = \"a\"\nsource = \"oci://host/name@sha256:0\"\n[[middleware]]\nname = \"b\"\nsource = \"gone.wasm\"\n[[middleware]]\nname = \"c\"\n"
    ));
}

#[test]
fn what_excludes_each_other() {
    insta::assert_snapshot!(errors_with(
        "[[mcp]]\nname = \"a\"\ncommand = \"x\"\nurl = \"http://127.0.0.1:1\"\n[[mcp]]\nname = \"b\"\n[sessions]\npath = \"x\"\nmemory = true\n"
    ));
}

#[test]
fn references_without_a_value() {
    insta::assert_snapshot!(errors_with(
        "[[middleware]]\nname = \"a\"\nsource = \"bundled:x\"\nconfig = { deep = [{ word = \"the ${env:NOBODY}\" }], file = \"${file:gone}\" }\n[models.b]\nprovider = \"openai\"\nmodel = \"m\"\napi-key = \"${env:EMPTY}\"\n"
    ));
}

#[test]
fn a_literal_key_is_refused_and_not_shown() {
    let errors = errors_with(
        "[models.b]\nprovider = \"openai\"\nmodel = \"m\"\napi-key = \"sk-very-secret\"\n[models.c]\nprovider = \"openai\"\nmodel = \"m\"\napi-kye = \"sk-very-secret\"\n[models.d]\nprovider = \"openai\"\nmodel = \"m\"\napi-key = [\"sk-very-secret\"]\n[[mcp]]\nname = \"x\"\nurl = \"nowhere\"\nheaders = { Authorization = \"Bearer sk-very-secret\", x = 1 }\n",
    );
    assert!(!errors.contains("sk-very-secret"), "{errors}");
    insta::assert_snapshot!(errors);
}

#[test]
fn a_key_is_not_shown_where_the_text_is_no_toml() {
    for text in [
        "api-key = \"sk-very-secret",
        "api-key = sk-very-secret",
        "m = { provider = x, api-key = 'sk-very-secret' }",
        "\"api-key\" = \"sk-very-secret\" x",
        "api-key = \"\"\"\nsk-very-secret\"\"\" x",
    ] {
        let errors = parse(&format!("[models.main]\n{text}\n")).expect_err("mistakes");
        assert!(!errors.contains("sk-very-secret"), "{errors}");
    }
}

#[test]
fn a_key_is_not_shown_when_it_is_resolved() {
    let manifest = parse(&format!(
        "{AGENT}{MODELS}[models.b]\nprovider = \"openai\"\nmodel = \"m\"\napi-key = \"${{env:KEY}}\"\n"
    ))
    .expect("a good manifest");
    assert!(!format!("{manifest:?}").contains("sk-from-the-environment"));
    let [_, ModelSpec { provider: ProviderSpec::OpenAi(ServerSpec { api_key: Some(key), .. }), .. }] =
        manifest.models.as_slice()
    else {
        panic!("a key: {:?}", manifest.models)
    };
    assert_eq!(key.expose(), "sk-from-the-environment");
}

#[test]
fn long_and_wide_lines_keep_their_marks() {
    let long = format!("[run]\nprompt = \"{}\", x\n", "y".repeat(300));
    let wide = "[[middleware]]\nname = \"层层\"\tx = 1\n";
    insta::assert_snapshot!(format!(
        "{}\n\n{}",
        parse(&long).expect_err("mistakes"),
        parse(wide).expect_err("mistakes")
    ));
}

#[test]
fn files_that_are_no_manifest() {
    let folder = tempfile::tempdir().expect("a folder");
    let load = |name: &str, content: Option<&[u8]>| {
        let path = folder.path().join(name);
        if let Some(content) = content {
            std::fs::write(&path, content).expect("written");
        }
        let error = Manifest::load(&path).expect_err("no manifest").to_string();
        error.replace(&folder.path().display().to_string(), "DIR")
    };
    let errors = [
        load("gone.toml", None),
        load("", None),
        load("bytes", Some(&[b'a', 0xff])),
        load("large", Some(" ".repeat(1 + (1 << 20)).as_bytes())),
    ];
    insta::assert_snapshot!(errors.join("\n\n"));
}

proptest! {
    #[test]
    fn any_text_is_a_manifest_or_an_error(text in ".*") {
        let _ = parse(&text);
    }

    #[test]
    fn a_damaged_manifest_is_an_error_or_still_one(at in 0_usize..400, put in "\\PC{0,3}|[\\[\\]{}=\"'\\n.$]{0,4}", cut in 0_usize..12) {
        let whole = format!(
            "{AGENT}{MODELS}[[middleware]]\nname = \"x\"\nsource = \"bundled:x\"\nconfig = {{ a = [1, 2.5, \"${{env:KEY}}\"] }}\n[[mcp]]\nname = \"b\"\ncommand = \"c\"\nheaders = {{ a = \"b\" }}\n[permissions]\nallow = [\"a(b)\"]\n"
        );
        let chars: Vec<char> = whole.chars().collect();
        let at = at.min(chars.len());
        let end = (at + cut).min(chars.len());
        let damaged: String = chars[..at].iter().copied().chain(put.chars()).chain(chars[end..].iter().copied()).collect();
        let _ = parse(&damaged);
    }
}
