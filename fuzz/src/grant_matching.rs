//! Rules of the grant `http`, and requests that they are held against.

use std::sync::Arc;

use cepa::http::{Bounds, Client, Rule, SystemResolver};

/// Reads a rule, a method and an address, each on a line of its own.
pub(crate) fn hold(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.splitn(3, '\n');
    let (rule, method, url) = (
        lines.next().unwrap_or_default(),
        lines.next().unwrap_or_default(),
        lines.next().unwrap_or_default(),
    );
    let Ok(rule) = rule.parse::<Rule>() else { return };
    let shown = rule.to_string();
    assert_eq!(shown.parse(), Ok(rule.clone()), "a rule is read as it is shown: {shown}");
    let client = Client::new(&[rule], &[], Arc::new(SystemResolver), Bounds::default()).expect("a client");
    let slots = client.slots();
    if let Ok(mut request) = client.request(method, url, &slots) {
        let added = request.add_header("x", url);
        assert!(added.is_err() || !url.contains(['\r', '\n']), "a header is one line: {url:?}");
    }
}
