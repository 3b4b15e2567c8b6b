//! What this process takes of the machine.

/// Bytes of memory in use by this process alone: what it has written to.
///
/// # Panics
/// Where the system does not tell.
pub fn private_bytes() -> u64 {
    status("RssAnon:")
}

/// Bytes of memory in use, with files that are mapped.
///
/// # Panics
/// Where the system does not tell.
pub fn resident_bytes() -> u64 {
    status("VmRSS:")
}

/// Open files and sockets.
///
/// # Panics
/// Where the system does not tell.
pub fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").expect("Linux lists them").count()
}

/// A size that Linux tells in KiB.
fn status(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells it");
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kib.unwrap_or_else(|| panic!("no size `{name}`")) << 10
}
