//! Which packages hold the compiler, and how to unpack what is needed of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::run::{run, succeeds};
use crate::Error;

/// Downloads the packages and unpacks the compiler, its libraries and the sources of the standard library.
/// Gives the compiler's version. Packages that an earlier, broken attempt fetched are not fetched again.
pub(super) fn unpack(into: &Path) -> Result<String, Error> {
    let version = candidate()?;
    let debs = into.join("debs");
    fs::create_dir_all(&debs).map_err(Error::file(&debs))?;
    for (name, wanted) in packages(&version)? {
        fetch(&debs, &name, &wanted)?;
    }
    for entry in debs.read_dir().map_err(Error::file(&debs))?.flatten() {
        unpack_one(&entry.path(), into)?;
    }
    fs::remove_dir_all(&debs).map_err(Error::file(&debs))?;
    Ok(version)
}

/// The version of the compiler that apt would install.
fn candidate() -> Result<String, Error> {
    let ask = || -> Result<Option<String>, Error> {
        let policy = run(Command::new("apt-cache").args(["policy", "rustc-web"]))?;
        let version = policy.lines().find_map(|line| line.trim().strip_prefix("Candidate: "));
        Ok(version.filter(|version| *version != "(none)").map(str::to_owned))
    };
    if let Some(version) = ask()? {
        return Ok(version);
    }
    // Without the right to update, the lists at hand must do.
    succeeds(Command::new("apt-get").args(["update", "-qq"]));
    ask()?.ok_or_else(|| super::missing("apt knows no package `rustc-web`"))
}

/// The packages by name, each with the argument that apt takes for it.
fn packages(version: &str) -> Result<Vec<(String, String)>, Error> {
    let mut short = version.split('.');
    let short = format!("{}.{}", short.next().unwrap_or_default(), short.next().unwrap_or_default());
    let library = format!("libstd-rust-web-{short}");
    let shown = run(Command::new("apt-cache").args(["show", &format!("{library}={version}")]))?;
    let llvm = llvm_of(&shown).ok_or_else(|| super::missing(&format!("`{library}` names no LLVM")))?;
    let mut all: Vec<(String, String)> = ["rustc-web", &library, "libstd-rust-web-dev", "rust-web-src"]
        .map(|name| (name.to_owned(), format!("{name}={version}")))
        .into();
    all.push((llvm.clone(), llvm));
    Ok(all)
}

/// The LLVM library among the dependencies that `apt-cache show` prints.
fn llvm_of(shown: &str) -> Option<String> {
    let depends = shown.lines().find_map(|line| line.strip_prefix("Depends: "))?;
    let names = depends.split(',').filter_map(|one| one.split_whitespace().next());
    names.map(str::to_owned).find(|name| name.starts_with("libllvm"))
}

fn fetch(debs: &Path, name: &str, wanted: &str) -> Result<(), Error> {
    let prefix = format!("{name}_");
    let there = debs.read_dir().map_err(Error::file(debs))?.flatten();
    if there.into_iter().any(|file| file.file_name().to_string_lossy().starts_with(&prefix)) {
        return Ok(());
    }
    let mut apt = Command::new("apt-get");
    apt.args(["-o", "APT::Sandbox::User=root", "download", "-q", wanted]).current_dir(debs);
    run(&mut apt).map(|_| ())
}

fn unpack_one(deb: &Path, into: &Path) -> Result<(), Error> {
    let name = deb.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let wanted: &[&str] = if name.starts_with("rust-web-src_") {
        &["--wildcards", "./usr/src/rustc-*/library/*", "./usr/src/rustc-*/Cargo.lock"]
    } else if name.starts_with("rustc-web_") {
        &["./usr/bin/rustc"]
    } else {
        &["--wildcards", "./usr/lib/*"]
    };
    let failed = |reason: String| Error::Program { program: format!("tar of {name}"), reason };
    let mut archive = Command::new("dpkg-deb")
        .arg("--fsys-tarfile")
        .arg(deb)
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|cause| failed(cause.to_string()))?;
    let pipe = archive.stdout.take().ok_or_else(|| failed("no pipe".to_owned()))?;
    let mut tar = Command::new("tar");
    let status = tar.args(["-x", "-C"]).arg(into).args(wanted).stdin(pipe).status();
    let ended = archive.wait();
    match (status, ended) {
        // `tar` complains about a pattern without a match, which the sources' lock file may be.
        (Ok(status), Ok(_)) if status.success() || name.starts_with("rust-web-src_") => Ok(()),
        (Ok(status), _) => Err(failed(status.to_string())),
        (Err(cause), _) => Err(failed(cause.to_string())),
    }
}

/// The folder of the standard library's sources.
pub(super) fn sources(root: &Path) -> Result<PathBuf, Error> {
    let folder = root.join("usr/src");
    let entries = folder.read_dir().map_err(Error::file(&folder))?.flatten();
    let found = entries.into_iter().map(|entry| entry.path().join("library")).find(|path| path.is_dir());
    found.ok_or_else(|| super::missing("`rust-web-src` holds no standard library"))
}

#[cfg(test)]
mod tests {
    use super::llvm_of;

    #[test]
    fn the_llvm_library_is_read_from_the_dependencies() {
        let shown =
            "Package: libstd-rust-web-1.96\nDepends: libc6 (>= 2.39), libllvm22 (>= 1:22.1), zlib1g\n";
        assert_eq!(llvm_of(shown).as_deref(), Some("libllvm22"));
        assert_eq!(llvm_of("Depends: libc6"), None);
    }
}
