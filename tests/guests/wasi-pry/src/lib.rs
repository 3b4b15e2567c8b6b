//! Looks through WASI for what there is of the machine, and logs what it finds.

use cepa_sdk::{
    Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink, info,
};

/// As much of WASI as this needs.
mod bindings {
    wit_bindgen::generate!({
        inline: "
            package test:wasi-pry;

            world pries {
                import wasi:cli/environment@0.2.0;
                import wasi:clocks/monotonic-clock@0.2.0;
                import wasi:filesystem/preopens@0.2.0;
                import wasi:random/random@0.2.0;
                import wasi:sockets/instance-network@0.2.0;
                import wasi:sockets/ip-name-lookup@0.2.0;
                import wasi:sockets/tcp-create-socket@0.2.0;
                import wasi:sockets/udp-create-socket@0.2.0;
            }

            package wasi:cli@0.2.0 {
                interface environment {
                    get-environment: func() -> list<tuple<string, string>>;
                    get-arguments: func() -> list<string>;
                    initial-cwd: func() -> option<string>;
                }
            }

            package wasi:clocks@0.2.0 {
                interface monotonic-clock {
                    resolution: func() -> u64;
                }
            }

            package wasi:filesystem@0.2.0 {
                interface types {
                    resource descriptor;
                }
                interface preopens {
                    use types.{descriptor};
                    get-directories: func() -> list<tuple<descriptor, string>>;
                }
            }

            package wasi:random@0.2.0 {
                interface random {
                    get-random-bytes: func(len: u64) -> list<u8>;
                }
            }

            package wasi:sockets@0.2.0 {
                interface network {
                    resource network;
                    enum error-code {
                        unknown, access-denied, not-supported, invalid-argument, out-of-memory, timeout,
                        concurrency-conflict, not-in-progress, would-block, invalid-state, new-socket-limit,
                        address-not-bindable, address-in-use, remote-unreachable, connection-refused,
                        connection-reset, connection-aborted, datagram-too-large, name-unresolvable,
                        temporary-resolver-failure, permanent-resolver-failure,
                    }
                    enum ip-address-family { ipv4, ipv6 }
                }
                interface instance-network {
                    use network.{network};
                    instance-network: func() -> network;
                }
                interface ip-name-lookup {
                    use network.{network, error-code};
                    resource resolve-address-stream;
                    resolve-addresses: func(
                        network: borrow<network>,
                        name: string,
                    ) -> result<resolve-address-stream, error-code>;
                }
                interface tcp { resource tcp-socket; }
                interface tcp-create-socket {
                    use network.{error-code, ip-address-family};
                    use tcp.{tcp-socket};
                    create-tcp-socket: func(address-family: ip-address-family) -> result<tcp-socket, error-code>;
                }
                interface udp { resource udp-socket; }
                interface udp-create-socket {
                    use network.{error-code, ip-address-family};
                    use udp.{udp-socket};
                    create-udp-socket: func(address-family: ip-address-family) -> result<udp-socket, error-code>;
                }
            }
        ",
        generate_all,
    });
}

use bindings::wasi::{cli, clocks, filesystem, random, sockets};

struct Pry;

impl Middleware for Pry {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

fn named(code: sockets::network::ErrorCode) -> &'static str {
    code.name()
}

impl OnModelCall for Pry {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        info!("environment: {:?}", cli::environment::get_environment());
        info!("arguments: {:?}", cli::environment::get_arguments());
        info!("folder: {:?}", cli::environment::initial_cwd());
        info!("folders: {}", filesystem::preopens::get_directories().len());
        info!("clock: {}", clocks::monotonic_clock::resolution() > 0);
        let family = sockets::network::IpAddressFamily::Ipv4;
        info!("tcp: {:?}", sockets::tcp_create_socket::create_tcp_socket(family).map(drop).map_err(named));
        info!("udp: {:?}", sockets::udp_create_socket::create_udp_socket(family).map(drop).map_err(named));
        let network = sockets::instance_network::instance_network();
        for name in ["localhost", "169.254.169.254"] {
            let found = sockets::ip_name_lookup::resolve_addresses(&network, name).map(drop).map_err(named);
            info!("{name}: {found:?}");
        }
        info!("chance: {}", random::random::get_random_bytes(65_536).len());
        // One byte more is refused, which ends in a trap.
        info!("chance: {}", random::random::get_random_bytes(65_537).len());
        next.run(request)
    }
}

cepa_sdk::export!(Pry: OnModelCall);
