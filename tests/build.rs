//! Builds the guests of the tests.

fn main() {
    let built = cepa_guest_build::Script::new("..")
        .and_then(|script| script.embed("tests/guests", "GUESTS", "guests.rs"));
    if let Err(error) = built {
        println!("cargo::error={}", error.to_string().replace('\n', "\ncargo::error="));
    }
}
