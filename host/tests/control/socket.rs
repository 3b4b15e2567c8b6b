//! The socket: who may use it, and what it answers.

use std::os::unix::fs::PermissionsExt as _;

use cepa::control::{Answer, CallError, ListenError, Listener, Reason, Refusal, Request, SwapRequest, call};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;

use super::{Bench, layer};

fn swap(layer: Option<&str>, source: Option<&str>, allow: &[&str]) -> Request {
    Request::Swap(SwapRequest {
        layer: layer.map(str::to_owned),
        source: source.map(str::to_owned),
        allow: allow.iter().map(|name| (*name).to_owned()).collect(),
    })
}

fn refusal(answer: Answer) -> Refusal {
    match answer {
        Answer::Refused(refusal) => refusal,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn it_is_its_owners_alone_and_goes_with_its_host() {
    let bench = Bench::new("").await;
    let path = bench.path("below/c.sock");
    let listener = Listener::start(&path, bench.controller.clone()).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let second = Listener::start(&path, bench.controller.clone());
    assert!(matches!(second, Err(ListenError::Taken(_))), "{second:?}");
    drop(listener);
    assert!(!path.exists());

    // What a host that was killed leaves.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    assert!(path.exists());
    assert!(matches!(call(&path, &Request::Status {}, |_| ()).await, Err(CallError::Unreachable { .. })));
    let again = Listener::start(&path, bench.controller.clone()).unwrap();
    assert!(call(&path, &Request::Status {}, |_| ()).await.is_ok());
    drop(again);

    std::fs::write(&path, "mine").unwrap();
    let no_socket = Listener::start(&path, bench.controller.clone());
    assert!(matches!(no_socket, Err(ListenError::NoSocket(_))), "{no_socket:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
}

#[tokio::test]
async fn of_hosts_that_begin_at_once_one_gets_the_socket_that_a_dead_one_left() {
    let bench = Bench::new("").await;
    let path = bench.path("c.sock");
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let starts: Vec<_> = (0..8)
        .map(|_| {
            let (path, controller) = (path.clone(), bench.controller.clone());
            tokio::task::spawn_blocking(move || Listener::start(&path, controller))
        })
        .collect();
    let mut listeners = Vec::new();
    for start in starts {
        match start.await.unwrap() {
            Ok(listener) => listeners.push(listener),
            Err(ListenError::Taken(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(listeners.len(), 1);
    assert!(call(&path, &Request::Status {}, |_| ()).await.is_ok());
    drop(listeners);
    let left: Vec<_> =
        std::fs::read_dir(bench.folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with("c.sock")), "{left:?}");
}

#[tokio::test]
async fn a_path_that_no_socket_can_have_is_refused_with_its_length() {
    let bench = Bench::new("").await;
    let path = std::path::PathBuf::from("/tmp").join("x".repeat(200));
    let says = "the path has 205 bytes, and that of a socket may have 1";
    let listens = Listener::start(&path, bench.controller.clone()).unwrap_err().to_string();
    assert!(listens.contains(says), "{listens}");
    let calls = call(&path, &Request::Status {}, |_| ()).await.unwrap_err().to_string();
    assert!(calls.contains(says), "{calls}");
}

#[tokio::test]
async fn a_socket_that_another_program_listens_at_is_left_alone() {
    let bench = Bench::new("").await;
    let path = bench.path("other.sock");
    let other = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let refused = Listener::start(&path, bench.controller.clone());
    assert!(matches!(refused, Err(ListenError::Taken(_))), "{refused:?}");
    assert!(std::os::unix::net::UnixStream::connect(&path).is_ok());
    drop(other);
}

#[tokio::test]
async fn layers_are_swapped_and_what_is_active_is_told() {
    let mut bench = Bench::new(&layer("x", "timing.wasm")).await;
    let path = bench.path("c.sock");
    let _listener = Listener::start(&path, bench.controller.clone()).unwrap();

    bench.manifest(&layer("x", "usage.wasm"));
    let refused = refusal(call(&path, &swap(None, None, &[]), |_| ()).await.unwrap());
    assert_eq!(
        (refused.reason, refused.layers[0].needs_consent.join(" ")),
        (Reason::Consent, "state".to_owned())
    );
    let said = std::sync::Mutex::new(Vec::new());
    let progress = |text: &str| said.lock().unwrap().push(text.to_owned());
    let answer = call(&path, &swap(Some("x"), None, &["state"]), progress).await.unwrap();
    let Answer::Swapped(report) = answer else { panic!("{answer:?}") };
    assert_eq!((report.generation, report.layers[0].changed.join(" ")), (2, "source component".to_owned()));
    let said = said.lock().unwrap().join("\n");
    assert!(said.starts_with("loading components (0 of 1 ready): ") && !said.contains('\n'), "{said}");

    let other = bench.path("timing.wasm").display().to_string();
    let answer = call(&path, &swap(Some("x"), Some(&other), &[]), |_| ()).await.unwrap();
    assert!(matches!(&answer, Answer::Swapped(report) if report.generation == 3), "{answer:?}");
    let answer = call(&path, &Request::Status {}, |_| ()).await.unwrap();
    let Answer::Status(status) = answer else { panic!("{answer:?}") };
    assert_eq!(status.agent, "a");
    let active = &status.swaps.lineups[0];
    assert_eq!((active.generation, active.active, active.layers[0].on_trial), (3, true, true));

    let mut told = Vec::new();
    while let Ok(answer) = bench.told.try_recv() {
        told.push(matches!(answer, Answer::Swapped(_)));
    }
    assert_eq!(told, [false, true, true], "the host tells as well");
}

#[tokio::test]
async fn what_can_not_be_done_is_refused_with_a_reason() {
    let bench = Bench::new(&layer("x", "timing.wasm")).await;
    let path = bench.path("c.sock");
    let _listener = Listener::start(&path, bench.controller.clone()).unwrap();
    let mut refused = Vec::new();
    for (layer, source) in [
        (None, Some("bundled:timing")),
        (Some("y"), None),
        (Some("y"), Some("bundled:timing")),
        (Some("x"), Some("timing.wasm")),
        (Some("x"), Some("bundled:no-such")),
        (Some("x"), Some("/no/such.wasm")),
    ] {
        let answer = call(&path, &swap(layer, source, &[]), |_| ()).await.unwrap();
        let refusal = refusal(answer);
        let folder = bench.folder.path().display().to_string();
        refused.push(format!(
            "{:?}: {}",
            refusal.reason,
            refusal.message.trim_end().replace(&folder, "FOLDER")
        ));
    }
    insta::assert_snapshot!(refused.join("\n"));
    std::fs::write(bench.path("cepa.toml"), "[agnet]").unwrap();
    let answer = call(&path, &swap(None, None, &[]), |_| ()).await.unwrap();
    assert_eq!(refusal(answer).reason, Reason::Manifest);
    assert_eq!(bench.loaded.agent.generation(), 1);
}

#[tokio::test]
async fn what_is_no_request_is_refused_and_the_next_one_served() {
    let bench = Bench::new("").await;
    let path = bench.path("c.sock");
    let _listener = Listener::start(&path, bench.controller.clone()).unwrap();
    let long = vec![b'x'; 64 << 10];
    for (request, says) in [
        (&b"hello\n"[..], "this is no request"),
        (b"\xff\n", "this is no request"),
        (b"", "this is no request"),
        (&long, "larger than the 65536 bytes allowed"),
    ] {
        let mut stream = UnixStream::connect(&path).await.unwrap();
        stream.write_all(request).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.contains(says), "{answer}");
    }
    // Who sends without end is hung up on, and may not even read why.
    let mut endless = UnixStream::connect(&path).await.unwrap();
    while endless.write_all(&long).await.is_ok() {}
    drop(UnixStream::connect(&path).await.unwrap());
    assert!(call(&path, &Request::Status {}, |_| ()).await.is_ok());
}
