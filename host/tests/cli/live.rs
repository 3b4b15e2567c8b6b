//! What layers do is shown when they do it.

use cepa_tests::guest;

use crate::rig::{Place, wait_for};

/// A layer that says who it is, then asks a model that does not answer.
fn stuck() -> Place {
    let model = "[models.slow]\nprovider = \"scripted\"\nscript = \"slow.toml\"\n";
    let layer = "[[middleware]]\nname = \"u\"\nsource = \"u.wasm\"\ngrants = { models = [\"slow\"] }\n\
                 config = { before = [\"who\", { complete = [\"slow\", \"hi\"] }] }\n";
    Place::new(&format!("{model}{layer}"))
        .file("slow.toml", "[[turn]]\ntext = \"at last\"\ndelay-ms = 3600000\n")
        .file("u.wasm", guest!("uses"))
}

#[test]
fn a_log_line_is_shown_while_its_layer_waits() {
    let place = stuck();
    let running = place.start("run . hello --session s");
    let line = wait_for(&running.err, "u: Who: ");
    assert!(line.contains("layer u of agent a in session s"), "{line}");
    running.interrupt();
    running.end().ends_with(5);
}

#[test]
fn as_json_too() {
    let place = stuck();
    let running = place.start("--json run . hello");
    let line = wait_for(&running.out, "\"layer-log\"");
    assert!(line.contains("\"layer\":\"u\""), "{line}");
    running.interrupt();
    running.end().ends_with(5);
}
