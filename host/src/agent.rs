//! The agent loop. Knows no wasm: it drives `dyn Layer`.
