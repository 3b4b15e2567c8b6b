//! Requests of a layer to servers: which are granted, how they are sent, and how secrets go with them.
//!
//! A [`Client`] holds what one layer was granted. It checks a [`Request`] before anything is sent, connects only to
//! addresses that it looked at itself, checks each redirect again, and gives the [`Answer`] within [`Bounds`]. A
//! [`Secret`](crate::secret::Secret) goes out in headers, to the servers it is for, and never comes back.

mod address;
mod answer;
mod bounds;
mod client;
mod error;
mod granted;
mod header;
mod hop;
mod origin;
mod reach;
mod redirect;
mod request;
mod resolve;
mod rule;
mod scrub;
mod secrets;
mod template;
mod time;
mod transport;
mod url;

pub use address::AddressKind;
pub use answer::Answer;
pub use bounds::Bounds;
pub use client::{Client, Slots};
pub use error::FetchError;
pub use origin::Origin;
pub use request::Request;
pub use resolve::{Resolver, SystemResolver};
pub use rule::Rule;
pub use secrets::SecretGrant;
