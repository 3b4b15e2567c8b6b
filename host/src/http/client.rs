//! Sends a layer's requests, and follows their redirects.

use std::sync::Arc;

use tokio::sync::Semaphore;

use super::answer::Answer;
use super::bounds::Bounds;
use super::error::FetchError;
use super::granted::Granted;
use super::redirect;
use super::request::Request;
use super::resolve::Resolver;
use super::rule::Rule;
use super::secrets::SecretGrant;
use super::time::Clock;
use super::transport::Transport;

/// The network as one layer may use it.
#[derive(Debug)]
pub struct Client {
    granted: Arc<Granted>,
    transport: Transport,
}

/// The requests and answers that a layer may hold at once in one reply.
#[derive(Clone, Debug)]
pub struct Slots {
    semaphore: Arc<Semaphore>,
    allowed: usize,
}

impl Client {
    /// A client with these grants. It connects to nothing yet.
    ///
    /// # Errors
    /// When the secrets are too many to be looked for.
    pub fn new(
        rules: &[Rule],
        secrets: &[SecretGrant],
        resolver: Arc<dyn Resolver>,
        bounds: Bounds,
    ) -> Result<Self, FetchError> {
        let rules: Arc<[Rule]> = rules.into();
        let transport = Transport::new(resolver, Arc::clone(&rules), bounds.clone());
        Ok(Self { granted: Arc::new(Granted::new(rules, secrets.to_vec(), bounds)?), transport })
    }

    /// Room for the requests and answers of one reply.
    pub fn slots(&self) -> Slots {
        let allowed = self.granted.bounds.open;
        Slots { semaphore: Arc::new(Semaphore::new(allowed)), allowed }
    }

    /// A request, if it is granted.
    ///
    /// # Errors
    /// When method or address can't be used or are not granted, and when too many are open.
    pub fn request(&self, method: &str, url: &str, slots: &Slots) -> Result<Request, FetchError> {
        Request::new(&self.granted, method, url, || {
            let slot = Arc::clone(&slots.semaphore).try_acquire_owned();
            slot.map_err(|_| FetchError::limit("http-open", slots.allowed, slots.allowed + 1))
        })
    }

    /// Sends a request of this client and gives the answer as far as its headers, redirects followed.
    ///
    /// # Errors
    /// When a redirect may not be followed, an address may not be connected to, no answer comes in time, or its headers
    /// are too large.
    pub async fn fetch(&self, request: Request) -> Result<Answer, FetchError> {
        let Request { granted, mut hop, timeout, slot, .. } = request;
        let bounds = &granted.bounds;
        let total = timeout.map_or(bounds.total, |timeout| timeout.min(bounds.total));
        let clock = Clock::start(total, bounds.idle);
        for _ in 0..=bounds.redirects {
            let headers = granted.fill(&hop.headers, &hop.url)?;
            let response = self.transport.send(&hop, headers, &clock).await?;
            match redirect::next(&hop, response.status(), response.headers(), &granted)? {
                None => return Answer::new(response, &granted, clock, slot),
                Some(next) => hop = next,
            }
        }
        Err(FetchError::limit("http-redirects", bounds.redirects, bounds.redirects + 1))
    }
}
