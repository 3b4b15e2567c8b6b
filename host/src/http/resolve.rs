//! From a name to the addresses that may be connected to. What is checked here is what is connected to: there is no
//! second look-up in between.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use futures::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::address::AddressKind;
use super::rule::Rule;

/// Looks names up. Tests put one of their own in its place.
pub trait Resolver: fmt::Debug + Send + Sync {
    /// The addresses of a name, which is no IP address itself.
    fn resolve(&self, host: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>>;
}

/// Asks the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve(&self, host: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        let host = host.to_owned();
        Box::pin(async move {
            let addresses = tokio::net::lookup_host((host, 0)).await?;
            Ok(addresses.map(|address| address.ip()).collect())
        })
    }
}

/// Gives the transport those addresses of a name alone that the rules allow.
#[derive(Debug)]
pub(super) struct Guarded {
    pub(super) resolver: Arc<dyn Resolver>,
    pub(super) rules: Arc<[Rule]>,
}

/// No address of a name may be connected to.
#[derive(Debug, thiserror::Error)]
#[error("all addresses are out of bounds, {0} one among them")]
pub(super) struct Forbidden(pub(super) AddressKind);

/// A name has no address.
#[derive(Debug, thiserror::Error)]
#[error("no address")]
pub(super) struct NoAddress;

/// What the rules allow a name besides public addresses.
#[derive(Clone, Copy, Debug, Default)]
struct Reach {
    loopback: bool,
    private: bool,
}

impl Reach {
    fn of(rules: &[Rule], host: &str) -> Self {
        rules.iter().filter(|rule| rule.origin.covers_host(host)).fold(Self::default(), |reach, rule| Self {
            loopback: reach.loopback || rule.origin.is_localhost(),
            private: reach.private || rule.is_private(),
        })
    }

    fn allows(self, kind: AddressKind) -> bool {
        match kind {
            AddressKind::Loopback => self.loopback,
            AddressKind::Private => self.private,
            _ => false,
        }
    }
}

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = Reach::of(&self.rules, name.as_str());
        let found = self.resolver.resolve(name.as_str());
        Box::pin(async move {
            let mut forbidden = None;
            let mut allowed = Vec::new();
            for address in found.await? {
                match AddressKind::of(address) {
                    Some(kind) if !reach.allows(kind) => forbidden = forbidden.or(Some(kind)),
                    // Without a port: the transport takes the one of the request.
                    _ => allowed.push(SocketAddr::new(address, 0)),
                }
            }
            match (allowed.is_empty(), forbidden) {
                (false, _) => Ok(Box::new(allowed.into_iter()) as Addrs),
                (true, Some(kind)) => Err(Forbidden(kind).into()),
                (true, None) => Err(NoAddress.into()),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Fixed(Vec<IpAddr>);

    impl Resolver for Fixed {
        fn resolve(&self, _: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
            let addresses = self.0.clone();
            Box::pin(async move { Ok(addresses) })
        }
    }

    async fn reached(host: &str, addresses: &[&str]) -> String {
        let rules: Vec<Rule> =
            ["http://localhost:1", "https://*.corp.test private", "https://*", "http://10.0.0.9"]
                .iter()
                .map(|rule| rule.parse().expect(rule))
                .collect();
        let addresses = addresses.iter().map(|text| text.parse().expect(text)).collect();
        let guarded = Guarded { resolver: Arc::new(Fixed(addresses)), rules: rules.into() };
        match guarded.resolve(host.parse().expect(host)).await {
            Ok(addresses) => addresses.map(|address| address.ip().to_string()).collect::<Vec<_>>().join(" "),
            Err(error) => error.to_string(),
        }
    }

    #[tokio::test]
    async fn a_name_reaches_what_its_rules_allow() {
        assert_eq!(reached("a.test", &["1.1.1.1", "10.0.0.1", "2606::1"]).await, "1.1.1.1 2606::1");
        assert_eq!(reached("a.test", &[]).await, "no address");
        for (host, address, kind) in [
            ("a.test", "10.0.0.1", "a private"),
            ("a.test", "127.0.0.1", "a loopback"),
            ("localhost", "10.0.0.1", "a private"),
            ("x.corp.test", "127.0.0.1", "a loopback"),
            ("x.corp.test", "169.254.169.254", "a cloud's metadata"),
            ("x.corp.test", "fd00:ec2::254", "a cloud's metadata"),
            ("x.corp.test", "169.254.1.1", "a link-local"),
            ("x.corp.test", "::ffff:10.0.0.1", "an embedded IPv4"),
            ("a.test", "0.0.0.0", "a reserved"),
            ("a.test", "224.0.0.1", "a multicast"),
        ] {
            let said = reached(host, &[address]).await;
            assert_eq!(
                said,
                format!("all addresses are out of bounds, {kind} one among them"),
                "{host} {address}"
            );
        }
        for (host, address) in [
            ("localhost", "127.0.0.1"),
            ("localhost", "::1"),
            ("x.corp.test", "10.0.0.1"),
            ("x.corp.test", "fc00::1"),
        ] {
            assert_eq!(reached(host, &[address]).await, address, "{host}");
        }
    }
}
