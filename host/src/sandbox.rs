//! Runs components as layers. The only room that names the engine.
