//! Does with files what its configuration says, before a reply runs, and logs what each came to.

use cepa_sdk::workspace::{self, Entry};
use cepa_sdk::{Error, Middleware, OnReply, ReplyNext, ReplyRequest, ReplyResponse, Sink, info};
use schemars::JsonSchema;
use serde::Deserialize;

/// One use of files.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Use {
    Mounts,
    Stat(String),
    Entries(String, Option<String>, u32),
    AllEntries(String),
    Read(String),
    ReadPart(String, u64, u32),
    Write(String, String),
    Append(String, String),
    CreateFolder(String),
    Remove(String),
    Rename(String, String),
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
struct Config {
    uses: Vec<Use>,
}

struct Files(Config);

impl Middleware for Files {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        Ok(Self(config))
    }
}

fn shown(entry: &Entry) -> String {
    format!("{} {:?} {} {}", entry.name, entry.kind, entry.size, entry.modified_ms > 0)
}

fn listed(entries: &[Entry]) -> String {
    entries.iter().map(shown).collect::<Vec<_>>().join(", ")
}

impl Use {
    fn run(&self) -> Result<String, Error> {
        Ok(match self {
            Self::Mounts => format!("{:?}", workspace::mounts()?),
            Self::Stat(path) => shown(&workspace::stat(path)?),
            Self::Entries(path, after, limit) => listed(&workspace::entries(path, after.as_deref(), *limit)?),
            Self::AllEntries(path) => format!("{} entries", workspace::all_entries(path)?.len()),
            Self::Read(path) => workspace::read_text(path)?,
            Self::ReadPart(path, offset, length) => {
                format!("{:?}", workspace::read_part(path, *offset, *length)?)
            }
            Self::Write(path, text) => format!("{:?}", workspace::write(path, text.as_bytes())?),
            Self::Append(path, text) => format!("{:?}", workspace::append(path, text.as_bytes())?),
            Self::CreateFolder(path) => format!("{:?}", workspace::create_folder(path)?),
            Self::Remove(path) => format!("{:?}", workspace::remove(path)?),
            Self::Rename(path, target) => format!("{:?}", workspace::rename(path, target)?),
        })
    }
}

impl OnReply for Files {
    fn on_reply(&self, request: ReplyRequest, next: ReplyNext, _: Sink) -> Result<ReplyResponse, Error> {
        for one in &self.0.uses {
            match one.run() {
                Ok(value) => info!("{one:?}: {value}"),
                Err(error) => info!("{one:?}: {:?} {:?} {}", error.kind, error.code, error.message),
            }
        }
        next.run(request)
    }
}

cepa_sdk::export!(Files: OnReply);
