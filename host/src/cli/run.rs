//! `cepa run`.

use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::sync::Arc;
use std::time::Duration;

use cepa::agent::{Agent, Answer, INPUT_TEXT_MAX, Pending, ReplyInput, ReplyResult, check_session_id};
use cepa::event::Outcome;
use cepa::host::{Host, Loaded};
use cepa::manifest::{Manifest, SessionSpec};
use cepa::message::Message;
use cepa::world::{RealWorld, World as _};
use tokio::runtime::Handle;

use super::answers;
use super::args::{AnswerArgs, RunArgs};
use super::chat;
use super::confirm::confirm;
use super::exit::{Exit, Failure};
use super::interrupts::Interrupts;
use super::live;
use super::load;
use super::notices::Notices;
use super::reply;
use super::shell::{option, quoted};
use super::style::flat;
use super::terminal::Terminal;
use super::view::{Mode, View};

/// How long the end of the program waits for work that was given up.
const LAST_WAIT: Duration = Duration::from_secs(1);

/// What is to be done in a session.
enum Task {
    Prompt(String),
    Resume,
    Chat,
}

/// Runs a reply or a chat, and says how the program ends.
pub fn run(args: &RunArgs, mode: Mode) -> Result<Exit, Failure> {
    run_in(|_| load::host(), args, mode)
}

/// The same, loaded by the host that there is for its manifest.
pub fn run_in(
    host: impl FnOnce(&Manifest) -> Result<Host, Failure>,
    args: &RunArgs,
    mode: Mode,
) -> Result<Exit, Failure> {
    let manifest = load::manifest(&args.manifest)?;
    let task = task(args, &manifest, mode)?;
    let runtime = load::runtime()?;
    let loaded = Arc::new(load::agent(&runtime, &host(&manifest)?, &manifest, mode)?);
    let session_id = args.session.clone().unwrap_or_else(|| RealWorld::default().id());
    let mut session = Session {
        view: View::standard(mode),
        interrupts: {
            let _inside = runtime.enter();
            Interrupts::listen().map_err(Failure::machine("signals can't be listened for"))?
        },
        is_kept: manifest.sessions != SessionSpec::Memory,
        manifest: args.manifest.display().to_string(),
        agent: loaded.agent.clone(),
        id: session_id,
        notices: Notices::new(mode),
        runtime: runtime.handle().clone(),
        mode,
    };
    let ended = match task {
        Task::Chat => live_chat(&mut session, &loaded, args),
        Task::Resume => session.resume(&args.answers),
        Task::Prompt(prompt) => session.run_to_end(Turn::Input { prompt, discard: args.discard }),
    };
    drop((session, loaded));
    runtime.shutdown_timeout(LAST_WAIT);
    ended
}

/// A chat that an operator can reach meanwhile.
fn live_chat(session: &mut Session, loaded: &Arc<Loaded>, args: &RunArgs) -> Result<Exit, Failure> {
    let _live = live::start(&session.runtime, loaded, args, &session.notices)?;
    chat::chat(session, args.discard)
}

fn task(args: &RunArgs, manifest: &Manifest, mode: Mode) -> Result<Task, Failure> {
    if let Some(id) = &args.session {
        check_session_id(id).map_err(Failure::usage)?;
    }
    let task = wanted(args, manifest, mode)?;
    if (args.watch || args.control.is_some()) && !matches!(task, Task::Chat) {
        return Err(Failure::usage(
            "`--watch` and `--control` need a chat: a reply keeps the layers it began with",
        ));
    }
    Ok(task)
}

fn wanted(args: &RunArgs, manifest: &Manifest, mode: Mode) -> Result<Task, Failure> {
    if args.answers.resume {
        return Ok(Task::Resume);
    }
    let at_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    let prompt = match (args.prompt.as_deref(), &manifest.prompt) {
        (Some("-"), _) => read_prompt()?,
        (Some(prompt), _) => prompt.to_owned(),
        (None, Some(prompt)) if !args.chat => prompt.clone(),
        (None, _) if at_terminal && mode != Mode::Json => return Ok(Task::Chat),
        (None, _) if args.chat => return Err(Failure::usage("a chat needs a terminal and no `--json`")),
        (None, _) => {
            return Err(no_prompt());
        }
    };
    if prompt.trim().is_empty() {
        return Err(Failure::usage("the prompt is empty"));
    }
    Ok(Task::Prompt(prompt))
}

/// Nothing says what the reply is about.
pub fn no_prompt() -> Failure {
    let hint = "name it as the second argument, or write `-` to read it from standard input";
    Failure::usage("there is no prompt").hint(hint)
}

fn read_prompt() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .take(INPUT_TEXT_MAX as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::usage(format!("the prompt can't be read from standard input: {error}")))?;
    if bytes.len() > INPUT_TEXT_MAX {
        return Err(Failure::usage(format!("the prompt is larger than the {INPUT_TEXT_MAX} bytes allowed")));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::usage(format!("the prompt is not UTF-8 at byte {at}"))
    })
}

/// The layers of an agent, and behind them those of its sub-agents.
fn all_layers(agent: &Agent) -> Vec<String> {
    let subs = agent.sub_agents();
    agent.layers().into_iter().chain(subs.iter().flat_map(Agent::layers)).collect()
}

/// A session of an agent that this program runs replies in.
pub struct Session {
    pub agent: Agent,
    pub id: String,
    pub view: View,
    /// Whether another run can go on with it.
    pub is_kept: bool,
    pub notices: Notices,
    manifest: String,
    interrupts: Interrupts,
    runtime: Handle,
    mode: Mode,
}

/// What a reply begins with.
pub enum Turn {
    Input { prompt: String, discard: bool },
    Resume(Vec<Answer>),
}

impl Session {
    /// Runs one reply and shows it.
    pub fn turn(&mut self, turn: Turn) -> Result<ReplyResult, Failure> {
        let Self { agent, id, view, interrupts, runtime, notices, .. } = self;
        view.begin(all_layers(agent));
        notices.hold();
        let result = runtime.block_on(async {
            let stream = match turn {
                Turn::Input { prompt, discard } => {
                    let input =
                        ReplyInput { discard_pending: discard, ..ReplyInput::from(Message::user(prompt)) };
                    agent.reply(id.as_str(), input).await
                }
                Turn::Resume(answers) => agent.resume(id.as_str(), answers).await,
            };
            reply::show(stream.map_err(reply::not_begun)?, id, view, interrupts).await
        });
        notices.release();
        result
    }

    /// The calls that the session waits for.
    pub fn pending(&self) -> Result<Vec<Pending>, Failure> {
        self.runtime.block_on(self.agent.pending(self.id.as_str())).map_err(reply::not_begun)
    }

    /// Goes on with a reply. A person at the terminal is asked for the answers when there are none.
    fn resume(&mut self, args: &AnswerArgs) -> Result<Exit, Failure> {
        let pending = self.pending()?;
        let mut answers = answers::from_args(args, &pending)?;
        if answers.is_empty() {
            answers = self.ask(&pending)?;
        }
        self.run_to_end(Turn::Resume(answers))
    }

    /// Runs a reply, and as long as a person at the terminal answers its questions, goes on with it.
    fn run_to_end(&mut self, mut turn: Turn) -> Result<Exit, Failure> {
        loop {
            let result = self.turn(turn)?;
            if let Some(failure) = reply::failure(&result, &mut self.view) {
                return Err(failure);
            }
            if result.response.outcome != Outcome::Parked {
                return Ok(Exit::Success);
            }
            let answers = self.ask(&result.pending)?;
            if answers.is_empty() {
                self.tell_waiting(&result)?;
                return Ok(Exit::Parked);
            }
            turn = Turn::Resume(answers);
        }
    }

    fn ask(&self, pending: &[Pending]) -> Result<Vec<Answer>, Failure> {
        if pending.is_empty()
            || self.mode == Mode::Json
            || !io::stdin().is_terminal()
            || !io::stdout().is_terminal()
        {
            return Ok(Vec::new());
        }
        confirm(pending, &mut Terminal::new()?, &mut io::stdout())
    }

    /// Says what a parked reply waits for, and how to go on.
    fn tell_waiting(&self, result: &ReplyResult) -> Result<(), Failure> {
        if self.mode == Mode::Json {
            return Ok(());
        }
        let mut err = io::stderr().lock();
        for pending in &result.pending {
            let call = &pending.call;
            let (how, wanted) = if pending.external {
                (format!("{}=TEXT", option("--result", &call.id)), "its result")
            } else {
                (option("--approve", &call.id), "a decision")
            };
            let call = format!("waiting for {wanted}: {}({}) [{how}]", call.name, call.arguments);
            writeln!(err, "{}", flat(&call))?;
        }
        writeln!(err, "\nhint: {}", flat(&self.how_to_go_on()))?;
        Ok(())
    }

    /// What to do about calls that wait.
    fn how_to_go_on(&self) -> String {
        if !self.is_kept {
            return "`sessions.memory` keeps the session no longer than this run, so nobody can answer; \
                    name a `path` under `[sessions]`, or answer at a terminal"
                .to_owned();
        }
        let (manifest, session) = (quoted(&self.manifest), option("--session", &self.id));
        format!("go on with `cepa run {manifest} {session} --resume ...`")
    }
}
