//! Names that lead where they should not.

use crate::lab::{Lab, Names, small};
use crate::server::{Say, Server};

#[tokio::test]
async fn a_name_that_leads_inside_is_refused_before_a_connection() {
    let server = Server::always(Say::body("inside")).await;
    let addresses = [
        "127.0.0.1",
        "::1",
        "::ffff:127.0.0.1",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "0.0.0.0",
        "::",
        "10.0.0.1",
        "fd00::1",
        "169.254.169.254",
        "::ffff:169.254.169.254",
        "fd00:ec2::254",
        "fe80::1",
        "224.0.0.1",
        "100.64.0.1",
        "198.18.0.1",
        "192.0.2.1",
    ];
    for address in addresses {
        let names = Names::default().with("inside.test", &[&[address]]);
        let lab = Lab::new(&[format!("http://inside.test:{}", server.port)], &[], names, small());
        let url = format!("http://inside.test:{}/", server.port);
        let error = lab.send("GET", &url, &[], b"").await.expect_err(address);
        let said = error.to_string();
        assert!(said.contains("and `inside.test` has no other"), "{address}: {said}");
        assert!(!said.contains(address), "the address itself is not told: {said}");
        assert_eq!(error.denied().map(|(capability, _)| capability), Some("http"));
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn this_machine_by_another_name_is_no_grant_of_it() {
    let server = Server::always(Say::body("inside")).await;
    let rules = [server.url("/"), format!("http://*:{}", server.port)];
    for name in ["localhost.", "x.localhost", "localhost.localdomain", "xn--bcher-kva.test"] {
        let lab = Lab::new(&rules, &[], Names::default().with(name, &[&["127.0.0.1"]]), small());
        let said = lab.get(&format!("http://{name}:{}/", server.port)).await;
        let wanted = format!("not granted for a loopback address, and `{name}` has no other");
        assert!(said.contains(&wanted), "{said}");
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn among_several_addresses_only_the_granted_are_connected_to() {
    let server = Server::always(Say::body("granted")).await;
    let names = Names::default().with("localhost", &[&["169.254.169.254", "10.0.0.1", "127.0.0.1"]]);
    let lab = Lab::new(&[server.url("/")], &[], names, small());
    assert_eq!(lab.get(&server.url("/")).await, "200 granted");
}

#[tokio::test]
async fn an_answer_that_changes_is_checked_for_each_connection() {
    let server = Server::always(Say::body("granted")).await;
    let names = Names::default().with("localhost", &[&["127.0.0.1"], &["169.254.169.254"], &["127.0.0.1"]]);
    let lab = Lab::new(&[server.url("/")], &[], names, small());
    assert_eq!(lab.get(&server.url("/")).await, "200 granted");
    assert_eq!(
        lab.get(&server.url("/")).await,
        "the capability `http` is not granted for a cloud's metadata address, and `localhost` has no other; where \
         that is wanted, grant the address itself"
    );
    assert_eq!(lab.get(&server.url("/")).await, "200 granted");
    // What is looked up once is connected to: no second look-up could answer otherwise.
    assert_eq!((lab.names.asked().len(), server.connections()), (3, 2));
}

#[tokio::test]
async fn an_address_is_granted_as_it_stands_alone() {
    let server = Server::always(Say::body("by address")).await;
    let lab = Lab::of(&[format!("http://127.0.0.1:{}", server.port), "http://*".to_owned()]);
    for host in ["127.0.0.1", "2130706433", "0x7f.1", "127.1"] {
        let url = format!("http://{host}:{}/", server.port);
        assert_eq!(lab.get(&url).await, "200 by address", "{host}");
    }
    for host in ["127.0.0.2", "[::1]", "[::ffff:127.0.0.1]", "0"] {
        let url = format!("http://{host}:{}/", server.port);
        assert!(lab.get(&url).await.starts_with("the capability `http` is not granted for `GET "), "{host}");
    }
    assert_eq!(lab.names.asked().len(), 0);
}

#[tokio::test]
async fn a_rule_for_one_port_of_this_machine_opens_no_other() {
    let (granted, other) =
        (Server::always(Say::body("granted")).await, Server::always(Say::body("other")).await);
    let lab = Lab::of(&[granted.url("/"), format!("http://*:{}", other.port)]);
    assert_eq!(lab.get(&granted.url("/")).await, "200 granted");
    let said = lab.get(&other.url("/")).await;
    assert!(said.starts_with("the capability `http` is not granted for a loopback address"), "{said}");
    assert_eq!(other.connections(), 0);
}

#[tokio::test]
async fn a_name_without_an_address_is_said_to_have_none() {
    let lab = Lab::of(&["http://nowhere.test".to_owned()]);
    assert_eq!(lab.get("http://nowhere.test/").await, "the name `nowhere.test` has no address");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_said_so() {
    let port = Server::closed_port().await;
    let lab = Lab::of(&[format!("http://localhost:{port}")]);
    let said = lab.get(&format!("http://localhost:{port}/")).await;
    assert_eq!(
        said.replace(&port.to_string(), "PORT"),
        "http://localhost:PORT could not be reached: connection refused"
    );
}
