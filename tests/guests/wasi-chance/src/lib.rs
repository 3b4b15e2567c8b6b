//! Asks WASI for the time and for chance, and logs what it got.

use cepa_sdk::{
    Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink, info,
};

/// As much of WASI as this needs.
mod bindings {
    wit_bindgen::generate!({
        inline: "
            package test:wasi-chance;

            world chances {
                import wasi:clocks/monotonic-clock@0.2.0;
                import wasi:clocks/wall-clock@0.2.0;
                import wasi:random/insecure@0.2.0;
                import wasi:random/insecure-seed@0.2.0;
                import wasi:random/random@0.2.0;
            }

            package wasi:clocks@0.2.0 {
                interface monotonic-clock {
                    now: func() -> u64;
                }
                interface wall-clock {
                    record datetime {
                        seconds: u64,
                        nanoseconds: u32,
                    }
                    now: func() -> datetime;
                }
            }

            package wasi:random@0.2.0 {
                interface insecure {
                    get-insecure-random-u64: func() -> u64;
                }
                interface insecure-seed {
                    insecure-seed: func() -> tuple<u64, u64>;
                }
                interface random {
                    get-random-bytes: func(len: u64) -> list<u8>;
                    get-random-u64: func() -> u64;
                }
            }
        ",
        generate_all,
    });
}

use bindings::wasi::{clocks, random};

struct Chance;

impl Middleware for Chance {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnModelCall for Chance {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        let now = clocks::wall_clock::now();
        info!("{}.{:09} {}", now.seconds, now.nanoseconds, clocks::monotonic_clock::now());
        info!("{:?} {}", random::random::get_random_bytes(40), random::random::get_random_u64());
        info!("{:?}", random::insecure_seed::insecure_seed());
        info!("{}", random::insecure::get_insecure_random_u64());
        next.run(request)
    }
}

cepa_sdk::export!(Chance: OnModelCall);
