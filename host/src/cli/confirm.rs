//! Asks a person about the tool calls that a reply waits for.

use std::io::{self, Write};

use cepa::agent::{Answer, Pending};
use cepa::message::{ResultPart, ToolState};
use serde_json::{Map, Value};

use super::exit::Failure;
use super::style::flat;

/// Reads lines from a person.
pub trait Lines {
    /// The next line, to be edited from `initial`; `None` when the person wants no more questions.
    fn ask(&mut self, prompt: &str, initial: &str) -> Result<Option<String>, Failure>;
}

/// Asks about each call, and gives the answers: fewer than there are calls when the person leaves some waiting.
pub fn confirm(
    calls: &[Pending],
    lines: &mut dyn Lines,
    out: &mut dyn Write,
) -> Result<Vec<Answer>, Failure> {
    let mut answers = Vec::new();
    for pending in calls {
        show(pending, out)?;
        let answer = if pending.external { outside(pending, lines)? } else { decide(pending, lines, out)? };
        match answer {
            Asked::Answer(answer) => answers.push(answer),
            Asked::Wait => {}
            Asked::Leave => break,
        }
    }
    Ok(answers)
}

/// What a person made of one question.
enum Asked {
    Answer(Answer),
    /// The call stays waiting.
    Wait,
    /// This call and those after it stay waiting.
    Leave,
}

/// Shows a call whole: what is approved must have been seen.
fn show(pending: &Pending, out: &mut dyn Write) -> io::Result<()> {
    let call = &pending.call;
    // On one line, so that nothing in it passes for a line of the program's own.
    writeln!(out, "? {}({})", flat(&call.name), flat(&call.arguments))?;
    if !pending.reason.is_empty() {
        writeln!(out, "  {}", flat(&pending.reason))?;
    }
    out.flush()
}

fn outside(pending: &Pending, lines: &mut dyn Lines) -> Result<Asked, Failure> {
    Ok(match lines.ask("its result (empty: keep waiting): ", "")? {
        None => Asked::Leave,
        Some(text) if text.trim().is_empty() => Asked::Wait,
        Some(text) => Asked::Answer(Answer::Result {
            call_id: pending.call.id.clone(),
            content: vec![ResultPart::text(text)],
            state: ToolState::Success,
        }),
    })
}

fn decide(pending: &Pending, lines: &mut dyn Lines, out: &mut dyn Write) -> Result<Asked, Failure> {
    let call_id = pending.call.id.clone();
    loop {
        let Some(line) = lines.ask("[a]pprove, [e]dit, [r]eject or [w]ait? ", "")? else {
            return Ok(Asked::Leave);
        };
        match line.trim().to_ascii_lowercase().as_str() {
            "a" | "approve" => return Ok(Asked::Answer(Answer::Approve { call_id })),
            "w" | "wait" => return Ok(Asked::Wait),
            "r" | "reject" => {
                let Some(reason) = lines.ask("why, for the model (may be empty): ", "")? else {
                    return Ok(Asked::Leave);
                };
                let reason = Some(reason).filter(|reason| !reason.trim().is_empty());
                return Ok(Asked::Answer(Answer::Reject { call_id, reason }));
            }
            "e" | "edit" => match edit(&pending.call.arguments, lines, out)? {
                Some(arguments) => return Ok(Asked::Answer(Answer::Edit { call_id, name: None, arguments })),
                None => return Ok(Asked::Leave),
            },
            _ => {
                writeln!(out, "  answer with `a`, `e`, `r` or `w`")?;
                out.flush()?;
            }
        }
    }
}

/// The arguments as the person wants them: asked for again until they are a JSON object.
fn edit(arguments: &str, lines: &mut dyn Lines, out: &mut dyn Write) -> Result<Option<String>, Failure> {
    let mut text = arguments.to_owned();
    loop {
        let Some(line) = lines.ask("arguments: ", &text)? else { return Ok(None) };
        match serde_json::from_str::<Map<String, Value>>(&line) {
            Ok(_) => return Ok(Some(line)),
            Err(cause) => {
                writeln!(out, "  this is no JSON object: {cause}")?;
                out.flush()?;
                text = line;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use cepa::message::ToolCall;

    use super::*;

    /// Answers from a list, and notes what was asked.
    struct Script {
        answers: VecDeque<&'static str>,
        asked: Vec<String>,
    }

    impl Lines for Script {
        fn ask(&mut self, prompt: &str, initial: &str) -> Result<Option<String>, Failure> {
            self.asked.push(format!("{prompt}{initial}"));
            Ok(self.answers.pop_front().map(str::to_owned))
        }
    }

    fn pending(id: &str, external: bool) -> Pending {
        let call =
            ToolCall { id: id.to_owned(), name: "rm".to_owned(), arguments: "{\"path\":\"x\"}".to_owned() };
        Pending { call, reason: "the rule `rm` says ask".to_owned(), external }
    }

    /// What was shown and asked, and the answers.
    fn run(calls: &[Pending], answers: &[&'static str]) -> String {
        let mut script = Script { answers: answers.iter().copied().collect(), asked: Vec::new() };
        let mut out = Vec::new();
        let given = confirm(calls, &mut script, &mut out).expect("memory can be written");
        format!("{}\nasked {:#?}\nanswers {given:#?}", String::from_utf8_lossy(&out), script.asked)
    }

    #[test]
    fn each_answer() {
        let calls = [pending("1", false), pending("2", false), pending("3", false), pending("4", true)];
        insta::assert_snapshot!(run(
            &calls,
            &["a", "r", "no", "what", "e", "{\"path\":", "{\"path\":\"y\"}", "done"]
        ));
    }

    #[test]
    fn what_is_left_keeps_waiting() {
        let calls = [pending("1", false), pending("2", true), pending("3", false), pending("4", false)];
        insta::assert_snapshot!(run(&calls, &["w", " ", "a"]));
    }
}
