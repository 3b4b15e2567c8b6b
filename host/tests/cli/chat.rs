//! A person at a terminal.

use cepa_tests::guest;

use crate::rig::Place;
use crate::terminal::Terminal;
use crate::web::{Answer, Server};

/// A place whose model is this server, with a tool that a person must allow.
fn place(server: &Server) -> Place {
    let place = Place::new("").file("remember.wasm", guest!("remember"));
    let agent = format!("[agent]\nname = \"tester\"\nmodel = \"main\"\n[models.main]\n{}", server.model());
    let layer = "[[middleware]]\nname = \"r\"\nsource = \"remember.wasm\"\ngrants = { state = true }\n";
    place.write("cepa.toml", format!("{agent}{layer}[permissions]\nask = [\"remember\"]\n"));
    place
}

fn remember(id: &str, count: u32) -> Answer {
    Answer::call(id, "remember", &format!("{{\"count\":{count}}}"))
}

const QUESTION: &str = "[a]pprove, [e]dit, [r]eject or [w]ait? ";

#[test]
fn a_chat_streams_stops_asks_and_goes_on() {
    let server = Server::start(vec![
        Answer::text("Good morning."),
        Answer::unfinished("Let me think about"),
        remember("c1", 2),
        Answer::text("I have it."),
    ]);
    let place = place(&server);
    let mut terminal = Terminal::open(&place, "run . --session s");
    terminal.shows("tester: Ctrl-C stops a reply, Ctrl-D ends the chat");
    terminal.shows("> ");
    terminal.enter("hello");
    terminal.shows("Good morning.");
    terminal.shows("> ");
    terminal.enter("think");
    // The answer never ends, so this can only be seen if it is streamed.
    terminal.shows("Let me think about");
    terminal.ctrl('c');
    terminal.shows("stopped");
    terminal.shows("> ");
    terminal.ctrl('c');
    terminal.shows("Ctrl-D ends the chat");
    terminal.shows("> ");
    terminal.enter("keep it");
    terminal.shows("> remember({\"count\":2})");
    terminal.shows("? remember({\"count\":2})");
    terminal.shows("the rule `remember` says ask");
    terminal.shows(QUESTION);
    terminal.enter("a");
    terminal.shows("< remember: so far 2");
    terminal.shows("I have it.");
    terminal.shows("> ");
    terminal.ctrl('d');
    terminal.shows("this was session s: `--session s` goes on with it");
    terminal.ends_with(0);

    let asked: Vec<_> = server.asked.iter().collect();
    let last = asked.last().expect("requests").to_string();
    assert!(last.contains("Let me think about"), "what was said before the stop stays: {last}");
}

#[test]
fn one_reply_at_a_terminal_asks_and_may_be_left_waiting() {
    let server = Server::start(vec![remember("c1", 2), Answer::text("Very well.")]);
    let place = place(&server);
    let mut terminal = Terminal::open(&place, "run . go --session s");
    terminal.shows(QUESTION);
    terminal.enter("maybe");
    terminal.shows("answer with `a`, `e`, `r` or `w`");
    terminal.shows(QUESTION);
    terminal.enter("w");
    terminal.shows("waiting for a decision: remember({\"count\":2}) [--approve c1]");
    terminal.ends_with(4);

    let mut terminal = Terminal::open(&place, "run . --session s --resume");
    terminal.shows(QUESTION);
    terminal.enter("r");
    terminal.shows("why, for the model (may be empty): ");
    terminal.enter("not today");
    terminal.shows("< remember was denied: denied by a person, so it did not run: not today");
    terminal.shows("Very well.");
    terminal.ends_with(0);
}

#[test]
fn a_call_is_edited_at_the_terminal() {
    let server = Server::start(vec![remember("c1", 2), Answer::text("Done.")]);
    let place = place(&server);
    let mut terminal = Terminal::open(&place, "run . go");
    terminal.shows(QUESTION);
    terminal.enter("e");
    terminal.shows("arguments: ");
    // Takes the old text away first.
    terminal.ctrl('u');
    terminal.enter("{\"count\": 40}");
    terminal.shows("> remember({\"count\": 40}) (changed: this is what runs)");
    terminal.shows("< remember: so far 40");
    terminal.shows("Done.");
    terminal.ends_with(0);
}

#[test]
fn a_chat_goes_on_after_a_reply_that_failed() {
    let server =
        Server::start(vec![Answer::body("text/html", "<!doctype html>"), Answer::text("Here I am.")]);
    let place = place(&server);
    let mut terminal = Terminal::open(&place, "run .");
    terminal.shows("> ");
    terminal.enter("hello");
    terminal.shows("error: the reply failed");
    terminal.shows("> ");
    terminal.enter("hello?");
    terminal.shows("Here I am.");
    terminal.shows("> ");
    terminal.ctrl('d');
    terminal.ends_with(0);
}

#[test]
fn a_line_that_is_no_text_is_asked_for_again() {
    let server = Server::start(vec![Answer::text("Here I am."), remember("c1", 2), Answer::text("Done.")]);
    let place = place(&server);
    let mut terminal = Terminal::open(&place, "run .");
    terminal.shows("> ");
    terminal.enter_bytes(b"caf\xe9 au lait\n");
    terminal.shows("that is not UTF-8");
    terminal.shows("> ");
    terminal.enter("hello");
    terminal.shows("Here I am.");
    terminal.shows("> ");
    terminal.enter("keep it");
    terminal.shows(QUESTION);
    terminal.enter_bytes(b"\xff\n");
    terminal.shows("that is not UTF-8");
    terminal.shows(QUESTION);
    terminal.enter("a");
    terminal.shows("Done.");
    terminal.shows("> ");
    terminal.ctrl('d');
    terminal.ends_with(0);
}

#[test]
fn the_name_of_an_agent_does_not_steer_the_terminal() {
    let place = Place::new("");
    let manifest = std::fs::read_to_string(place.path().join("cepa.toml")).expect("it is there");
    place.write("cepa.toml", manifest.replace("name = \"a\"", "name = \"te\\u001b[31m\\nster\""));
    let mut terminal = Terminal::open(&place, "run .");
    let before = terminal.shows("[31m ster: Ctrl-C stops a reply");
    // The terminal's other end takes each byte for a character: these three are U+FFFD.
    assert!(before.ends_with("te\u{ef}\u{bf}\u{bd}"), "{before:?}");
    terminal.ctrl('d');
    terminal.ends_with(0);
}
