//! A client with grants of a test, and names that lead where the test says.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cepa::http::{Answer, Bounds, Client, FetchError, Resolver, SecretGrant, Slots};
use cepa::secret::Secret;
use futures::future::BoxFuture;

/// Names and their addresses. With several lists, each look-up takes the next one, and the last one stays.
#[derive(Debug, Default)]
pub(crate) struct Names {
    answers: Mutex<HashMap<String, Vec<Vec<IpAddr>>>>,
    asked: Mutex<Vec<String>>,
}

impl Names {
    pub(crate) fn with(self, host: &str, answers: &[&[&str]]) -> Self {
        let parse = |list: &&[&str]| list.iter().map(|text| text.parse().expect(text)).collect();
        self.answers.lock().expect("unharmed").insert(host.to_owned(), answers.iter().map(parse).collect());
        self
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("unharmed").clone()
    }
}

impl Resolver for Names {
    fn resolve(&self, host: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        self.asked.lock().expect("unharmed").push(host.to_owned());
        let mut answers = self.answers.lock().expect("unharmed");
        let addresses = match answers.get_mut(host) {
            Some(lists) if lists.len() > 1 => lists.remove(0),
            Some(lists) => lists[0].clone(),
            None if host == "localhost" => vec![IpAddr::V4(Ipv4Addr::LOCALHOST)],
            None => Vec::new(),
        };
        Box::pin(async move { Ok(addresses) })
    }
}

/// What a layer would hold.
#[derive(Debug)]
pub(crate) struct Lab {
    pub(crate) client: Client,
    pub(crate) slots: Slots,
    pub(crate) names: Arc<Names>,
}

/// Bounds that a test reaches soon.
pub(crate) fn small() -> Bounds {
    Bounds {
        request_body: 1_000,
        request_header_bytes: 2_000,
        response_header_bytes: 4_000,
        response_body: 10_000,
        connect: Duration::from_secs(5),
        idle: Duration::from_secs(5),
        total: Duration::from_secs(20),
        ..Bounds::default()
    }
}

/// A secret for servers.
pub(crate) fn secret(name: &str, value: &str, servers: &[String]) -> SecretGrant {
    let servers = servers.iter().map(|server| server.parse().expect(server)).collect();
    SecretGrant::new(name, Secret::new(value), servers).expect("a secret")
}

impl Lab {
    pub(crate) fn new(rules: &[String], secrets: &[SecretGrant], names: Names, bounds: Bounds) -> Self {
        let rules: Vec<_> = rules.iter().map(|rule| rule.parse().expect(rule)).collect();
        let names = Arc::new(names);
        let resolver = Arc::clone(&names) as Arc<dyn Resolver>;
        let client = Client::new(&rules, secrets, resolver, bounds).expect("a client");
        Self { slots: client.slots(), client, names }
    }

    /// With these rules and no secret.
    pub(crate) fn of(rules: &[String]) -> Self {
        Self::new(rules, &[], Names::default(), small())
    }

    /// Requests with these headers and this body.
    pub(crate) async fn send(
        &self,
        method: &str,
        url: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Result<Answer, FetchError> {
        let mut request = self.client.request(method, url, &self.slots)?;
        for (name, value) in headers {
            request.add_header(name, value)?;
        }
        request.set_body(body.to_vec())?;
        self.client.fetch(request).await
    }

    /// Requests, and tells what came: status and body, or the error.
    pub(crate) async fn get(&self, url: &str) -> String {
        told(self.send("GET", url, &[], b"").await).await
    }
}

/// Status and body, or the error.
pub(crate) async fn told(answer: Result<Answer, FetchError>) -> String {
    match answer {
        Err(error) => error.to_string(),
        Ok(mut answer) => match body(&mut answer).await {
            Ok(body) => format!("{} {}", answer.status(), String::from_utf8_lossy(&body)),
            Err(error) => error.to_string(),
        },
    }
}

/// The whole body.
pub(crate) async fn body(answer: &mut Answer) -> Result<Vec<u8>, FetchError> {
    let mut body = Vec::new();
    loop {
        match answer.read(1_000).await? {
            portion if portion.is_empty() => return Ok(body),
            portion => body.extend(portion),
        }
    }
}
