use language_guests::cepa::middleware::{
    events::{Event, EventKinds},
    flow::{ModelNext, ModelRun, Sink},
    log::{self, Level},
    requests::{ModelRequest, ModelResponse},
    types::{ContentBlock, Error, ErrorKind, Message, Role},
};
use language_guests::exports::cepa::middleware::on_model_call::Guest;

struct Rewrite;

impl Guest for Rewrite {
    fn handle(request: ModelRequest, next: ModelNext, out: Sink) -> Result<ModelResponse, Error> {
        let edited = request.clone();
        edit(&edited)?;
        let run = next.start(edited);
        log::write(Level::Info, "rewrite: started a run");
        let text = forward(&run, &out)?;
        let response = run.finish()?;
        response.set_content(&[ContentBlock::Text(text)])?;
        Ok(response)
    }
}

fn edit(request: &ModelRequest) -> Result<(), Error> {
    let prompt = request.system_prompt().unwrap_or_default();
    request.set_system_prompt(Some(&format!("{prompt} (seen by rust)")));
    request.push_message(&Message {
        id: String::new(),
        role: Role::User,
        name: None,
        content: vec![ContentBlock::Text("from rust".to_owned())],
        metadata: String::new(),
    })?;
    request.set_parameter("temperature", Some("0.5"))?;
    expect(ErrorKind::InvalidInput, request.set_parameter("seed", Some("{broken")))?;
    expect(ErrorKind::InvalidInput, request.message(9999))
}

/// Sends the text on in upper case and gives all of it.
fn forward(run: &ModelRun, out: &Sink) -> Result<String, Error> {
    let mut text = String::new();
    loop {
        let mut events = run.next(EventKinds::TEXT);
        if events.is_empty() {
            return Ok(text);
        }
        for event in &mut events {
            if let Event::TextDelta(delta) = event {
                delta.text = delta.text.to_uppercase();
                text.push_str(&delta.text);
            }
        }
        out.emit(&events)?;
    }
}

fn expect<T>(kind: ErrorKind, answer: Result<T, Error>) -> Result<(), Error> {
    match answer {
        Err(error) if error.kind == kind => Ok(()),
        _ => Err(Error {
            kind: ErrorKind::Rejected,
            code: "guest-check".to_owned(),
            message: format!("no {kind:?}"),
            retryable: false,
            retry_after_ms: None,
            status: None,
        }),
    }
}

language_guests::export!(Rewrite);
