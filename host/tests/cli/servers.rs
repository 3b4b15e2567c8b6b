//! Models that answer what no model should.

use crate::rig::Place;
use crate::web::{Answer, Server};

/// A place whose model is this server.
fn place(server: &Server) -> Place {
    let place = Place::new("");
    place.write(
        "cepa.toml",
        format!("[agent]\nname = \"a\"\nmodel = \"main\"\n[models.main]\n{}", server.model()),
    );
    place
}

#[test]
fn each_is_one_error_and_nothing_of_it_is_kept() {
    let events = "text/event-stream";
    let half = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"half an ans\"}}]}\n\ndata: {\"choices\":[{\"ind";
    let cases = [
        ("garbage", Answer::body(events, "\u{1}\u{2}%$ garbage\n\n")),
        ("half an event", Answer::body(events, half)),
        ("half a JSON", Answer::body("application/json", "{\"choices\":[{\"mess")),
        ("a page", Answer::body("text/html", "<!doctype html><html><title>Welcome</title></html>")),
        ("an answer without a body", Answer::body(events, "")),
        ("no answer at all", Answer::Raw(Vec::new())),
        ("no HTTP", Answer::Raw(b"what do you want?\r\n\r\n".to_vec())),
    ];
    let mut errors = String::new();
    for (what, answer) in cases {
        let server = Server::start(vec![answer, Answer::text("all is well")]);
        let place = place(&server);
        let done = place.cepa("run . one --session s").fails_with(3);
        errors.push_str(&format!("{what}\n{}\n", done.err.replace(&server.url, "URL")));
        assert_eq!(place.cepa("run . two --session s").ends_with(0).out, "all is well\n", "{what}");
        let (_, asked) = (server.asked.recv(), server.asked.recv().expect("it was asked twice"));
        let roles: Vec<&str> = asked["messages"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|it| it["role"].as_str())
            .collect();
        assert!(roles.iter().all(|role| *role == "user"), "{what}: {asked}");
        assert!(!asked.to_string().contains("half an ans"), "{what}: {asked}");
    }
    insta::assert_snapshot!(errors);
}

#[test]
fn a_server_that_is_not_there_is_one_error_with_a_hint() {
    let server = Server::start(Vec::new());
    let done = place(&server).cepa("run . one").fails_with(3);
    assert!(done.err.contains("hint: check that the server at the model's `base-url` runs"), "{done:#?}");
}
