//! What this process takes of the machine.

/// Bytes of memory in use by this process alone: what it has written to.
///
/// # Panics
/// Where the system does not tell.
pub fn private_bytes() -> u64 {
    status("RssAnon:")
}

/// Bytes that guests have written to in their own memories.
///
/// A memory of a guest is a mapping of its component's data, and what stands right beside it: before it the guest's
/// stack, behind it its heap. Beyond these are pages that nobody may touch.
///
/// # Panics
/// Where the system does not tell.
pub fn guest_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/smaps").expect("Linux tells it");
    let mappings = mappings(&text);
    // Neighbours that may be written to make one memory.
    let memories =
        mappings.chunk_by(|left, right| left.end == right.start && left.writable && right.writable);
    let of_guests = memories.filter(|memory| memory.iter().any(|mapping| mapping.image));
    of_guests.flatten().map(|mapping| mapping.private_kib << 10).sum()
}

/// A stretch of addresses.
struct Mapping {
    start: u64,
    end: u64,
    writable: bool,
    /// Whether it begins as a component's data.
    image: bool,
    private_kib: u64,
}

/// What `smaps` tells, as proc(5) describes it: a line with the addresses, and a line for each size.
fn mappings(smaps: &str) -> Vec<Mapping> {
    let mut mappings = Vec::<Mapping>::new();
    for line in smaps.lines() {
        if let Some(size) = line.strip_prefix("Private_Dirty:") {
            let kib = size.trim().strip_suffix(" kB").and_then(|size| size.parse().ok());
            mappings.last_mut().expect("addresses come first").private_kib = kib.expect("a number of KiB");
        } else if let Some(mapping) = addresses(line) {
            mappings.push(mapping);
        }
    }
    mappings
}

/// `7f00-7f10 rw-p 00000000 00:01 5 name`.
fn addresses(line: &str) -> Option<Mapping> {
    let (range, rest) = line.split_once(' ')?;
    let (start, end) = range.split_once('-')?;
    let address = |text| u64::from_str_radix(text, 16).ok();
    Some(Mapping {
        start: address(start)?,
        end: address(end)?,
        writable: rest.starts_with("rw"),
        image: rest.contains("memfd:wasm-memory-image"),
        private_kib: 0,
    })
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
