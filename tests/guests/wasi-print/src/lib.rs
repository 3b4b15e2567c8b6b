//! Prints a thousand lines by the means of WASI, and gives up if one can't be printed.

use cepa_sdk::{Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink};

/// As much of WASI as this needs.
mod bindings {
    wit_bindgen::generate!({
        inline: "
            package test:wasi-print;

            world prints {
                import wasi:cli/stdout@0.2.0;
            }

            package wasi:cli@0.2.0 {
                interface stdout {
                    use wasi:io/streams@0.2.0.{output-stream};
                    get-stdout: func() -> output-stream;
                }
            }

            package wasi:io@0.2.0 {
                interface error {
                    resource error;
                }
                interface streams {
                    use error.{error};
                    variant stream-error {
                        last-operation-failed(error),
                        closed,
                    }
                    resource output-stream {
                        blocking-write-and-flush: func(contents: list<u8>) -> result<_, stream-error>;
                    }
                }
            }
        ",
        generate_all,
    });
}

struct Print;

impl Middleware for Print {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnModelCall for Print {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        let output = bindings::wasi::cli::stdout::get_stdout();
        let line = format!("{}\n", "x".repeat(99));
        for _ in 0..1_000 {
            // As the standard library of most languages does.
            assert!(output.blocking_write_and_flush(line.as_bytes()).is_ok(), "the output is broken");
        }
        next.run(request)
    }
}

cepa_sdk::export!(Print: OnModelCall);
