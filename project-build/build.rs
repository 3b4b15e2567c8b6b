//! Embeds the contract, the SDKs, and the module that Go's bindings stand on.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// What the crate carries: a folder of the repository, and the name it has in it.
const FOLDERS: [(&str, &str); 5] = [
    ("wit", "wit"),
    ("guest-sdk/python", "guest-sdk/python"),
    ("guest-sdk/js", "guest-sdk/js"),
    ("guest-sdk/c", "guest-sdk/c"),
    ("guest-sdk/go", "guest-sdk/go"),
];

/// What stays behind: tests, documents, what a package manager or an interpreter left.
const LEFT_OUT: [&str; 5] = ["tests", "node_modules", "__pycache__", "write-types", "target"];

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("..");
    let mut table =
        String::from("/// Every embedded file, by its path.\nstatic FILES: &[(&str, &[u8])] = &[\n");
    for (folder, name) in FOLDERS {
        println!("cargo::rerun-if-changed={}", root.join(folder).display());
        add(&mut table, &root.join(folder), name);
    }
    println!("cargo::rerun-if-changed={}", root.join("Cargo.lock").display());
    match go_runtime(&root) {
        Some(runtime) => {
            add(&mut table, &runtime.join("wit"), "go-runtime/wit");
            for name in ["go.mod", "LICENSE"] {
                add_file(&mut table, &runtime.join(name), &format!("go-runtime/{name}"));
            }
        }
        None => println!("cargo::error=`cargo metadata` does not tell where `wit-bindgen-go` is"),
    }
    table.push_str("];\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("embedded.rs");
    fs::write(&out, table).expect("the build's own folder can be written");
}

/// Adds all files below a folder, sorted, so that the same sources make the same crate.
fn add(table: &mut String, folder: &Path, name: &str) {
    let mut entries: Vec<_> = fs::read_dir(folder).into_iter().flatten().flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let file_name = entry.file_name().to_string_lossy().into_owned();
        let hidden =
            file_name.starts_with('.') || Path::new(&file_name).extension().is_some_and(|end| end == "md");
        if hidden || LEFT_OUT.contains(&file_name.as_str()) {
            continue;
        }
        let name = format!("{name}/{file_name}");
        if entry.path().is_dir() {
            add(table, &entry.path(), &name);
        } else {
            add_file(table, &entry.path(), &name);
        }
    }
}

fn add_file(table: &mut String, path: &Path, name: &str) {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    // Writing to a string does not fail.
    let _ = writeln!(table, "    ({name:?}, include_bytes!({:?})),", path.display().to_string());
}

/// The Go module that comes inside the generator's crate.
fn go_runtime(root: &Path) -> Option<PathBuf> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args(["metadata", "--format-version=1", "--locked", "--manifest-path"])
        .arg(root.join("Cargo.toml"));
    let told: serde_json::Value = serde_json::from_slice(&command.output().ok()?.stdout).ok()?;
    let mut packages = told["packages"].as_array()?.iter();
    let generator = packages.find(|package| package["name"] == "wit-bindgen-go")?;
    let folder = Path::new(generator["manifest_path"].as_str()?).parent()?.join("src").join("pkg");
    folder.is_dir().then_some(folder)
}
