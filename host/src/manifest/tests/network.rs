//! Servers and secrets.

use std::time::Duration;

use super::*;
use crate::http::Bounds;

const LAYER: &str = "[[middleware]]\nname = \"x\"\nsource = \"bundled:y\"\n";

#[test]
fn servers_and_secrets_are_read() {
    let manifest = parse(&format!(
        "{AGENT}{MODELS}{LAYER}grants = {{ http = [\"GET,POST https://api.test/v1/\"], secrets = [\"key\"] }}\n\
         [secrets.key]\nvalue = \"${{env:KEY}}\"\nservers = [\"https://api.test\", \"http://localhost:8080\"]\n"
    ))
    .expect("a good manifest");
    let [layer] = manifest.layers.as_slice() else { panic!("one layer") };
    let [secret] = layer.grants.secrets.as_slice() else { panic!("one secret") };
    let servers: Vec<String> = secret.servers().iter().map(ToString::to_string).collect();
    assert_eq!(layer.grants.http[0].to_string(), "GET,POST https://api.test/v1/");
    assert_eq!(
        (secret.name(), servers),
        ("key", vec!["https://api.test".to_owned(), "http://localhost:8080".to_owned()])
    );
    assert!(!format!("{manifest:?}").contains("sk-from-the-environment"));
}

#[test]
fn how_much_and_how_long_is_the_operators_to_say() {
    let manifest = parse(&format!(
        "{AGENT}{MODELS}{LAYER}limits = {{ http-request-body = \"0B\", http-response-body = \"2MiB\", http-connect = \"1s\", \
         http-idle = \"2m\", http-total = \"1h\" }}\n"
    ))
    .expect("a good manifest");
    let bounds = manifest.layers[0].limits.http();
    let wanted = Bounds {
        request_body: 0,
        response_body: 2 << 20,
        connect: Duration::from_secs(1),
        idle: Duration::from_secs(120),
        total: Duration::from_secs(3_600),
        ..Bounds::default()
    };
    assert_eq!(bounds, wanted);
}

#[test]
fn each_mistake_about_servers_is_shown_at_its_place() {
    insta::assert_snapshot!(errors_with(&format!(
        "{LAYER}grants.http = [\"api.test\", \"get https://api.test\", \"https://a*b.test\", \"http://localhost private\", 1]\n"
    )));
}

#[test]
fn each_mistake_about_secrets_is_shown_at_its_place() {
    insta::assert_snapshot!(errors_with(&format!(
        "{LAYER}grants = {{ secrets = [\"kye\", \"short\", \"other\"] }}\n\
         [secrets.key]\nvalue = \"sk-in-the-manifest\"\nservers = [\"https://api.test\"]\n\
         [secrets.short]\nvalue = \"${{env:EMPTY}}\"\nservers = [\"https://*\"]\n\
         [secrets.any]\nvalue = \"${{env:KEY}}\"\nservers = [\"https://*\"]\n\
         [secrets.placed]\nvalue = \"${{env:KEY}}\"\nservers = [\"https://api.test/v1\", \"api.test\"]\nhosts = []\n\
         [secrets.\"a b\"]\nvalue = \"${{env:KEY}}\"\nservers = []\n\
         [secrets.empty]\n"
    )));
}
