//! What kind of address a server has: only public ones are reached without being named.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A kind of address that is not the public network's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressKind {
    /// This machine.
    Loopback,
    /// A network of one's own: `10/8`, `172.16/12`, `192.168/16`, `100.64/10`, `fc00::/7`.
    Private,
    /// What a cloud tells its machines, keys included: `169.254.169.254`, `fd00:ec2::254` and their like.
    Metadata,
    /// The same cable: `169.254/16`, `fe80::/10`.
    LinkLocal,
    /// Many machines at once.
    Multicast,
    /// An IPv4 address in the form of an IPv6 one, or a tunnel to one: it could name any of the others.
    Embedded,
    /// For no machine: unspecified, broadcast, for documentation, for measurements or not given out.
    Reserved,
}

impl AddressKind {
    /// The kind of this address; `None` for a public one.
    pub fn of(address: IpAddr) -> Option<Self> {
        match address {
            IpAddr::V4(address) => of_v4(address),
            IpAddr::V6(address) => of_v6(address),
        }
    }
}

impl fmt::Display for AddressKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Loopback => "a loopback",
            Self::Private => "a private",
            Self::Metadata => "a cloud's metadata",
            Self::LinkLocal => "a link-local",
            Self::Multicast => "a multicast",
            Self::Embedded => "an embedded IPv4",
            Self::Reserved => "a reserved",
        })
    }
}

/// The metadata services of clouds that have an address of their own within another range.
const METADATA_V4: [Ipv4Addr; 5] = [
    Ipv4Addr::new(169, 254, 169, 254),
    // Amazon's containers.
    Ipv4Addr::new(169, 254, 170, 2),
    Ipv4Addr::new(169, 254, 170, 23),
    // Azure, although the address is a public one.
    Ipv4Addr::new(168, 63, 129, 16),
    // Alibaba.
    Ipv4Addr::new(100, 100, 100, 200),
];
const METADATA_V6: [Ipv6Addr; 3] = [
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254),
    // Amazon's containers.
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23),
    // Google.
    Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),
];

#[expect(clippy::unnested_or_patterns, reason = "one network a pattern")]
fn of_v4(address: Ipv4Addr) -> Option<AddressKind> {
    if METADATA_V4.contains(&address) {
        return Some(AddressKind::Metadata);
    }
    match address.octets() {
        [127, ..] => Some(AddressKind::Loopback),
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] | [100, 64..=127, ..] => Some(AddressKind::Private),
        [169, 254, ..] => Some(AddressKind::LinkLocal),
        [224..=239, ..] => Some(AddressKind::Multicast),
        // Anycast to the nearest 6to4 relay.
        [192, 88, 99, _] => Some(AddressKind::Embedded),
        // This network, protocols, documentation, measurements, the future and broadcast.
        [0, ..]
        | [192, 0, 0 | 2, _]
        | [198, 51, 100, _]
        | [203, 0, 113, _]
        | [198, 18..=19, ..]
        | [240..=255, ..] => Some(AddressKind::Reserved),
        _ => None,
    }
}

#[expect(clippy::unnested_or_patterns, reason = "one network a pattern")]
fn of_v6(address: Ipv6Addr) -> Option<AddressKind> {
    if address == Ipv6Addr::LOCALHOST {
        return Some(AddressKind::Loopback);
    }
    if address == Ipv6Addr::UNSPECIFIED {
        return Some(AddressKind::Reserved);
    }
    if METADATA_V6.contains(&address) {
        return Some(AddressKind::Metadata);
    }
    match address.segments() {
        // IPv4-compatible, IPv4-mapped, IPv4-translated.
        [0, 0, 0, 0, 0, 0, ..] | [0, 0, 0, 0, 0, 0xffff, ..] | [0, 0, 0, 0, 0xffff, 0, ..] => {
            Some(AddressKind::Embedded)
        }
        // NAT64, Teredo, 6to4.
        [0x64, 0xff9b, ..] | [0x2001, 0, ..] | [0x2002, ..] => Some(AddressKind::Embedded),
        // ISATAP, below any network.
        [_, _, _, _, 0 | 0x200, 0x5efe, ..] => Some(AddressKind::Embedded),
        [0xfc00..=0xfdff, ..] => Some(AddressKind::Private),
        [0xfe80..=0xfebf, ..] => Some(AddressKind::LinkLocal),
        [0xff00..=0xffff, ..] => Some(AddressKind::Multicast),
        // Benchmarks, ORCHID, documentation.
        [0x2001, 2, 0, ..] | [0x2001, 0x10..=0x3f, ..] | [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => {
            Some(AddressKind::Reserved)
        }
        // All that is given out begins so.
        [0x2000..=0x3fff, ..] => None,
        _ => Some(AddressKind::Reserved),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(text: &str) -> Option<AddressKind> {
        AddressKind::of(text.parse().expect(text))
    }

    #[test]
    fn only_public_addresses_have_no_kind() {
        for public in [
            "1.1.1.1",
            "9.255.255.255",
            "11.0.0.0",
            "172.15.0.1",
            "172.32.0.1",
            "192.167.1.1",
            "100.63.0.1",
            "100.128.0.1",
            "169.253.1.1",
            "198.17.0.1",
            "198.20.0.1",
            "223.255.255.255",
            "192.0.1.1",
            "2606:4700:4700::1111",
            "2001:4860:4860::8888",
            "2a00::1",
            "2003::1",
        ] {
            assert_eq!(kind(public), None, "{public}");
        }
    }

    #[test]
    fn every_other_range_has_one() {
        use AddressKind::{Embedded, LinkLocal, Loopback, Metadata, Multicast, Private, Reserved};
        for (text, wanted) in [
            ("127.0.0.1", Loopback),
            ("127.255.255.254", Loopback),
            ("::1", Loopback),
            ("10.0.0.1", Private),
            ("172.16.0.1", Private),
            ("172.31.255.255", Private),
            ("192.168.0.1", Private),
            ("100.64.0.1", Private),
            ("100.127.255.255", Private),
            ("fc00::1", Private),
            ("fdff::1", Private),
            ("169.254.169.254", Metadata),
            ("fd00:ec2::254", Metadata),
            ("169.254.170.2", Metadata),
            ("100.100.100.200", Metadata),
            ("168.63.129.16", Metadata),
            ("fd20:ce::254", Metadata),
            ("169.254.0.1", LinkLocal),
            ("fe80::1", LinkLocal),
            ("febf::1", LinkLocal),
            ("224.0.0.1", Multicast),
            ("239.255.255.255", Multicast),
            ("ff02::1", Multicast),
            ("::ffff:1.1.1.1", Embedded),
            ("::ffff:169.254.169.254", Embedded),
            ("::1.1.1.1", Embedded),
            ("::ffff:0:127.0.0.1", Embedded),
            ("64:ff9b::a00:1", Embedded),
            ("64:ff9b:1::1", Embedded),
            ("2002:a9fe:a9fe::", Embedded),
            ("2001:0:1::1", Embedded),
            ("192.88.99.1", Embedded),
            ("2606::5efe:a00:1", Embedded),
            ("0.0.0.0", Reserved),
            ("0.1.2.3", Reserved),
            ("255.255.255.255", Reserved),
            ("240.0.0.1", Reserved),
            ("192.0.0.8", Reserved),
            ("192.0.2.1", Reserved),
            ("198.51.100.1", Reserved),
            ("203.0.113.1", Reserved),
            ("198.18.0.1", Reserved),
            ("198.19.255.255", Reserved),
            ("::", Reserved),
            ("2001:db8::1", Reserved),
            ("2001:2::1", Reserved),
            ("3fff::1", Reserved),
            ("100::1", Reserved),
            ("fec0::1", Reserved),
            ("4000::1", Reserved),
        ] {
            assert_eq!(kind(text), Some(wanted), "{text}");
        }
    }
}
