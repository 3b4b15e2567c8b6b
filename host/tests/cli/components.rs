//! Files that can be no layer.

use cepa_tests::guest;

use crate::rig::Place;

/// A component with one text put in the place of another of the same length, wherever it stands.
pub(crate) fn patched(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut patched = bytes.to_vec();
    let places = bytes.windows(from.len()).enumerate().filter(|(_, at)| *at == from.as_bytes());
    let places: Vec<usize> = places.map(|(place, _)| place).collect();
    assert!(!places.is_empty(), "`{from}` is in the component");
    for place in places {
        patched[place..place + to.len()].copy_from_slice(to.as_bytes());
    }
    patched
}

#[test]
fn each_is_one_error_at_its_line_and_the_next_run_works() {
    let whole = guest!("passthrough");
    let cases = [
        ("empty", Vec::new(), "it is empty"),
        ("a text", b"text".to_vec(), "it does not begin with the bytes"),
        ("cut in its header", b"\0asm".to_vec(), "its header is cut"),
        ("a core module", b"\0asm\x01\0\0\0".to_vec(), "is a core WebAssembly module"),
        ("cut in the middle", whole[..whole.len() / 2].to_vec(), "can't be compiled"),
        ("without a hook", b"\0asm\x0d\0\x01\0".to_vec(), "exports no hook"),
        ("of a newer contract", patched(whole, "@0.1.0", "@0.2.0"), "was built for cepa:middleware@0.2.0"),
        (
            "of an unknown import",
            patched(guest!("program"), "middleware/log@0.1.0", "middleware/fog@0.1.0"),
            "imports `cepa:middleware/fog@0.1.0`",
        ),
    ];
    for (what, content, said) in cases {
        let place = Place::new("[[middleware]]\nname = \"x\"\nsource = \"x.wasm\"\n").file("x.wasm", content);
        let done = place.cepa("run . hello").fails_with(65);
        assert!(done.err.contains(said) && done.err.contains("source = \"x.wasm\""), "{what}: {}", done.err);
        assert!(!place.has(".cepa"), "{what}");
        place.cepa("check .").fails_with(65);
        assert!(place.cepa("inspect x.wasm").fails_with(65).err.contains(said), "{what}");
        place.write("x.wasm", whole);
        assert_eq!(place.cepa("run . hello").ends_with(0).out, "got hello\n", "{what}");
    }
}

#[test]
fn one_that_is_not_there_is_said_so() {
    let place = Place::new("[[middleware]]\nname = \"x\"\nsource = \"bundled:nothing\"\n");
    let done = place.cepa("run . hello").fails_with(65);
    assert!(
        done.err.contains("there is no bundled middleware `nothing`; there are `dynamic-context`"),
        "{done:#?}"
    );
    assert!(place.cepa("inspect gone.wasm").fails_with(65).err.contains("`gone.wasm` can't be read"));
}
