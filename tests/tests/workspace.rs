//! Files as components use them: below their mounts, within their limits, and nowhere else.

use std::path::Path;

use cepa::chain::{Note, NoteKind};
use cepa::event::Outcome;
use cepa::policy::{Grants, MountSpec};
use cepa_tests::agent::{Told, agent, ask, model};
use cepa_tests::chain::{LayerPlan, load};
use cepa_tests::guest;
use serde_json::{Value, json};
use tempfile::TempDir;

const ANSWERS: &str = "[[turn]]\ntext = \"Answer.\"\nrepeat = true";

/// A folder with the folders of two mounts in it, and a secret beside them.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["work", "skills"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    std::fs::write(folder.path().join("secret"), "hidden").unwrap();
    std::fs::write(folder.path().join("skills/greet.md"), "Say hello.").unwrap();
    folder
}

/// The mounts `work`, to be changed, and `skills`, to be read.
fn mounts(folder: &Path) -> Grants {
    let mount =
        |name: &str, writable| MountSpec { name: name.to_owned(), folder: folder.join(name), writable };
    Grants { workspace: vec![mount("work", true), mount("skills", false)], ..Grants::default() }
}

/// One reply with a layer that uses files.
async fn told(plan: LayerPlan, uses: Value) -> Told {
    let entry = plan.config(json!({ "uses": uses })).entry(&load("files", guest!("files")).await);
    let agent = agent(&model(ANSWERS)).middleware(entry).build().await.unwrap();
    let told = ask(&agent, "Go").await;
    assert_eq!(told.result.response.outcome, Outcome::Replied);
    told
}

fn denied(told: &Told) -> Vec<String> {
    let denied = |note: &Note| match &note.kind {
        NoteKind::Denied { capability, object } => Some(format!("{}: {capability} {object}", note.layer)),
        _ => None,
    };
    told.notes.iter().filter_map(denied).collect()
}

#[tokio::test]
async fn files_are_used_below_their_mounts() {
    let folder = folder();
    let uses = json!([
        "mounts",
        { "read": "skills/greet.md" },
        { "read-part": ["skills/greet.md", 4, 5] },
        { "create-folder": "work/notes/old" },
        { "write": ["work/notes/today", "Begun."] },
        { "append": ["work/notes/today", " Done."] },
        { "read": "work/notes/today" },
        { "stat": "work/notes/today" },
        { "entries": ["work/notes", null, 10] },
        { "entries": ["work/notes", "old", 10] },
        { "all-entries": "work" },
        { "rename": ["work/notes/today", "work/notes/old/1"] },
        { "remove": "work/notes/old" },
        { "remove": "work/notes/old/1" },
        { "remove": "work/notes/old" },
        { "read": "work/notes/today" },
        { "read": "work" },
    ]);
    let told = told(LayerPlan::new("files").grants(mounts(folder.path())), uses).await;
    insta::assert_snapshot!(told.log());
    assert_eq!(denied(&told), [""; 0]);
}

#[tokio::test]
async fn files_that_were_not_granted_are_refused_and_noted() {
    let uses = json!([
        "mounts",
        { "stat": "work" },
        { "entries": ["work", null, 1] },
        { "read": "work/a" },
        { "read-part": ["work/a", 0, 1] },
        { "write": ["work/a", "x"] },
        { "append": ["work/a", "x"] },
        { "create-folder": "work/a" },
        { "remove": "work/a" },
        { "rename": ["work/a", "work/b"] },
    ]);
    let told = told(LayerPlan::new("files"), uses).await;
    insta::assert_snapshot!(told.log());
    insta::assert_snapshot!(denied(&told).join("\n"));
}

#[cfg(unix)]
#[tokio::test]
async fn a_component_reaches_no_file_outside_its_mounts() {
    let folder = folder();
    let link =
        |target: &str, link: &str| std::os::unix::fs::symlink(target, folder.path().join(link)).unwrap();
    link("../secret", "work/link");
    link("..", "work/up");
    std::fs::hard_link(folder.path().join("secret"), folder.path().join("work/hard")).unwrap();
    let uses = json!([
        { "read": "secret" },
        { "read": "work/../secret" },
        { "read": "../secret" },
        { "read": "/etc/passwd" },
        { "read": "work/link" },
        { "read": "work/up/secret" },
        { "entries": ["work/up", null, 10] },
        { "write": ["work/link", "mine"] },
        { "write": ["work/up/secret", "mine"] },
        { "append": ["work/hard", "mine"] },
        { "write": ["skills/greet.md", "mine"] },
        { "rename": ["work/hard", "skills/hard"] },
        { "read": "work/NUL" },
        { "read": "work/secret/" },
        { "read": "work/a:b" },
    ]);
    let told = told(LayerPlan::new("files").grants(mounts(folder.path())), uses).await;
    insta::assert_snapshot!(told.log());
    insta::assert_snapshot!(denied(&told).join("\n"));
    let path = folder.path().display().to_string();
    assert!(
        !told.log().contains(&path) && !denied(&told).join("").contains(&path),
        "no path of the host is told"
    );
    assert_eq!(std::fs::read_to_string(folder.path().join("secret")).unwrap(), "hidden");
    assert_eq!(std::fs::read_to_string(folder.path().join("skills/greet.md")).unwrap(), "Say hello.");
}

#[tokio::test]
async fn a_large_file_is_refused_by_its_size_and_not_read() {
    let folder = folder();
    std::fs::File::create(folder.path().join("work/large")).unwrap().set_len(1 << 30).unwrap();
    let uses = json!([
        { "stat": "work/large" },
        { "read": "work/large" },
        { "read-part": ["work/large", 0, u32::MAX] },
        { "read-part": ["work/large", (1 << 30) - 2, u32::MAX] },
    ]);
    let plan =
        LayerPlan::new("files").grants(mounts(folder.path())).limits(|limits| limits.payload = 1 << 20);
    insta::assert_snapshot!(told(plan, uses).await.log());
}
