//! Files. They go out alone.

use crate::sandbox::bindings::cepa::middleware::workspace as wit;
use crate::workspace::{Entry, EntryKind};

pub(in crate::sandbox) fn entry_to_guest(entry: Entry) -> wit::Entry {
    let kind = match entry.kind {
        EntryKind::File => wit::EntryKind::File,
        EntryKind::Folder => wit::EntryKind::Folder,
        EntryKind::Link => wit::EntryKind::Link,
        EntryKind::Other => wit::EntryKind::Other,
    };
    wit::Entry { name: entry.name, kind, size: entry.size, modified_ms: entry.modified_ms }
}
