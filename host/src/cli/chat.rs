//! A chat at a terminal.

use std::io::{self, Write as _};

use cepa::event::Outcome;

use super::confirm::confirm;
use super::exit::{Exit, Failure};
use super::reply;
use super::run::{Session, Turn};
use super::shell::option;
use super::style::flat;
use super::terminal::{NOT_TEXT, Terminal, Typed};

/// Chats until the person ends it. A reply that fails ends the reply and not the chat.
pub fn chat(session: &mut Session, discard: bool) -> Result<Exit, Failure> {
    let mut terminal = Terminal::new()?;
    session.notices.print_with(terminal.printer());
    say(&format!("{}: Ctrl-C stops a reply, Ctrl-D ends the chat", session.agent.name()))?;
    let mut discard = discard || !answer_waiting(session, &mut terminal)?;
    loop {
        match terminal.line("> ")? {
            Typed::End => break,
            Typed::Interrupt => say("Ctrl-D ends the chat")?,
            Typed::NotText => say(NOT_TEXT)?,
            Typed::Line(line) if line.trim().is_empty() => {}
            Typed::Line(prompt) => {
                turn(session, Turn::Input { prompt, discard })?;
                discard = !answer_waiting(session, &mut terminal)?;
            }
        }
    }
    if session.is_kept {
        say(&format!(
            "this was session {}: `{}` goes on with it",
            session.id,
            option("--session", &session.id)
        ))?;
    }
    Ok(Exit::Success)
}

/// Asks about what the session waits for, and goes on with its reply; `false` when calls are left waiting.
fn answer_waiting(session: &mut Session, terminal: &mut Terminal) -> Result<bool, Failure> {
    loop {
        let pending = session.pending()?;
        if pending.is_empty() {
            return Ok(true);
        }
        let answers = confirm(&pending, terminal, &mut io::stdout())?;
        if answers.is_empty() {
            say(&format!("{} calls keep waiting; your next message gives them up", pending.len()))?;
            return Ok(false);
        }
        turn(session, Turn::Resume(answers))?;
    }
}

/// Runs a reply, and shows why it failed if it did. Only output that can't be written ends the chat.
fn turn(session: &mut Session, turn: Turn) -> Result<(), Failure> {
    let failure = match session.turn(turn) {
        Ok(result) if result.response.outcome == Outcome::Aborted => return say("stopped"),
        Ok(result) => reply::failure(&result, &mut session.view),
        Err(failure) => Some(failure),
    };
    match failure {
        None => Ok(()),
        Some(failure) => match failure.render() {
            Some(text) => Ok(io::stderr().write_all(text.as_bytes())?),
            None if failure.exit == Exit::Aborted => say("stopped"),
            None => Err(failure),
        },
    }
}

fn say(text: &str) -> Result<(), Failure> {
    Ok(writeln!(io::stderr(), "{}", flat(text))?)
}
