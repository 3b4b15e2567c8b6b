//! A secret of a layer is in nothing that the program prints, logs or keeps.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Stdio;
use std::thread;

use cepa_tests::guest;

use crate::rig::{Done, Place, program};

const KEY: &str = "sk-5ecret/v4lue+7";

/// A server that gives back what it was sent; it ends with the program of the test.
fn echoing() -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port on loopback");
    let address = listener.local_addr().expect("a bound listener");
    thread::spawn(move || listener.incoming().flatten().for_each(answer));
    format!("http://{address}")
}

fn answer(mut stream: TcpStream) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n${secret:key}") {
        let mut byte = [0];
        if stream.read(&mut byte).unwrap_or(0) == 0 {
            return;
        }
        head.extend(byte);
    }
    let head = String::from_utf8_lossy(&head);
    let length = head.len();
    // The program may have gone.
    let _ = write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{head}");
}

/// A layer that has the secret sent to this server, and tells and keeps all that it gets.
fn place(server: &str) -> Place {
    let layer = "[[middleware]]\nname = \"p\"\nsource = \"p.wasm\"\non-fault = \"skip\"\n";
    let config = format!("config = {{ url = \"{server}/echo\" }}\n");
    let grants = format!("grants = {{ http = [\"POST {server}\"], secrets = [\"key\"], state = true }}\n");
    let secret = format!("[secrets.key]\nvalue = \"${{env:PICKED}}\"\nservers = [\"{server}\"]\n");
    Place::new(&format!("{layer}{config}{grants}{secret}")).file("p.wasm", guest!("pickpocket"))
}

fn run(place: &Place, args: &str) -> Done {
    let mut command = program(place.path());
    command.args(args.split_whitespace()).env("PICKED", KEY).env("CEPA_LOG", "trace").stdin(Stdio::null());
    Done::from(command.output().expect("the program ends")).ends_with(0)
}

/// All bytes of all files below a folder.
fn kept(folder: &Path) -> Vec<u8> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries
        .flat_map(|path| if path.is_dir() { kept(&path) } else { fs::read(&path).expect("a file") })
        .collect()
}

fn has(bytes: &[u8], part: &str) -> bool {
    bytes.windows(part.len()).any(|window| window == part.as_bytes())
}

#[test]
fn a_secret_is_in_no_output_log_or_file() {
    let server = echoing();
    let place = place(&server);
    for args in ["run . hello --session s", "--json run . again --session s", "check .", "check . --json"] {
        let done = run(&place, args);
        for part in ["5ecret", "v4lue"] {
            assert!(!done.out.contains(part) && !done.err.contains(part), "{part} with `{args}`: {done:#?}");
        }
        if args.contains("run") {
            let told = format!("{}{}", done.out, done.err);
            assert!(told.contains("authorization: Bearer ***"), "the echo was seen and told: {told}");
        }
    }
    let kept = kept(place.path());
    assert!(has(&kept, "authorization: Bearer ***"), "the echo is in a file");
    assert!(!has(&kept, "5ecret") && !has(&kept, "v4lue"));
}

#[test]
fn check_and_inspect_show_servers_and_secrets() {
    let place = place("http://127.0.0.1:81");
    let out = run(&place, "check .").out;
    assert!(out.contains("http=[POST http://127.0.0.1:81] secrets=key"), "{out}");
    assert!(!out.contains("unencrypted"), "this machine is no network: {out}");
    let lines = run(&place, "check . --json").out;
    let grants = "\"http\":[\"POST http://127.0.0.1:81\"],\"secrets\":{\"key\":[\"http://127.0.0.1:81\"]}";
    assert!(lines.contains(grants), "{lines}");
    let out = place.cepa("inspect p.wasm").ends_with(0).out;
    assert!(out.contains("\ngrants     state, http\n"), "{out}");
}

#[test]
fn check_says_which_secret_crosses_a_network_unencrypted() {
    let out = run(&place("http://api.test"), "check .").out;
    let note = "note: layer `p` may have secret `key` sent to http://api.test unencrypted; name it with `https://` if it can\n";
    assert!(out.contains(note), "{out}");
}
