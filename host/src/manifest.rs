//! The manifest: `cepa.toml`, parsed and then resolved.
