//! Says whatever it is told to: turns the bytes of the prompt into edits, events and an answer, however senseless.

mod dice;

use cepa_sdk::{
    Error, Event, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, OtherEvent,
    Sink, TextDelta, ToolDefinition,
};
use dice::Dice;

struct Babble;

impl Middleware for Babble {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnModelCall for Babble {
    fn on_model_call(
        &self,
        request: ModelRequest,
        next: ModelNext,
        out: Sink,
    ) -> Result<ModelResponse, Error> {
        let script = request.system_prompt().unwrap_or_default();
        let mut dice = Dice::new(&script);
        while !dice.is_empty() {
            step(&mut dice, &request, &out);
        }
        if dice.flag() { Ok(ModelResponse::new(&dice.content())) } else { next.run(request) }
    }
}

/// One senseless thing. That it is refused is expected; that it harms the host is not.
fn step(dice: &mut Dice<'_>, request: &ModelRequest, out: &Sink) {
    match dice.below(12) {
        0 => drop(request.set_metadata(&dice.text(), Some(&dice.text()))),
        1 => drop(request.set_parameter(&dice.text(), Some(&dice.text()))),
        2 => drop(request.set_output_schema(Some(&dice.text()))),
        3 => drop(request.push_message(&dice.message())),
        4 => drop(request.insert_message(dice.number(), &dice.message())),
        5 => drop(request.replace_message(dice.number(), &dice.message())),
        6 => drop(request.remove_message(dice.number())),
        7 => drop(request.set_messages(&[dice.message(), dice.message()])),
        8 => drop(request.set_tools(&[tool(dice)])),
        9 => drop(out.emit(&[Event::TextStart(dice.text()), Event::TextDelta(delta(dice)), dice.event()])),
        10 => drop(out.emit(&[Event::Other(OtherEvent { name: dice.text(), json: dice.text() })])),
        _ => drop(request.message(dice.number())),
    }
}

fn delta(dice: &mut Dice<'_>) -> TextDelta {
    TextDelta { id: dice.text(), text: dice.text() }
}

fn tool(dice: &mut Dice<'_>) -> ToolDefinition {
    ToolDefinition {
        name: dice.text(),
        description: dice.text(),
        parameters: dice.text(),
        parallel: dice.flag(),
        metadata: dice.text(),
    }
}

cepa_sdk::export!(Babble: OnModelCall);
