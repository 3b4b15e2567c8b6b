//! Layers that retry, rewrite, filter, answer themselves or break: what the reply makes of it.

mod again;
mod answers;
mod calls;
mod filters;
