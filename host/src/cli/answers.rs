//! Answers to waiting tool calls, from the arguments.

use cepa::agent::Answer;
use cepa::message::{ResultPart, ToolState};

use super::args::AnswerArgs;
use super::exit::Failure;

/// The answers, in the order of the options.
pub fn from_args(args: &AnswerArgs) -> Result<Vec<Answer>, Failure> {
    let mut answers = Vec::new();
    answers.extend(args.approve.iter().map(|call| Answer::Approve { call_id: call.clone() }));
    answers.extend(args.reject.iter().map(|text| {
        let (call, reason) = match text.split_once('=') {
            Some((call, reason)) => (call, Some(reason.to_owned())),
            None => (text.as_str(), None),
        };
        Answer::Reject { call_id: call.to_owned(), reason }
    }));
    for text in &args.edit {
        let (call, arguments) = pair("--edit", text, "JSON")?;
        if let Err(cause) = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(arguments) {
            return Err(Failure::usage(format!(
                "the arguments of `--edit {call}=...` are no JSON object: {cause}"
            )));
        }
        answers.push(Answer::Edit { call_id: call.to_owned(), name: None, arguments: arguments.to_owned() });
    }
    for text in &args.result {
        let (call, result) = pair("--result", text, "TEXT")?;
        answers.push(Answer::Result {
            call_id: call.to_owned(),
            content: vec![ResultPart::text(result)],
            state: ToolState::Success,
        });
    }
    refuse_twice(&answers)?;
    Ok(answers)
}

fn pair<'t>(option: &str, text: &'t str, value: &str) -> Result<(&'t str, &'t str), Failure> {
    text.split_once('=')
        .ok_or_else(|| Failure::usage(format!("`{option} {text}` has no `=`; write `{option} CALL={value}`")))
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
        let answers = from_args(&args).expect("good answers");
        insta::assert_snapshot!(format!("{answers:#?}"));
    }

    #[test]
    fn what_can_not_be_an_answer_is_a_usage_error() {
        for args in [
            AnswerArgs { edit: list(&["a"]), ..AnswerArgs::default() },
            AnswerArgs { edit: list(&["a=[1]"]), ..AnswerArgs::default() },
            AnswerArgs { result: list(&["a"]), ..AnswerArgs::default() },
            AnswerArgs { approve: list(&["a"]), reject: list(&["a=no"]), ..AnswerArgs::default() },
        ] {
            assert_eq!(from_args(&args).expect_err("no answers").exit, super::super::exit::Exit::Usage);
        }
    }
}
