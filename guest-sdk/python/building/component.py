"""Makes the component: a world with just the project's exports, an entry module, and componentize-py."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from .capabilities import CAPABILITIES, used_capabilities
from .mistake import Mistake
from .project import Project

SDK = Path(__file__).resolve().parent.parent
CONTRACT = SDK.parent.parent / "wit"
VERSION = "0.25.1"
PACKAGE = "cepa:middleware"
# What the SDK itself needs. None of it must be granted.
ALWAYS = ("types", "events", "requests", "flow", "context", "log", "clock", "random")


def build(project: Project, output: Path) -> int:
    """Writes the component, whole or not at all, and gives its size in bytes."""
    tool = find_tool()
    with tempfile.TemporaryDirectory(prefix="cepa-build-") as folder:
        work = Path(folder)
        write_world(project, used_capabilities(project), work / "wit")
        # Copies, since the tool leaves compiled modules beside those that it reads.
        leave = shutil.ignore_patterns("target", "__pycache__", ".*")
        shutil.copytree(project.source.parent, work / "app", ignore=leave)
        shutil.copytree(SDK / "cepa", work / "sdk" / "cepa", ignore=leave)
        write_entry(project, work / "sdk" / "cepa_entry.py")
        made = work / "made.wasm"
        # With its WASI stubbed the component imports none; the SDK gives the module `random` its seed anew.
        options = ["componentize", "--stub-wasi", "-p", "app", "-p", "sdk", "cepa_entry", "-o", str(made)]
        run(tool, project, [*world_options(work), *options], work)
        output.parent.mkdir(parents=True, exist_ok=True)
        size = made.stat().st_size
        # Beside the place it goes to, so that the last step is a rename.
        portion = output.with_name(f".{output.name}.new")
        try:
            shutil.copyfile(made, portion)
            os.replace(portion, output)
        finally:
            portion.unlink(missing_ok=True)
    return size


def write_bindings(project: Project, folder: Path) -> None:
    """Writes the contract's types as Python modules, which a type checker reads beside the SDK."""
    tool = find_tool()
    with tempfile.TemporaryDirectory(prefix="cepa-build-") as work:
        write_world(project, list(CAPABILITIES), Path(work) / "wit")
        shutil.rmtree(folder, ignore_errors=True)
        run(tool, project, [*world_options(Path(work)), "bindings", str(folder.resolve())], Path(work))


def find_tool() -> str:
    parts = Path(os.environ.get("CEPA_PARTS") or Path.home() / ".cache" / "cepa-parts")
    kept = parts / "languages" / "python" / "bin"
    tool = shutil.which("componentize-py") or shutil.which("componentize-py", path=kept)
    if not tool:
        raise Mistake(f"`componentize-py` is missing; `pip install componentize-py=={VERSION}` brings it")
    return tool


def write_world(project: Project, capabilities: list[str], folder: Path) -> None:
    """Imports what is used and no more, so that `cepa inspect` tells what the middleware needs granted."""
    version = contract_version()
    exports = [*project.hooks, *(["configuration"] if project.schema else [])]
    lines = [f"  import {PACKAGE}/{name}@{version};" for name in [*ALWAYS, *capabilities]]
    lines += [f"  export {PACKAGE}/{name}@{version};" for name in exports]
    folder.joinpath("deps").mkdir(parents=True)
    shutil.copytree(CONTRACT, folder / "deps" / "middleware")
    folder.joinpath("world.wit").write_text(
        "package cepa:guest;\n\nworld guest {\n" + "\n".join(lines) + "\n}\n", encoding="utf-8"
    )


def world_options(work: Path) -> list[str]:
    return ["--quiet", "-d", str(work / "wit"), "-w", "guest"]


def contract_version() -> str:
    text = CONTRACT.joinpath("worlds.wit").read_text(encoding="utf-8")
    return re.search(r"^package cepa:middleware@([0-9.]+);", text, re.MULTILINE)[1]


def write_entry(project: Project, file: Path) -> None:
    """The module that componentize-py looks for the exports in."""
    classes = ", ".join(hook.title().replace("-", "") for hook in project.hooks)
    lines = [
        f"from cepa.hooks import {classes}, configuration",
        "from cepa.middleware import use",
        f"import {project.source.stem} as author",
        "use(author)",
    ]
    if project.schema:
        lines.append(f"Configuration = configuration({project.schema.read_text(encoding='utf-8')!r})")
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def run(tool: str, project: Project, options: list[str], work: Path) -> None:
    done = subprocess.run([tool, *options], cwd=work, capture_output=True, text=True)
    if done.returncode:
        raise Mistake(explained(project, done.stdout + done.stderr))


def explained(project: Project, said: str) -> str:
    """What the author can do something about: a call of the host, the last own frame of a traceback, or all there is."""
    if called := re.search(r"called trapping stub: cepa:middleware/([\w-]+)@[\d.]+#(.+)", said):
        what = f"`{called[1]}` of the host (`{called[2]}`) is called while the module is loaded"
        return f"{project.source}:1: {what}, when there is no host yet; call it in a hook"
    raised = re.findall(r"^(?:\w+\.)*\w*(?:Error|Exception)\b.*$", said, re.MULTILINE)
    own = {path.name for path in project.modules()}
    for path, line in reversed(re.findall(r'File "([^"]+)", line (\d+)', said)):
        if Path(path).name in own and raised:
            return f"{project.source.parent / Path(path).name}:{line}: the module can't be loaded: {raised[-1].strip()}"
    short = said.partition("Stack backtrace:")[0].strip()
    return f"`componentize-py` could not make the component: {short}"
