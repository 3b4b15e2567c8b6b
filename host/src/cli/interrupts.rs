//! Ctrl-C and the wish of the system that the program end.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// The interrupts since this was made. From then on they no longer end the program by themselves.
#[derive(Debug)]
pub struct Interrupts {
    ctrl_c: Signal,
    terminate: Signal,
}

impl Interrupts {
    /// Begins to listen. To be called within a runtime.
    pub fn listen() -> io::Result<Self> {
        Ok(Self { ctrl_c: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// Waits for the next one.
    pub async fn next(&mut self) {
        tokio::select! {
            _ = self.ctrl_c.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
