//! Ends the process, by the means that WASI has for it.

use cepa_sdk::{Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink};

/// As much of WASI as this needs.
mod bindings {
    wit_bindgen::generate!({
        inline: "
            package test:wasi-exit;

            world exits {
                import wasi:cli/exit@0.2.0;
            }

            package wasi:cli@0.2.0 {
                interface exit {
                    exit: func(status: result);
                }
            }
        ",
        generate_all,
    });
}

struct Exit;

impl Middleware for Exit {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnModelCall for Exit {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        bindings::wasi::cli::exit::exit(Err(()));
        next.run(request)
    }
}

cepa_sdk::export!(Exit: OnModelCall);
