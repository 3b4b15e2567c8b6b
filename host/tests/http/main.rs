//! Requests of layers against loopback servers that send, byte for byte, what hostile ones send.

mod addresses;
mod answers;
mod lab;
mod redirects;
mod requests;
mod secrets;
mod server;
