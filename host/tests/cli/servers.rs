//! Models that answer what no model should.

use crate::web::{Answer, Server};

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
        let place = server.place("");
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
    let done = server.place("").cepa("run . one").fails_with(3);
    assert!(done.err.contains("hint: check that the server at the model's `base-url` runs"), "{done:#?}");
}

#[test]
fn an_answer_without_a_word_is_said_so() {
    let end = |reason: &str| {
        let choice = format!("{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"{reason}\"}}");
        Answer::body("text/event-stream", &format!("data: {{\"choices\":[{choice}]}}\n\ndata: [DONE]\n\n"))
    };
    let server = Server::start(vec![end("stop"), end("content_filter"), end("stop")]);
    let place = server.place("");
    let done = place.cepa("run . one").ends_with(0);
    assert_eq!(
        (done.out.as_str(), done.err.as_str()),
        ("", "! the model gave no answer (finish reason `stop`)\n")
    );
    let done = place.cepa("-q run . two").ends_with(0);
    let said = "the model gave no answer (finish reason `content-filter`)\n";
    assert_eq!((done.out.as_str(), done.err.as_str()), ("", said));
    assert_eq!(place.cepa("--json run . three").ends_with(0).err, "");
}
