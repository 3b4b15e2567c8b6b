//! The calls that are open while the lines of a recording are read.

use std::collections::HashMap;

use crate::sandbox::recording::START;
use crate::sandbox::recording::line::Line;

use super::{End, ExportCall, Step, StepAnswer};

/// The calls so far, and which of them are open.
#[derive(Default)]
pub(super) struct Open {
    pub(super) calls: Vec<ExportCall>,
    /// By instance, the place of its call that has not ended; `None` between calls.
    instances: HashMap<u32, Option<usize>>,
}

impl Open {
    /// Takes the line of this number.
    pub(super) fn take(&mut self, number: usize, line: Line) -> Result<(), String> {
        match line {
            Line::Enter { instance, export, arguments } => {
                self.enter(instance, &export)?;
                let (line, steps, end, end_line) = (number, Vec::new(), End::Untold, 0);
                self.calls.push(ExportCall { line, instance, export, arguments, steps, end, end_line });
            }
            Line::Call { instance, function, arguments } => {
                let call = self.open(instance)?;
                if call.steps.last().is_some_and(|step| step.answer.is_none()) {
                    return Err(format!("instance {instance} waits for the answer to its call"));
                }
                call.steps.push(Step { line: number, function, arguments, answer: None });
            }
            Line::Answer { instance, value } => self.answer(instance, StepAnswer::Value(value))?,
            Line::Trap { instance, .. } => self.answer(instance, StepAnswer::Trap)?,
            Line::Leave { instance, value } => self.end(number, instance, End::Value(value))?,
            Line::Fault { instance, cause } => self.end(number, instance, End::Fault(cause))?,
            Line::GivenUp { instance } => self.end(number, instance, End::GivenUp)?,
            Line::Full { .. } => return Err("a full recording ends once".to_owned()),
        }
        Ok(())
    }

    fn enter(&mut self, instance: u32, export: &str) -> Result<(), String> {
        let place = self.calls.len();
        match (self.instances.get_mut(&instance), export == START) {
            (None, true) => {
                self.instances.insert(instance, Some(place));
            }
            (Some(open @ None), false) => *open = Some(place),
            (None, false) => return Err(format!("instance {instance} was not made before")),
            (Some(None), true) => return Err(format!("instance {instance} was made before")),
            (Some(Some(_)), _) => return Err(format!("instance {instance} is in a call already")),
        }
        Ok(())
    }

    fn open(&mut self, instance: u32) -> Result<&mut ExportCall, String> {
        let place = self.instances.get(&instance).copied().flatten();
        place
            .and_then(|place| self.calls.get_mut(place))
            .ok_or_else(|| format!("instance {instance} is in no call"))
    }

    fn answer(&mut self, instance: u32, answer: StepAnswer) -> Result<(), String> {
        match self.open(instance)?.steps.last_mut() {
            Some(step @ Step { answer: None, .. }) => step.answer = Some(answer),
            _ => return Err(format!("instance {instance} has asked for nothing")),
        }
        Ok(())
    }

    fn end(&mut self, number: usize, instance: u32, end: End) -> Result<(), String> {
        let call = self.open(instance)?;
        (call.end, call.end_line) = (end, number);
        self.instances.insert(instance, None);
        Ok(())
    }
}
