//! From a name to the addresses that may be connected to. What is checked here is what is connected to: there is no
//! second look-up in between.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use futures::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::address::AddressKind;
use super::reach::Reach;

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

/// Gives the transport those addresses of a name alone that are within reach.
#[derive(Debug)]
pub(super) struct Guarded {
    pub(super) resolver: Arc<dyn Resolver>,
    pub(super) reach: Reach,
}

/// No address of a name may be connected to.
#[derive(Debug, thiserror::Error)]
#[error("all addresses are out of bounds, {0} one among them")]
pub(super) struct Forbidden(pub(super) AddressKind);

/// A name has no address.
#[derive(Debug, thiserror::Error)]
#[error("no address")]
pub(super) struct NoAddress;

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.reach;
        let found = self.resolver.resolve(name.as_str());
        Box::pin(async move {
            let mut forbidden = None;
            let mut allowed = Vec::new();
            for address in found.await? {
                let kind = AddressKind::of(address);
                if reach.allows(kind) {
                    // Without a port: the transport takes the one of the request.
                    allowed.push(SocketAddr::new(address, 0));
                } else {
                    forbidden = forbidden.or(kind);
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

    async fn reached(reach: Reach, addresses: &[&str]) -> String {
        let addresses = addresses.iter().map(|text| text.parse().expect(text)).collect();
        let guarded = Guarded { resolver: Arc::new(Fixed(addresses)), reach };
        match guarded.resolve("a.test".parse().expect("a name")).await {
            Ok(addresses) => addresses.map(|address| address.ip().to_string()).collect::<Vec<_>>().join(" "),
            Err(error) => error.to_string(),
        }
    }

    #[tokio::test]
    async fn a_name_leads_to_what_is_within_reach_alone() {
        use Reach::{Loopback, Private, Public};
        assert_eq!(reached(Public, &["1.1.1.1", "10.0.0.1", "2606::1"]).await, "1.1.1.1 2606::1");
        assert_eq!(reached(Public, &[]).await, "no address");
        for (reach, address, kind) in [
            (Public, "10.0.0.1", "a private"),
            (Public, "127.0.0.1", "a loopback"),
            (Public, "0.0.0.0", "a reserved"),
            (Public, "224.0.0.1", "a multicast"),
            (Loopback, "10.0.0.1", "a private"),
            (Private, "127.0.0.1", "a loopback"),
            (Private, "169.254.169.254", "a cloud's metadata"),
            (Private, "fd00:ec2::254", "a cloud's metadata"),
            (Private, "169.254.1.1", "a link-local"),
            (Private, "::ffff:10.0.0.1", "an embedded IPv4"),
        ] {
            assert_eq!(
                reached(reach, &[address]).await,
                format!("all addresses are out of bounds, {kind} one among them"),
                "{reach:?} {address}"
            );
        }
        for (reach, address) in
            [(Loopback, "127.0.0.1"), (Loopback, "::1"), (Private, "10.0.0.1"), (Private, "fc00::1")]
        {
            assert_eq!(reached(reach, &[address]).await, address, "{reach:?}");
        }
    }
}
