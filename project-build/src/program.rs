//! Calls the compilers and the SDKs' own programs.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::language::Language;
use crate::project::Project;
use crate::{Error, contract, tools};

/// What an SDK's program ends with when the author has something to put right.
const MISTAKE: i32 = 1;

/// Runs a program to its end, and gives what it said.
pub(crate) fn attempt(command: &mut Command) -> Result<Output, Error> {
    let program = name(command);
    command
        .stdin(Stdio::null())
        .output()
        .map_err(|cause| Error::Program { program, reason: cause.to_string() })
}

/// The program's name, for a message.
pub(crate) fn name(command: &Command) -> String {
    Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Makes the component of a project in Python, JavaScript or TypeScript, by its SDK's own program, in a folder that has
/// the SDK in it.
pub(crate) fn make(project: &Project, work: &Path, made: &Path) -> Result<(), Error> {
    let contract_folder = work.join("contract");
    contract::write(&contract_folder)?;
    let scratch = work.join("scratch");
    std::fs::create_dir_all(&scratch).map_err(Error::file(&scratch))?;
    let request = work.join("request.json");
    let text = asked(project, &contract_folder, &scratch, made).to_string();
    std::fs::write(&request, text).map_err(Error::file(&request))?;

    let mut command = match project.language {
        Language::Python => {
            let mut command = tools::python()?.command();
            command.env("CEPA_COMPONENTIZE_PY", tools::componentize_py()?.program);
            command
        }
        language => {
            let mut command = tools::node(language)?.command();
            command.env("CEPA_NODE_MODULES", tools::node_modules(project)?);
            command
        }
    };
    let sdk = work.join("guest-sdk").join(project.language.sdk());
    let output = attempt(command.arg(sdk.join("build")).arg(&request))?;
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    match output.status.code() {
        Some(0) => Ok(()),
        Some(MISTAKE) => Err(Error::Mistake(said)),
        _ => Err(Error::Program {
            program: format!("the build of the {} SDK", project.language),
            reason: format!("{}\n{said}", output.status),
        }),
    }
}

fn asked(project: &Project, contract_folder: &Path, scratch: &Path, made: &Path) -> Value {
    json!({
        "name": project.name,
        "folder": project.folder,
        "source": project.source,
        "hooks": project.hooks,
        "schema": project.schema.as_ref().map(|schema| &schema.file),
        "engine": project.engine,
        "contract": contract_folder,
        "package": contract::PACKAGE,
        "version": contract::version(),
        "work": scratch,
        "output": made,
    })
}
