//! Models against loopback servers that send, byte for byte, what real servers and broken ones send.

mod anthropic;
mod failures;
mod garbage;
mod openai;
mod play;
mod portions;
mod replies;
mod requests;
mod scripted;
mod server;
