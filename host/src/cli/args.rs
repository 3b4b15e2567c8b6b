//! The arguments.

use std::path::PathBuf;

use cepa_project_build::Language;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};

use super::exit::HELP;

/// A host for LLM agents whose middlewares are sandboxed WebAssembly components.
#[derive(Debug, Parser)]
#[command(name = "cepa", version, arg_required_else_help = true, after_help = HELP)]
pub struct Cli {
    /// Print one JSON object a line on standard output, and nothing else there.
    #[arg(long, global = true)]
    pub json: bool,
    /// Print nothing but the answer, errors and questions.
    #[arg(long, short, global = true)]
    pub quiet: bool,
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run one reply, or chat at a terminal.
    Run(RunArgs),
    /// Load everything that a manifest names, and show its layers with their hooks, grants and limits.
    Check {
        /// The manifest, or a folder that has a `cepa.toml`.
        manifest: PathBuf,
    },
    /// Show a component's hooks, imports, configuration, and what it would need granted.
    Inspect {
        /// A `.wasm` file, or `bundled:NAME`.
        component: String,
    },
    /// Exchange layers of a running chat, or show what is active there. Running replies end on the old layers.
    Swap(SwapArgs),
    /// Run one reply, and record what one of its layers sees.
    Record(RecordArgs),
    /// Call a component as a recording has it, and say where it does otherwise.
    Replay(ReplayArgs),
    /// Begin a middleware: a project with its code, a test, a configuration and a manifest to run it with.
    New(NewArgs),
    /// Build a middleware in any language that has an SDK into a component.
    Build(BuildArgs),
    /// Check a component by what the contract promises: in scripted replies, without its source and without a network.
    Test(TestArgs),
}

/// The arguments of `cepa build`.
#[derive(Debug, Args)]
pub struct BuildArgs {
    /// The folder of the crate, or of the project: one that has a `middleware.toml`.
    pub folder: PathBuf,
    /// Where to write the component, instead of below the folder's `target`.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// First get what the language needs and this machine does not have: into a folder of its own, from the language's
    /// package registry.
    #[arg(long)]
    pub install: bool,
    /// Build again whenever a file of the project changes.
    #[arg(long)]
    pub watch: bool,
}

/// The arguments of `cepa test`.
#[derive(Debug, Args)]
pub struct TestArgs {
    /// A `.wasm` file, `bundled:NAME`, or a project folder, which is built first.
    pub component: String,
    /// The layer's configuration, a JSON object. A project's is that of its `cepa.toml`, unless this is given.
    #[arg(long, value_name = "JSON")]
    pub config: Option<String>,
    /// Make this check alone. May be repeated.
    #[arg(long, value_name = "CHECK", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Write down what happens in the project's transcripts, instead of comparing it.
    #[arg(long)]
    pub update: bool,
}

/// The arguments of `cepa new`.
#[derive(Debug, Args)]
pub struct NewArgs {
    /// The folder to make. Its name becomes the middleware's.
    pub path: PathBuf,
    /// The language to write it in.
    #[arg(long, value_parser = languages(), default_value = "rust")]
    pub lang: Language,
    /// A hook to implement. May be repeated.
    #[arg(long, value_name = "HOOK", default_value = "on-model-call")]
    pub hook: Vec<String>,
    /// The folder of the Rust SDK, if it is not that of the checkout that this program was built in.
    #[arg(long, value_name = "FOLDER")]
    pub sdk: Option<PathBuf>,
}

/// The arguments of `cepa run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// The manifest, or a folder that has a `cepa.toml`.
    pub manifest: PathBuf,
    /// The prompt, or `-` to read it from standard input. Without it, the manifest's own or a chat.
    #[arg(conflicts_with_all = ["chat", "resume"])]
    pub prompt: Option<String>,
    /// The session to begin or to go on with. A fresh one by default.
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Chat, even if the manifest has a prompt.
    #[arg(long)]
    pub chat: bool,
    /// Give up the tool calls that wait in the session for a person.
    #[arg(long, conflicts_with = "resume")]
    pub discard: bool,
    /// In a chat, take up the manifest and its components whenever their files change.
    #[arg(long)]
    pub watch: bool,
    /// In a chat, where `cepa swap` reaches it, instead of beside the session file.
    #[arg(long, value_name = "SOCKET")]
    pub control: Option<PathBuf>,
    #[command(flatten)]
    pub answers: AnswerArgs,
}

/// The arguments of `cepa record`.
#[derive(Debug, Args)]
pub struct RecordArgs {
    /// The manifest, or a folder that has a `cepa.toml`.
    pub manifest: PathBuf,
    /// The prompt, or `-` to read it from standard input. Without it, the manifest's own.
    pub prompt: Option<String>,
    /// The layer to record.
    #[arg(long, value_name = "NAME")]
    pub layer: String,
    /// The file to write. It will hold what the layer sees of the conversation.
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    /// The session to begin or to go on with. A fresh one by default.
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
}

/// The arguments of `cepa replay`.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// The recording.
    pub recording: PathBuf,
    /// Another build of the component than the recorded one: a `.wasm` file, a project folder or `bundled:NAME`.
    #[arg(long, value_name = "COMPONENT")]
    pub component: Option<String>,
}

/// The arguments of `cepa swap`.
#[derive(Debug, Args)]
pub struct SwapArgs {
    /// The manifest of the running chat, or a folder that has a `cepa.toml`. Left out with `--control`.
    #[arg(required_unless_present = "control")]
    pub manifest: Option<String>,
    /// The one layer to exchange. Without it, the layers become those of the manifest as it is now.
    pub layer: Option<String>,
    /// Where the chat listens, if not beside its session file.
    #[arg(long, value_name = "SOCKET")]
    pub control: Option<PathBuf>,
    /// A component for the layer other than the manifest's: a `.wasm` file, a project folder or `bundled:NAME`.
    #[arg(long)]
    pub source: Option<String>,
    /// Agree to what a layer newly imports or is granted, as the refusal names it: `models`, `models=backup`,
    /// `LAYER:models`. May be repeated.
    #[arg(long, value_name = "NAME")]
    pub allow: Vec<String>,
    /// Change nothing, and show which layers are active.
    #[arg(long, conflicts_with_all = ["layer", "source", "allow"])]
    pub status: bool,
}

/// Answers to the tool calls that a session waits for.
#[derive(Debug, Default, Args)]
pub struct AnswerArgs {
    /// Go on with a reply that waits, or whose process died.
    #[arg(long, requires = "session")]
    pub resume: bool,
    /// Let a waiting tool call run.
    #[arg(long, value_name = "CALL", requires = "resume")]
    pub approve: Vec<String>,
    /// Refuse a waiting tool call, with a reason for the model if there is one.
    #[arg(long, value_name = "CALL[=REASON]", requires = "resume")]
    pub reject: Vec<String>,
    /// Let a waiting tool call run with other arguments.
    #[arg(long, value_name = "CALL=JSON", requires = "resume")]
    pub edit: Vec<String>,
    /// Give the result of a tool call that runs outside.
    #[arg(long, value_name = "CALL=TEXT", requires = "resume")]
    pub result: Vec<String>,
}

/// The languages by their names.
fn languages() -> impl TypedValueParser<Value = Language> {
    let names = Language::ALL.map(Language::name);
    PossibleValuesParser::new(names).try_map(|name| Language::named(&name).ok_or("no language"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_arguments_fit_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn answers_need_a_session_to_resume() {
        let parse = |args: &str| Cli::try_parse_from(args.split(' ')).is_ok();
        assert!(parse("cepa run x --session s --resume --approve a --edit b={} --result c=done --reject d"));
        assert!(!parse("cepa run x --session s --approve a"));
        assert!(!parse("cepa run x --resume"));
        assert!(!parse("cepa run x prompt --session s --resume"));
    }
}
