//! Manifests with mistakes, and what `check` shows of good ones.

use crate::rig::Place;

/// Each mistake, and a word of its error.
const MISTAKES: [(&str, &str); 9] = [
    ("[agnet]\n", "did you mean `agent`?"),
    (
        "[[middleware]]\nname = \"x\"\nsource = \"bundled:timing\"\non-fualt = \"skip\"\n",
        "did you mean `on-fault`?",
    ),
    ("[run]\nprompt = 7\n", "`prompt` in `[run]` must be a string"),
    (
        "[[middleware]]\nname = \"x\"\nsource = \"bundled:timing\"\n[[middleware]]\nname = \"x\"\nsource = \"bundled:timing\"\n",
        "two layers are called `x`",
    ),
    ("[run]\nprompt = \"${env:CEPA_TEST_UNSET}\"\n", "CEPA_TEST_UNSET"),
    ("[[middleware]]\nname = \"x\"\nsource = \"gone.wasm\"\n", "there is no file or folder `./gone.wasm`"),
    ("[[middleware]]\nname = \"x\"\nsource = \"oci://a/b@sha256:0\"\n", "are not offered yet"),
    ("[[tool]]\nname = \"x\"\n", "`[[tool]]` has no `description`"),
    ("[run]\nprompt = \"never closed\n", "cepa.toml:"),
];

#[test]
fn each_mistake_is_one_error_at_its_line_and_the_next_run_works() {
    for (mistake, said) in MISTAKES {
        let place = Place::new(mistake);
        let done = place.cepa("run . hello").fails_with(64);
        assert!(done.err.contains(said) && done.err.contains("--> ./cepa.toml:"), "{mistake}\n{}", done.err);
        assert!(!place.has(".cepa"), "{mistake}");
        let good = std::fs::read_to_string(place.path().join("cepa.toml")).expect("it is there");
        place.write("cepa.toml", good.replace(mistake, ""));
        assert_eq!(place.cepa("run . hello").ends_with(0).out, "got hello\n");
    }
}

#[test]
fn a_manifest_that_is_not_there_is_said_so() {
    let done = Place::new("").cepa("run nowhere hello").fails_with(64);
    assert!(done.err.contains("hint: name a manifest, or a folder that has a `cepa.toml`"), "{done:#?}");
}

#[test]
fn a_secret_in_a_mistaken_line_is_not_shown() {
    let model = "[models.other]\nprovider = \"openai\"\nmodel = \"m\"\napi-key = \"sk-very-secret\"\n";
    let done = Place::new(model).cepa("run . hello").fails_with(64);
    assert!(!done.err.contains("very-secret"), "{done:#?}");
}

#[test]
fn check_shows_layers_and_tools_and_writes_nothing() {
    let place = Place::new(
        "[[middleware]]\nname = \"t\"\nsource = \"bundled:timing\"\n\
         [[tool]]\nname = \"deploy\"\ndescription = \"deploys\"\n",
    );
    let done = place.cepa("check .").ends_with(0);
    assert!(done.out.contains("bundled:timing  on-reply on-model-call on-acting"), "{done:#?}");
    assert!(done.out.contains("tools: deploy\n"), "{done:#?}");
    assert!(!place.has(".cepa"));
}

#[test]
fn check_shows_mounts_and_what_they_expose() {
    let layer = "[[middleware]]\nname = \"x\"\nsource = \"x.wasm\"\n";
    let grants = "grants = { workspace = { all = \"rw:.\", notes = \"ro:notes\", skills = \"ro:.\" } }\n";
    let place = Place::new(&format!("{layer}{grants}")).file("x.wasm", cepa_tests::guest!("files"));
    std::fs::create_dir(place.path().join("notes")).expect("a folder can be made");
    let done = place.cepa("check .").ends_with(0);
    assert!(done.out.contains("workspace=rw:all,ro:notes,ro:skills"), "{}", done.out);
    let note = "note: layer `x` may change the manifest, the session file, the file of documents, the component of `x` through its mount `all`; mount a folder without them unless you mean it\n";
    assert!(done.out.contains(note), "{}", done.out);
    assert!(!done.out.contains("mount `notes`") && !done.out.contains("mount `skills`"), "{}", done.out);
    let lines = place.cepa("check . --json").ends_with(0).out;
    assert!(
        lines.contains("{\"mount\":\"notes\",\"folder\":") && lines.contains("\"writable\":true"),
        "{lines}"
    );
    assert!(place.cepa("inspect x.wasm").ends_with(0).out.contains("\ngrants     workspace\n"));
}

#[test]
fn a_configuration_that_does_not_fit_is_shown_at_its_place() {
    let place = Place::new(
        "[[middleware]]\nname = \"r\"\nsource = \"bundled:model-retry\"\nconfig = { max-retries = \"many\" }\n",
    );
    insta::assert_snapshot!(place.cepa("check .").fails_with(65).err);
    place.cepa("run . hello").fails_with(65);
    assert!(!place.has(".cepa"));
}

#[test]
fn two_tools_of_one_name_are_an_error_that_names_both_owners() {
    let place = Place::new(
        "[[middleware]]\nname = \"todo\"\nsource = \"bundled:todo\"\n\
         [[tool]]\nname = \"write_todos\"\ndescription = \"writes\"\n",
    );
    insta::assert_snapshot!(place.cepa("run . hello").fails_with(64).err);
    assert!(!place.has(".cepa"), "a session file is made only once nothing else can fail");
}

#[test]
fn a_tool_name_that_providers_refuse_is_shown_at_its_place() {
    let place = Place::new("[[tool]]\nname = \"deploy.now\"\ndescription = \"deploys\"\n");
    insta::assert_snapshot!(place.cepa("check .").fails_with(64).err);
}

#[test]
fn a_number_that_does_not_fit_is_found_before_a_reply_runs() {
    let layer = |number: &str| {
        let config = format!("config = {{ max-retries = {number} }}\n");
        Place::new(&format!("[[middleware]]\nname = \"r\"\nsource = \"bundled:model-retry\"\n{config}"))
    };
    for number in ["4294967296", "-1", "1.5"] {
        let done = layer(number).cepa("check .").fails_with(65);
        assert!(done.err.contains(&format!("max-retries = {number}")), "{done:#?}");
    }
    layer("2.0").cepa("run . hello").ends_with(0);
}

#[test]
fn a_key_that_is_written_out_is_refused_wherever_it_stands() {
    let model = |lines: &str| format!("[models.other]\nprovider = \"openai\"\nmodel = \"m\"\n{lines}\n");
    let server = |lines: &str| format!("[[mcp]]\nname = \"far\"\n{lines}\n");
    let url = "url = \"http://127.0.0.1:9/mcp\"\n";
    for part in [
        model("headers = { Authorization = \"Bearer very-secret\" }"),
        model("headers = { x-api-key = \"very-secret\" }"),
        model("base-url = \"http://me:very-secret@127.0.0.1:9/v1\""),
        model("base-url = \"http://127.0.0.1:9/v1?key=very-secret\""),
        server(&format!("{url}headers = {{ cookie = \"very-secret\" }}")),
        server("url = \"http://127.0.0.1:9/mcp?access_token=very-secret\""),
        server("url = \"ftp://me:very-secret@127.0.0.1\""),
    ] {
        let done = Place::new(&part).cepa("check .").fails_with(64);
        let refused = done.err.contains("stands in the manifest itself") || part.contains("ftp");
        assert!(refused && !done.err.contains("very-secret"), "{part}: {done:#?}");
    }
    let good = "base-url = \"http://127.0.0.1:9/v1?api-version=2\"\nheaders = { x-title = \"mine\", \
                authorization = \"Bearer ${file:key}\" }";
    Place::new(&model(good)).file("key", "k\n").cepa("check .").ends_with(0);
}

#[test]
fn each_part_of_a_server_is_shown_at_its_own_place() {
    let model = |lines: &str| format!("[models.other]\nprovider = \"openai\"\nmodel = \"m\"\n{lines}\n");
    let base = "base-url = \"http://127.0.0.1:9\"\n";
    for (part, marked) in [
        (model(&format!("{base}headers = {{ \"a b\" = \"c\" }}")), "\"a b\""),
        (model(&format!("{base}headers = {{ a = \"b\\nc\" }}")), "headers"),
        (model(&format!("{base}api-key = \"${{file:key}}\"")), "\"${file:key}\""),
        (model("base-url = \"http://[::1/v1\""), "\"http://[::1/v1\""),
        (model(&format!("{base}parameters = {{ temperature = 1, messages = [] }}")), "[]"),
    ] {
        let done = Place::new(&part).file("key", "a\nb\n").cepa("check .").fails_with(64);
        let mut lines = done.err.lines().skip_while(|line| !line.contains(marked));
        let (line, mark) = (lines.next().expect("the line"), lines.next().expect("the mark"));
        if marked != "headers" {
            let column = line.find(marked).expect("it is there");
            assert_eq!(mark.find('^'), Some(column), "{part}: {}", done.err);
        }
    }
}

#[test]
fn of_many_mistakes_the_first_are_shown() {
    let many: String = (0..20_000).map(|number| format!("unknown{number} = 1\n")).collect();
    let done = Place::new(&format!("[run]\n{many}")).cepa("check .").ends_with(64);
    assert_eq!(done.err.lines().filter(|line| line.starts_with("error: ")).count(), 20);
    assert!(done.err.ends_with("\n\nand 19980 more\n"), "{}", done.err.len());
    let config: String = (0..20_000).map(|number| format!("unknown{number} = 1\n")).collect();
    let layer = "[[middleware]]\nname = \"r\"\nsource = \"bundled:model-retry\"\n[middleware.config]\n";
    let done = Place::new(&format!("{layer}{config}")).cepa("check .").fails_with(65);
    assert!(done.err.len() < 2_000, "{}", done.err.len());
}

#[test]
fn what_is_no_file_is_no_component() {
    let place = Place::new("[[middleware]]\nname = \"x\"\nsource = \"/dev/zero\"\n");
    let done = place.cepa("check .").fails_with(64);
    assert!(done.err.contains("`/dev/zero` is no plain file or folder"), "{done:#?}");
    let done = place.cepa("inspect /dev/zero").fails_with(65);
    assert!(done.err.contains("it is no plain file"), "{done:#?}");
}

#[test]
fn a_memory_that_no_instance_could_begin_with_is_found_before_a_reply_runs() {
    let layer =
        "[[middleware]]\nname = \"t\"\nsource = \"bundled:timing\"\nlimits = { memory = \"64KiB\" }\n";
    let done = Place::new(layer).cepa("check .").fails_with(65);
    assert!(done.err.contains("its `limits.memory` allows 65536"), "{done:#?}");
    assert!(done.err.contains("limits = { memory = \"64KiB\" }"), "{done:#?}");
}

#[test]
fn more_layers_than_can_have_instances_are_refused() {
    let layers = |count: usize| -> String {
        let layer = |number| format!("[[middleware]]\nname = \"t{number}\"\nsource = \"bundled:timing\"\n");
        (0..count).map(layer).collect()
    };
    let done = Place::new(&layers(129)).cepa("check .").fails_with(64);
    assert!(done.err.contains("there are 129 layers, and 128 is the limit"), "{done:#?}");
    Place::new(&layers(128)).cepa("run . hello").ends_with(0);
}
