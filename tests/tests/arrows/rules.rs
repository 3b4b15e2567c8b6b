//! What `ARCHITECTURE.md` says of who names whom.

/// The rooms of the diagram, and where its arrows and the sentences below it lead from each. A room may name what it
/// reaches by way of others.
pub(crate) const ARROWS: &[(&str, &[&str])] = &[
    ("cli", &["conformance", "control"]),
    ("conformance", &["agent", "models", "sandbox"]),
    ("control", &["host"]),
    ("host", &["agent", "manifest", "models", "sandbox"]),
    ("agent", &["chain", "model", "session", "tool"]),
    ("sandbox", &["chain"]),
    ("manifest", &["agent", "chain"]),
    ("models", &["chain", "model"]),
    ("model", &["chain"]),
    ("tool", &["chain"]),
    ("session", &[]),
    ("chain", &[]),
];

/// Which rooms a rule is about.
pub(crate) enum Rooms {
    These(&'static [&'static str]),
    AllBut(&'static [&'static str]),
}

use Rooms::{AllBut, These};

impl Rooms {
    fn contain(&self, room: &str) -> bool {
        match self {
            These(rooms) => rooms.contains(&room),
            AllBut(rooms) => !rooms.contains(&room),
        }
    }

    /// The rooms that stand in the table.
    pub(crate) fn named(&self) -> impl Iterator<Item = &'static str> {
        let (These(rooms) | AllBut(rooms)) = self;
        rooms.iter().copied()
    }
}

/// What rooms may name.
pub(crate) enum Bound {
    /// None of these paths, nor what is in them.
    Never(&'static [&'static str]),
    /// Of the host's rooms only these, and themselves.
    Only(&'static [&'static str]),
}

use Bound::{Never, Only};

/// A sentence about rooms.
pub(crate) struct Rule {
    /// Its words.
    pub(crate) says: &'static str,
    pub(crate) rooms: Rooms,
    pub(crate) bound: Bound,
}

impl Rule {
    /// Whether a file of this room may not name this.
    pub(crate) fn forbids(&self, room: &str, name: &str) -> bool {
        self.rooms.contain(room)
            && match self.bound {
                Never(paths) => paths.iter().any(|path| is_in(name, path)),
                Only(rooms) => {
                    let other = name.strip_prefix("crate::").filter(|other| *other != room);
                    other.is_some_and(|other| !rooms.contains(&other))
                }
            }
    }
}

fn is_in(name: &str, path: &str) -> bool {
    name.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

const BOTTOM: &[&str] = &["message", "event", "error", "request"];

pub(crate) const RULES: &[Rule] = &[
    Rule {
        says: "`message`, `event`, `error` and `request` are at the bottom and name nothing above them",
        rooms: These(BOTTOM),
        bound: Only(BOTTOM),
    },
    Rule {
        says: "`chain` and `agent` never name `sandbox`",
        rooms: These(&["chain", "agent"]),
        bound: Never(&["crate::sandbox"]),
    },
    Rule {
        says: "**Invariants:** knows no wasm, no file, no network;",
        rooms: These(&["chain"]),
        bound: Never(&[
            "crate::http",
            "crate::index",
            "crate::session",
            "crate::sqlite",
            "crate::workspace",
            "cap_std",
            "reqwest",
            "rusqlite",
            "std::fs",
            "std::net",
            "tokio::fs",
            "tokio::net",
        ]),
    },
    Rule {
        says: "**Invariants:** knows no wasm;",
        rooms: These(&["agent", "workspace", "index", "http"]),
        bound: Never(&["crate::sandbox"]),
    },
    Rule {
        says: "The only room that names `wasmtime`.",
        rooms: AllBut(&["sandbox"]),
        bound: Never(&["wasmtime", "wasmtime_wasi"]),
    },
    Rule {
        says: "**Invariants:** nothing is run, fetched or loaded here;",
        rooms: These(&["manifest"]),
        bound: Never(&[
            "crate::host",
            "crate::models",
            "crate::session",
            "crate::tool",
            "std::net",
            "std::process",
            "tokio",
        ]),
    },
    Rule {
        says: "**Invariants:** knows no manifest and prints nothing;",
        rooms: These(&["conformance"]),
        bound: Never(&["crate::host", "crate::manifest"]),
    },
    Rule {
        says: "The one place that knows both the manifest and the sandbox.",
        rooms: These(&["control", "manifest"]),
        bound: Never(&["crate::sandbox"]),
    },
    Rule {
        says: "`policy` the grants of `http` and the entries of `chain`",
        rooms: These(&["policy"]),
        bound: Only(&["chain", "http"]),
    },
];
