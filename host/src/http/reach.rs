//! How far a name may lead: to public addresses, and where it was granted to one other kind.

use reqwest::{Method, Url};

use super::address::AddressKind;
use super::rule::Rule;

/// The addresses that a name may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    /// Those of the public network.
    Public,
    /// Those of networks of one's own as well.
    Private,
    /// Those of this machine as well.
    Loopback,
}

impl Reach {
    /// What the rules that cover a request allow its name. One for another port, path or method allows nothing here.
    pub(super) fn of(rules: &[Rule], method: &Method, url: &Url) -> Self {
        let covering = rules.iter().filter(|rule| rule.covers(method, url));
        covering.map(Rule::reach).max().unwrap_or(Self::Public)
    }

    /// Whether an address of this kind may be connected to; `None` is a public one's.
    pub(super) fn allows(self, kind: Option<AddressKind>) -> bool {
        match kind {
            None => true,
            Some(AddressKind::Private) => self == Self::Private,
            Some(AddressKind::Loopback) => self == Self::Loopback,
            Some(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_rule_that_covers_the_request_lets_its_name_lead_inside() {
        let rules: Vec<Rule> =
            ["http://localhost:1/a", "http://*:2", "https://*.corp.test private", "POST https://*"]
                .iter()
                .map(|rule| rule.parse().expect(rule))
                .collect();
        let reach = |method: Method, url: &str| Reach::of(&rules, &method, &Url::parse(url).expect(url));
        for (url, wanted) in [
            ("http://localhost:1/a", Reach::Loopback),
            ("http://localhost:1/b", Reach::Public),
            ("http://localhost:2/a", Reach::Public),
            ("https://x.corp.test/", Reach::Private),
            ("http://x.corp.test:2/", Reach::Public),
        ] {
            assert_eq!(reach(Method::GET, url), wanted, "{url}");
        }
        assert_eq!(reach(Method::POST, "https://x.corp.test/"), Reach::Public);
    }
}
