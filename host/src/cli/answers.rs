//! Answers to waiting tool calls, from the arguments.

use cepa::agent::{Answer, Pending};
use cepa::message::{ResultPart, ToolState};

use super::args::AnswerArgs;
use super::exit::Failure;

/// The answers, in the order of the options, to calls that wait.
pub fn from_args(args: &AnswerArgs, pending: &[Pending]) -> Result<Vec<Answer>, Failure> {
    let mut answers = Vec::new();
    answers.extend(args.approve.iter().map(|call| Answer::Approve { call_id: call.clone() }));
    answers.extend(args.reject.iter().map(|text| {
        let (call, reason) = parted(text, pending);
        Answer::Reject { call_id: call.to_owned(), reason: reason.map(str::to_owned) }
    }));
    for text in &args.edit {
        let (call, arguments) = pair("--edit", text, "JSON", pending)?;
        if let Err(cause) = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(arguments) {
            return Err(Failure::usage(format!(
                "the arguments of `--edit {call}=...` are no JSON object: {cause}"
            )));
        }
        answers.push(Answer::Edit { call_id: call.to_owned(), name: None, arguments: arguments.to_owned() });
    }
    for text in &args.result {
        let (call, result) = pair("--result", text, "TEXT", pending)?;
        answers.push(Answer::Result {
            call_id: call.to_owned(),
            content: vec![ResultPart::text(result)],
            state: ToolState::Success,
        });
    }
    refuse_twice(&answers)?;
    Ok(answers)
}

/// The call that a text begins with, and what stands behind its `=`. An id may have a `=` itself, so the longest one
/// that waits counts; where none does, the first `=` ends it.
fn parted<'t>(text: &'t str, pending: &[Pending]) -> (&'t str, Option<&'t str>) {
    let after = |id: &str| match text.strip_prefix(id)? {
        "" => Some((id.len(), None)),
        rest => Some((id.len(), Some(rest.strip_prefix('=')?))),
    };
    let known =
        pending.iter().filter_map(|pending| after(&pending.call.id)).max_by_key(|(length, _)| *length);
    match (known, text.split_once('=')) {
        (Some((length, rest)), _) => (text.get(..length).unwrap_or(text), rest),
        (None, Some((id, rest))) => (id, Some(rest)),
        (None, None) => (text, None),
    }
}

fn pair<'t>(
    option: &str,
    text: &'t str,
    value: &str,
    pending: &[Pending],
) -> Result<(&'t str, &'t str), Failure> {
    let (call, given) = parted(text, pending);
    let missing =
        || Failure::usage(format!("`{option} {text}` has no {value}; write `{option} CALL={value}`"));
    Ok((call, given.ok_or_else(missing)?))
}

fn refuse_twice(answers: &[Answer]) -> Result<(), Failure> {
    let mut seen = std::collections::HashSet::new();
    match answers.iter().map(Answer::call_id).find(|call| !seen.insert(*call)) {
        Some(call) => Err(Failure::usage(format!("call `{call}` is answered twice"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use cepa::message::ToolCall;

    use super::*;

    fn list(values: &[&str]) -> Vec<String> {
        values.iter().map(|value| (*value).to_owned()).collect()
    }

    #[test]
    fn each_option_is_an_answer() {
        let args = AnswerArgs {
            resume: true,
            approve: list(&["a"]),
            reject: list(&["b", "c=too = risky"]),
            edit: list(&["d={\"x\":\"=\"}"]),
            result: list(&["e=all = done"]),
        };
        let answers = from_args(&args, &[]).expect("good answers");
        insta::assert_snapshot!(format!("{answers:#?}"));
    }

    fn waiting(id: &str) -> Pending {
        let call = ToolCall { id: id.to_owned(), name: "t".to_owned(), arguments: "{}".to_owned() };
        Pending { call, reason: String::new(), external: true }
    }

    #[test]
    fn an_id_may_have_an_equals_sign() {
        let pending = [waiting("a"), waiting("a=="), waiting("b=")];
        for (text, parts) in [
            ("a==", ("a==", None)),
            ("a===no", ("a==", Some("no"))),
            ("a=no", ("a", Some("no"))),
            ("b==no", ("b=", Some("no"))),
            ("c=no=", ("c", Some("no="))),
            ("c", ("c", None)),
        ] {
            assert_eq!(parted(text, &pending), parts, "{text}");
        }
    }

    #[test]
    fn what_can_not_be_an_answer_is_a_usage_error() {
        for args in [
            AnswerArgs { edit: list(&["a"]), ..AnswerArgs::default() },
            AnswerArgs { edit: list(&["a=[1]"]), ..AnswerArgs::default() },
            AnswerArgs { result: list(&["a"]), ..AnswerArgs::default() },
            AnswerArgs { approve: list(&["a"]), reject: list(&["a=no"]), ..AnswerArgs::default() },
        ] {
            assert_eq!(from_args(&args, &[]).expect_err("no answers").exit, super::super::exit::Exit::Usage);
        }
    }
}
