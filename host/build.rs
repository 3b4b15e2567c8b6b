//! Builds the bundled middlewares into components, which the library embeds.

fn main() {
    let built = cepa_guest_build::Script::new("..")
        .and_then(|script| script.embed("middlewares", "BUNDLED", "bundled.rs"));
    if let Err(error) = built {
        println!("cargo::error={}", error.to_string().replace('\n', "\ncargo::error="));
    }
}
