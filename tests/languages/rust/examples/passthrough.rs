use language_guests::cepa::middleware::{
    flow::{ModelNext, Sink},
    requests::{ModelRequest, ModelResponse},
    types::Error,
};
use language_guests::exports::cepa::middleware::on_model_call::Guest;

struct Passthrough;

impl Guest for Passthrough {
    fn handle(request: ModelRequest, next: ModelNext, _out: Sink) -> Result<ModelResponse, Error> {
        next.run(request)
    }
}

language_guests::export!(Passthrough);
