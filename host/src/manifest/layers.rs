//! `[[middleware]]`.

use std::collections::HashMap;
use std::path::Path;

use serde_json::{Map, Value};

use super::agent::check_alias;
use super::models::positive_duration;
use super::mounts::{self, Changeable};
use super::network;
use super::problem::{Problem, Span};
use super::reader::{At, Reader};
use super::secrets::Secrets;
use super::section::Section;
use super::sub_agents;
use super::units;
use super::values::whole_numbers;
use crate::chain::{MAX_FAULTS_DEFAULT, OnFault};
use crate::policy::{Access, Grants, LayerSource, LayerSpec, Limits, TABLE_ELEMENTS_MAX};

/// The most layers of a chain: each has at least one instance in each reply that runs, of the 512 that there may be.
const LAYERS_MAX: usize = 128;

/// The longest name: it is a key of stored state and a column of reports.
const NAME_MAX: usize = 64;

/// What layers may name.
pub(super) struct Known<'a> {
    pub(super) aliases: &'a [String],
    pub(super) secrets: &'a Secrets,
    pub(super) agents: &'a [String],
}

/// What the layers that were read so far have for themselves.
#[derive(Default)]
pub(super) struct Taken {
    names: HashMap<String, Span>,
    changeable: Changeable,
}

/// The layers of one agent. `taken` has those of the agents before: a name is a key of state.
pub(super) fn read(
    reader: &mut Reader<'_>,
    agent: &mut Section<'_>,
    known: &Known<'_>,
    taken: &mut Taken,
) -> Vec<LayerSpec> {
    let sections = agent.tables(reader, "middleware");
    if let Some(first) = sections.get(LAYERS_MAX) {
        let message = format!("there are {} layers, and {LAYERS_MAX} is the limit", sections.len());
        reader.report(Problem::at(first.span(), message).says("the first one too many"));
    }
    sections
        .into_iter()
        .take(LAYERS_MAX)
        .filter_map(|section| read_one(reader, section, known, taken))
        .collect()
}

fn read_one(
    reader: &mut Reader<'_>,
    mut section: Section<'_>,
    known: &Known<'_>,
    taken: &mut Taken,
) -> Option<LayerSpec> {
    section.require("name", "add a line like `name = \"retry\"`");
    section.require("source", "add a line like `source = \"bundled:model-retry\"`");
    let name = unique_name(reader, &mut section, &mut taken.names, "layers");
    let source = source(reader, &mut section);
    let config = section.json(reader, "config").map_or_else(|| Value::Object(Map::new()), whole_numbers);
    let grants = grants(reader, &mut section, known, &mut taken.changeable);
    let limits = limits(reader, &mut section);
    let on_fault = section
        .word(reader, "on-fault", &[("fail", OnFault::Fail), ("skip", OnFault::Skip)])
        .unwrap_or_default();
    let max_faults = section.count(reader, "max-faults", 1).unwrap_or(MAX_FAULTS_DEFAULT);
    section.finish(reader);
    Some(LayerSpec { name: name?, source: source?, config, grants, limits, on_fault, max_faults })
}

/// The `name` of one of several `things`, which no other of them has.
pub(super) fn unique_name(
    reader: &mut Reader<'_>,
    section: &mut Section<'_>,
    names: &mut HashMap<String, Span>,
    things: &str,
) -> Option<String> {
    let name = section.parsed_at(reader, "name", usable_name)?;
    if let Some(first) = names.get(&name.value) {
        let message = format!("two {things} are called `{}`", name.value);
        reader.report(
            Problem::at(name.span, message).says("and again here").label(first.clone(), "first here"),
        );
        return None;
    }
    names.insert(name.value.clone(), name.span);
    Some(name.value)
}

pub(super) fn usable_name(name: &str) -> Result<String, String> {
    let usable = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.');
    if name.is_empty() || name.len() > NAME_MAX || !name.chars().all(usable) {
        return Err(format!("1 to {NAME_MAX} letters, digits, `-`, `_` and `.`"));
    }
    Ok(name.to_owned())
}

fn source(reader: &mut Reader<'_>, section: &mut Section<'_>) -> Option<LayerSource> {
    let source = section.filled_text(reader, "source")?;
    match source_of(&source, reader.surroundings.folder, reader.unbuilt) {
        Ok(source) => Some(source),
        Err(problem) => {
            reader.report(problem);
            None
        }
    }
}

fn source_of(source: &At<String>, folder: &Path, unbuilt: bool) -> Result<LayerSource, Problem> {
    let problem = |message: String| Problem::at(source.span.clone(), message);
    if let Some(name) = source.value.strip_prefix("bundled:") {
        return Ok(LayerSource::Bundled(name.to_owned()));
    }
    if let Some((scheme, _)) = source.value.split_once("://") {
        return Err(problem(format!("components from `{scheme}://` are not offered yet"))
            .help("name a `.wasm` file, a project folder or `bundled:NAME`"));
    }
    let path = folder.join(&source.value);
    if path.is_dir() {
        Ok(LayerSource::Project(path))
    } else if path.is_file() {
        Ok(LayerSource::File(path))
    } else if let Some(message) = no_file(&path, "file or folder") {
        Err(problem(message))
    } else if unbuilt {
        Ok(LayerSource::File(path))
    } else {
        Err(problem(format!("there is no file or folder `{}`", path.display()))
            .help("the path is relative to the manifest; a bundled middleware is written `bundled:NAME`"))
    }
}

/// What to say of a path where there is something else, such as a device or a pipe.
pub(super) fn no_file(path: &Path, wanted: &str) -> Option<String> {
    path.exists().then(|| format!("`{}` is no plain {wanted}", path.display()))
}

fn grants(
    reader: &mut Reader<'_>,
    section: &mut Section<'_>,
    known: &Known<'_>,
    changeable: &mut Changeable,
) -> Grants {
    let Some(mut table) = section.table(reader, "grants") else { return Grants::default() };
    let models = table.texts(reader, "models").unwrap_or_default();
    for model in models.iter().filter(|model| model.value != "*") {
        check_alias(reader, model, known.aliases);
    }
    let access = [("read", Access::Read), ("write", Access::Write)];
    let http = network::rules(reader, &mut table);
    let grants = Grants {
        state: table.flag(reader, "state").is_some_and(|flag| flag.value),
        models: values(models),
        tools: values(table.texts(reader, "tools").unwrap_or_default()),
        conversation: table.word(reader, "conversation", &access).unwrap_or_default(),
        index: table.flag(reader, "index").is_some_and(|flag| flag.value),
        workspace: mounts::read(reader, &mut table, changeable),
        secrets: network::secrets(reader, &mut table, known.secrets, &http),
        http,
        permissions: table.flag(reader, "permissions").is_some_and(|flag| flag.value),
        agents: sub_agents::granted(reader, &mut table, known.agents),
        telemetry: table.flag(reader, "telemetry").is_some_and(|flag| flag.value),
    };
    table.finish(reader);
    grants
}

fn values(texts: Vec<At<String>>) -> Vec<String> {
    texts.into_iter().map(|text| text.value).collect()
}

fn limits(reader: &mut Reader<'_>, section: &mut Section<'_>) -> Limits {
    let default = Limits::default();
    let Some(mut table) = section.table(reader, "limits") else { return default };
    let limits = Limits {
        memory: table.parsed(reader, "memory", positive_size).unwrap_or(default.memory),
        cpu: table.parsed(reader, "cpu", positive_duration).unwrap_or(default.cpu),
        wall: table.parsed(reader, "wall", positive_duration).unwrap_or(default.wall),
        next_runs: table.count(reader, "next-runs", 0).unwrap_or(default.next_runs),
        host_calls: table.count(reader, "host-calls", 1).unwrap_or(default.host_calls),
        bytes_copied: table.parsed(reader, "bytes-copied", positive_size).unwrap_or(default.bytes_copied),
        payload: table.parsed(reader, "payload", positive_size).unwrap_or(default.payload),
        events: table.count(reader, "events", 0).unwrap_or(default.events),
        event_bytes: table.parsed(reader, "event-bytes", units::size).unwrap_or(default.event_bytes),
        log: table.parsed(reader, "log", units::size).unwrap_or(default.log),
        state: table.parsed(reader, "state", units::size).unwrap_or(default.state),
        workspace_bytes: table
            .parsed(reader, "workspace-bytes", units::size)
            .unwrap_or(default.workspace_bytes),
        workspace_files: table.count(reader, "workspace-files", 0).unwrap_or(default.workspace_files),
        index: table.parsed(reader, "index", units::size).unwrap_or(default.index),
        http_request_body: table
            .parsed(reader, "http-request-body", units::size)
            .unwrap_or(default.http_request_body),
        http_response_body: table
            .parsed(reader, "http-response-body", units::size)
            .unwrap_or(default.http_response_body),
        http_connect: table.parsed(reader, "http-connect", positive_duration).unwrap_or(default.http_connect),
        http_idle: table.parsed(reader, "http-idle", positive_duration).unwrap_or(default.http_idle),
        http_total: table.parsed(reader, "http-total", positive_duration).unwrap_or(default.http_total),
        agent_runs: table.count(reader, "agent-runs", 0).unwrap_or(default.agent_runs),
        telemetry_records: table.count(reader, "telemetry-records", 0).unwrap_or(default.telemetry_records),
        telemetry_bytes: table
            .parsed(reader, "telemetry-bytes", units::size)
            .unwrap_or(default.telemetry_bytes),
        handles: table.count(reader, "handles", 1).unwrap_or(default.handles),
        tables: table.count_within(reader, "tables", 0..=TABLE_ELEMENTS_MAX).unwrap_or(default.tables),
    };
    table.finish(reader);
    limits
}

fn positive_size(text: &str) -> Result<u64, String> {
    match units::size(text)? {
        0 => Err("it must be more than nothing".to_owned()),
        size => Ok(size),
    }
}
