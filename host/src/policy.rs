//! What the operator allows a layer, and within which bounds.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::chain::{ChainEntry, Health, MAX_FAULTS_DEFAULT, Middleware, OnFault};
use crate::http::{Bounds, Rule, SecretGrant};

/// A layer of the manifest, resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerSpec {
    /// Unique in the chain; the key of its state.
    pub name: String,
    /// Where the component comes from.
    pub source: LayerSource,
    /// Its configuration, an object.
    pub config: Value,
    /// What it may use.
    pub grants: Grants,
    /// Within which bounds.
    pub limits: Limits,
    /// What happens when it breaks a rule.
    pub on_fault: OnFault,
    /// Faults in a row at one hook after which it is taken out.
    pub max_faults: u32,
}

impl LayerSpec {
    /// A layer without configuration and grants, within the default limits.
    pub fn new(name: impl Into<String>, source: LayerSource) -> Self {
        Self {
            name: name.into(),
            source,
            config: Value::Object(serde_json::Map::new()),
            grants: Grants::default(),
            limits: Limits::default(),
            on_fault: OnFault::default(),
            max_faults: MAX_FAULTS_DEFAULT,
        }
    }

    /// The place in a chain that this layer's middleware takes.
    pub fn entry(&self, middleware: Arc<dyn Middleware>) -> ChainEntry {
        ChainEntry {
            middleware,
            on_fault: self.on_fault,
            next_runs_max: self.limits.next_runs,
            permits: self.grants.permissions,
            health: Health::new(self.max_faults),
        }
    }
}

/// Where a component comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LayerSource {
    /// One that is built into this program, by name.
    Bundled(String),
    /// A component file.
    File(std::path::PathBuf),
    /// A project folder that is built into a component.
    Project(std::path::PathBuf),
}

impl LayerSource {
    /// The source that is written like this: `bundled:NAME`, or the path of a file or of a project folder.
    pub fn named(text: &str) -> Self {
        let path = std::path::PathBuf::from(text);
        match text.strip_prefix("bundled:") {
            Some(name) => Self::Bundled(name.to_owned()),
            None if path.is_dir() => Self::Project(path),
            None => Self::File(path),
        }
    }
}

/// The capabilities a layer may use. `log`, `context`, `clock` and `random` are always there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a grant of its own")]
pub struct Grants {
    /// Whether it may keep state.
    pub state: bool,
    /// The model aliases it may ask; `*` stands for all.
    pub models: Vec<String>,
    /// The tools it may offer and call; `*` stands for all.
    pub tools: Vec<String>,
    /// Whether it may see or change the conversation.
    pub conversation: Access,
    /// Whether it may keep documents and search them.
    pub index: bool,
    /// The folders it may use, each name once.
    pub workspace: Vec<MountSpec>,
    /// What it may request of servers.
    pub http: Vec<Rule>,
    /// The secrets that go with its requests.
    pub secrets: Vec<SecretGrant>,
    /// Whether its `on-check-permission` may let run what is asked or denied inside it.
    pub permissions: bool,
    /// The sub-agents it may run; `*` stands for all.
    pub agents: Vec<String>,
    /// Whether it may measure.
    pub telemetry: bool,
}

/// A folder of the host under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MountSpec {
    /// The first name of every path below it.
    pub name: String,
    /// The folder.
    pub folder: std::path::PathBuf,
    /// Whether files below it may be changed.
    pub writable: bool,
}

/// How far a grant goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Not at all.
    #[default]
    None,
    /// Reading only.
    Read,
    /// Reading and changing.
    Write,
}

/// The capabilities that need a grant, by the names of the contract's interfaces.
pub const CAPABILITIES: [&str; 9] =
    ["state", "models", "tools", "conversation", "workspace", "index", "http", "telemetry", "agents"];

/// Bytes of a guest's call stack, the same for every layer: the engine's own setting, ten thousand plain calls deep.
pub const STACK_BYTES: usize = 512 << 10;

/// The name of that bound, where it is reached.
pub const STACK_LIMIT: &str = "stack";

/// Elements that one table may have at most: what the engine keeps room for.
pub const TABLE_ELEMENTS_MAX: u32 = 100_000;

/// The bounds of a layer. Each is enforced, and none is unlimited by default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Limits {
    /// Bytes of all its memories together. Default 64 MiB: room for a language runtime, too little to starve a host.
    pub memory: u64,
    /// Computing time of one hook call. Default 1 s: no middleware thinks that long, and a spinning one is stopped.
    pub cpu: Duration,
    /// Time of one hook call, what is inside excluded, waits included. Default 60 s: room for a retry's waits.
    pub wall: Duration,
    /// Runs of `next` in one hook call. Default 16: room for retries and fallbacks, no endless loop.
    pub next_runs: u32,
    /// Calls of the host in one hook call. Default 1,000,000: a stream of hours, relayed token by token, stays below,
    /// and a loop of empty calls ends within a second.
    pub host_calls: u32,
    /// Bytes copied into and out of the guest in one hook call, and in the host on its behalf. Default 128 MiB: four
    /// times the longest answer of a model, and what a hook call can make the host keep. An edit of what another handle
    /// shares counts what it copies, each edit 256 bytes besides, and JSON that the guest hands over 400 bytes a value.
    pub bytes_copied: u64,
    /// Bytes that the guest hands over in one call of the host, or as the answer of a hook, or reads of a file at once. Default
    /// 16 MiB: room for a large picture. A list counts what its elements take in the host.
    pub payload: u64,
    /// Events sent in one hook call. Default 100,000: more than any answer has tokens.
    pub events: u32,
    /// Bytes of the events sent in one hook call. Default 64 MiB: twice the longest answer of a model.
    pub event_bytes: u64,
    /// Bytes of log lines in one reply. Default 64 KiB: a log that fills no disk.
    pub log: u64,
    /// Bytes of state in each scope: in one reply, in one session, and in the layer. Default 16 MiB: memory of an
    /// agent, no data base. Each entry counts its key, its value and 64 bytes.
    pub state: u64,
    /// Bytes of the files in each mount that may be changed, with those that were there before. Default 1 GiB: a large
    /// project, and no disk full.
    pub workspace_bytes: u64,
    /// Files and folders in each such mount. Default 100,000: a project with what it was built of.
    pub workspace_files: u32,
    /// Bytes of the layer's documents, in all its collections and sessions. Default 64 MiB: some ten thousand pages. Each
    /// document counts its id, its text, its metadata and 64 bytes.
    pub index: u64,
    /// Bytes of the body of a request to a server. Default 1 MiB: a long text with a picture.
    pub http_request_body: u64,
    /// Bytes of the body of a server's answer. Default 16 MiB: a large document.
    pub http_response_body: u64,
    /// Time until a connection to a server stands. Default 5 s: a server that is there answers sooner.
    pub http_connect: Duration,
    /// Time from a request to its answer, and from one part of the answer to the next. Default 15 s: a slow query.
    pub http_idle: Duration,
    /// Time from a request to the last byte of its answer, redirects included. Default 30 s: half of `wall`, so that a
    /// layer learns of it before it is ended.
    pub http_total: Duration,
    /// Runs of sub-agents in one reply. Default 16: room for a team, and an end to a layer that asks for ever.
    pub agent_runs: u32,
    /// Spans and counts in one reply. Default 1,000: a trace that a person can read.
    pub telemetry_records: u32,
    /// Bytes of these. Default 256 KiB: room for what each is about. Each counts its name, its attributes and 64 bytes.
    pub telemetry_bytes: u64,
    /// Handles held at once. Default 10,000: more are a leak.
    pub handles: u32,
    /// Elements of all its tables together. Default 100,000, which is also the most: the largest language runtimes
    /// have some ten thousand.
    pub tables: u32,
}

impl Default for Limits {
    fn default() -> Self {
        let http = Bounds::default();
        Self {
            memory: 64 << 20,
            cpu: Duration::from_secs(1),
            wall: Duration::from_secs(60),
            next_runs: 16,
            host_calls: 1_000_000,
            bytes_copied: 128 << 20,
            payload: 16 << 20,
            events: 100_000,
            event_bytes: 64 << 20,
            log: 64 << 10,
            state: 16 << 20,
            workspace_bytes: 1 << 30,
            workspace_files: 100_000,
            index: 64 << 20,
            http_request_body: http.request_body,
            http_response_body: http.response_body,
            http_connect: http.connect,
            http_idle: http.idle,
            http_total: http.total,
            agent_runs: 16,
            telemetry_records: 1_000,
            telemetry_bytes: 256 << 10,
            handles: 10_000,
            tables: TABLE_ELEMENTS_MAX,
        }
    }
}

/// The value of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// So many.
    Count(u32),
    /// So many bytes.
    Bytes(u64),
    /// So long.
    Time(Duration),
}

impl Limits {
    /// Every limit by its name in the manifest.
    pub fn each(&self) -> [(&'static str, Bound); 24] {
        let Self {
            memory,
            cpu,
            wall,
            next_runs,
            host_calls,
            bytes_copied,
            payload,
            events,
            event_bytes,
            log,
            state,
            workspace_bytes,
            workspace_files,
            index,
            http_request_body,
            http_response_body,
            http_connect,
            http_idle,
            http_total,
            agent_runs,
            telemetry_records,
            telemetry_bytes,
            handles,
            tables,
        } = *self;
        [
            ("memory", Bound::Bytes(memory)),
            ("cpu", Bound::Time(cpu)),
            ("wall", Bound::Time(wall)),
            ("next-runs", Bound::Count(next_runs)),
            ("host-calls", Bound::Count(host_calls)),
            ("bytes-copied", Bound::Bytes(bytes_copied)),
            ("payload", Bound::Bytes(payload)),
            ("events", Bound::Count(events)),
            ("event-bytes", Bound::Bytes(event_bytes)),
            ("log", Bound::Bytes(log)),
            ("state", Bound::Bytes(state)),
            ("workspace-bytes", Bound::Bytes(workspace_bytes)),
            ("workspace-files", Bound::Count(workspace_files)),
            ("index", Bound::Bytes(index)),
            ("http-request-body", Bound::Bytes(http_request_body)),
            ("http-response-body", Bound::Bytes(http_response_body)),
            ("http-connect", Bound::Time(http_connect)),
            ("http-idle", Bound::Time(http_idle)),
            ("http-total", Bound::Time(http_total)),
            ("agent-runs", Bound::Count(agent_runs)),
            ("telemetry-records", Bound::Count(telemetry_records)),
            ("telemetry-bytes", Bound::Bytes(telemetry_bytes)),
            ("handles", Bound::Count(handles)),
            ("tables", Bound::Count(tables)),
        ]
    }

    /// The bounds of its requests to servers: its own, and those that are the same for every layer.
    pub fn http(&self) -> Bounds {
        Bounds {
            request_body: self.http_request_body,
            response_body: self.http_response_body,
            connect: self.http_connect,
            idle: self.http_idle,
            total: self.http_total,
            ..Bounds::default()
        }
    }
}
