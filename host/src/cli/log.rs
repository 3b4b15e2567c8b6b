//! The host's own log.

use std::env;
use std::io;

use tracing_subscriber::EnvFilter;

use super::style::Style;
use super::view::Mode;

/// Sends the log to standard error, as far as `CEPA_LOG` asks for it. By default it has warnings, and with `--quiet`
/// errors alone.
pub fn start(mode: Mode) {
    let usual = if mode == Mode::Quiet { "error" } else { "warn" };
    let wanted = env::var("CEPA_LOG").ok();
    let filter = wanted.and_then(|wanted| EnvFilter::try_new(directives(&wanted)).ok());
    tracing_subscriber::fmt()
        .with_env_filter(filter.unwrap_or_else(|| EnvFilter::new(directives(usual))))
        .with_writer(io::stderr)
        .with_ansi(Style::of(&io::stderr()).is_coloured())
        .with_target(false)
        .init();
}

/// What of the log is wanted. The library that speaks to MCP servers writes down whole addresses and messages, and with
/// them keys; what it has to say is in the host's own errors. So it is heard only by who names it.
fn directives(wanted: &str) -> String {
    if wanted.contains("rmcp") { wanted.to_owned() } else { format!("{wanted},rmcp=off") }
}
