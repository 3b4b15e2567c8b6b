//! Writes `docs/languages.md`: each language with each hook, whether it works, and what it costs.
//!
//! `cargo bench --bench matrix`. The components are the projects that `cepa new` begins with every hook.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cepa::chain::{Chain, HookKind, LayerLine, ReplyContext};
use cepa::sandbox::{CompiledCache, Component, Sandbox};
use cepa_tests::agent::{agent, ask, model};
use cepa_tests::chain::LayerPlan;
use tokio::runtime::Runtime;

/// Each language as the table calls it, its name on the command line, and its engine.
const LANGUAGES: [(&str, &str, Option<&str>); 7] = [
    ("Rust", "rust", None),
    ("C", "c", None),
    ("Go", "go", None),
    ("JavaScript (QuickJS)", "js", None),
    ("TypeScript (QuickJS)", "ts", None),
    ("JavaScript (StarlingMonkey)", "js", Some("starlingmonkey")),
    ("Python", "python", None),
];

/// Calls a tool of the middleware's own, and answers; so every hook is called.
const SCRIPT: &str = r#"
[[turn]]
tool-calls = [{ id = "c", name = "read_note", arguments = {} }]

[[turn]]
text = "Done."
"#;

const REPLIES: u32 = 20;

/// What one language came to.
struct Row {
    name: &'static str,
    bytes: usize,
    cold: Duration,
    warm: Duration,
    instance: Duration,
    hooks: Vec<(HookKind, LayerLine)>,
}

#[expect(clippy::print_stderr, reason = "it takes minutes, and who waits wants to know for what")]
fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.expect("a runtime can be started");
    let rows = LANGUAGES.map(|(name, language, engine)| {
        eprintln!("{name}");
        row(&runtime, name, &project(language, engine))
    });
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/languages.md");
    fs::create_dir_all(file.parent().expect("it has a folder")).expect("the folder of documents");
    fs::write(&file, page(&rows)).expect("the page can be written");
}

/// The component of a fresh project with every hook.
fn project(language: &str, engine: Option<&str>) -> Vec<u8> {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("matrix");
    let folder = root.join(format!("{}-all", engine.unwrap_or(language)));
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("the project of the last time");
    }
    fs::create_dir_all(&root).expect("a folder");
    let mut new = cepa();
    new.args(["--quiet", "new", "--lang", language]).arg(&folder);
    for hook in HookKind::ALL {
        new.args(["--hook", hook.name()]);
    }
    ends_well(new);
    if let Some(engine) = engine {
        let manifest = folder.join("middleware.toml");
        let text = fs::read_to_string(&manifest).expect("the manifest");
        fs::write(&manifest, format!("{text}engine = {engine:?}\n")).expect("the manifest");
    }
    let made = folder.join("made.wasm");
    let mut build = cepa();
    build.env("CEPA_GUEST_BUILD_DIR", root.join("crates"));
    build.args(["--quiet", "build", "--install", "--output"]).arg(&made).arg(&folder);
    ends_well(build);
    fs::read(made).expect("the component")
}

fn cepa() -> Command {
    let mut command = Command::new(PathBuf::from(env!("CARGO_BIN_EXE_cepa")));
    command.env_remove("CARGO");
    command
}

fn ends_well(mut command: Command) {
    let done = command.output().expect("the program ends");
    assert!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
}

fn row(runtime: &Runtime, name: &'static str, bytes: &[u8]) -> Row {
    let folder = tempfile::tempdir().expect("a folder");
    let load = || {
        let cache = CompiledCache::open(folder.path()).expect("a cache");
        let sandbox = Sandbox::new(Some(cache)).expect("the sandbox can be set up");
        let shared: Arc<[u8]> = bytes.into();
        let start = Instant::now();
        let component = runtime.block_on(sandbox.load(name, shared)).expect("the component can be loaded");
        (start.elapsed(), sandbox, component)
    };
    let (cold, ..) = load();
    let (warm, sandbox, component) = load();
    Row {
        name,
        bytes: bytes.len(),
        cold,
        warm,
        instance: instance(runtime, &sandbox, &component),
        hooks: hooks(runtime, &sandbox, &component),
    }
}

/// A fresh instance with its first call, in the mean.
fn instance(runtime: &Runtime, sandbox: &Sandbox, component: &Component) -> Duration {
    let entry = LayerPlan::new("layer").entry_in(sandbox, component);
    let start = Instant::now();
    for _ in 0..REPLIES {
        let chain = Chain::open(std::slice::from_ref(&entry), ReplyContext::builder("s", "r").build());
        runtime.block_on(chain.system_prompt("Be brief.".to_owned())).expect("the call succeeds");
    }
    start.elapsed() / REPLIES
}

/// What the layer spent at each hook in a few replies.
fn hooks(runtime: &Runtime, sandbox: &Sandbox, component: &Component) -> Vec<(HookKind, LayerLine)> {
    let mut hooks: Vec<(HookKind, LayerLine)> = Vec::new();
    for _ in 0..REPLIES {
        let entry = LayerPlan::new("layer").entry_in(sandbox, component);
        let told = runtime.block_on(async {
            let agent = agent(&model(SCRIPT)).middleware(entry).build().await.expect("an agent");
            ask(&agent, "Read the note.").await
        });
        for (_, hook, line) in told.result.layers {
            match hooks.iter_mut().find(|(known, _)| *known == hook) {
                Some((_, sum)) => {
                    sum.calls += line.calls;
                    sum.failures += line.failures;
                    sum.spent.add(&line.spent);
                }
                None => hooks.push((hook, line)),
            }
        }
    }
    hooks
}

fn page(rows: &[Row]) -> String {
    let mut text = String::from(concat!(
        "# Languages\n\n",
        "Written by `cargo bench --bench matrix`, from the projects that `cepa new` begins with every hook. ",
        "Times are of one machine with two cores, and say how the languages compare.\n\n",
        "| language | size | cold compile | warm start | fresh instance with a call |\n|---|---|---|---|---|\n",
    ));
    for row in rows {
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "| {} | {} KiB | {} | {} | {} |",
            row.name,
            row.bytes.div_ceil(1024),
            shown(row.cold),
            shown(row.warm),
            shown(row.instance)
        );
    }
    text.push_str("\nWhat a call of each hook takes of the layer's own time, the first call of each reply included; `no` where it failed.\n\n| hook |");
    text.extend(rows.iter().map(|row| format!(" {} |", row.name)));
    text.push_str("\n|---|");
    text.extend(rows.iter().map(|_| "---|"));
    for hook in HookKind::ALL {
        let _ = write!(text, "\n| `{}` |", hook.name());
        text.extend(rows.iter().map(|row| format!(" {} |", cell(row, hook))));
    }
    text.push('\n');
    text
}

fn cell(row: &Row, hook: HookKind) -> String {
    match row.hooks.iter().find(|(known, _)| *known == hook) {
        Some((_, line)) if line.calls > 0 && line.failures == 0 => {
            shown(Duration::from_micros(line.spent.own_micros / line.calls))
        }
        _ => "no".to_owned(),
    }
}

fn shown(time: Duration) -> String {
    match time.as_micros() {
        micros @ 0..1_000 => format!("{micros} µs"),
        micros @ 1_000..1_000_000 => format!("{}.{} ms", micros / 1_000, micros % 1_000 / 100),
        micros => format!("{}.{} s", micros / 1_000_000, micros % 1_000_000 / 100_000),
    }
}
