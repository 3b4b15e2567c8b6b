"""Makes the component: a world with just the middleware's exports, an entry module, and componentize-py."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from .capabilities import CAPABILITIES, used_capabilities
from .mistake import Mistake
from .request import Request

SDK = Path(__file__).resolve().parent.parent
# What the SDK itself needs. None of it must be granted.
ALWAYS = ("types", "events", "requests", "flow", "context", "log", "clock", "random")


def build(request: Request) -> None:
    """Writes the component."""
    work = request.work
    write_world(request, used_capabilities(request))
    # Copies, since the tool leaves compiled modules beside those that it reads.
    leave = shutil.ignore_patterns("target", "__pycache__", ".*")
    shutil.copytree(request.source.parent, work / "app", ignore=leave)
    shutil.copytree(SDK / "cepa", work / "sdk" / "cepa", ignore=leave)
    write_entry(request, work / "sdk" / "cepa_entry.py")
    # With its WASI stubbed the component imports none; the SDK gives the module `random` its seed anew.
    options = ["componentize", "--stub-wasi", "-p", "app", "-p", "sdk", "cepa_entry"]
    run_tool(request, [*options, "-o", str(request.output.resolve())])


def write_bindings(request: Request) -> None:
    """Writes the contract's types as Python modules, which a type checker reads beside the SDK."""
    write_world(request, list(CAPABILITIES))
    shutil.rmtree(request.bindings, ignore_errors=True)
    run_tool(request, ["bindings", str(request.bindings.resolve())])


def write_world(request: Request, capabilities: list[str]) -> None:
    """Imports what is used and no more, so that `cepa inspect` tells what the middleware needs granted."""
    exports = [*request.hooks, *(["configuration"] if request.schema else [])]
    of = f"{request.package}/{{}}@{request.version};\n".format
    lines = [f"  import {of(name)}" for name in [*ALWAYS, *capabilities]]
    lines += [f"  export {of(name)}" for name in exports]
    folder = request.work / "wit"
    folder.joinpath("deps").mkdir(parents=True)
    shutil.copytree(request.contract, folder / "deps" / "middleware")
    folder.joinpath("world.wit").write_text(
        f"package cepa:guest;\n\nworld guest {{\n{''.join(lines)}}}\n", encoding="utf-8"
    )


def write_entry(request: Request, file: Path) -> None:
    """The module that componentize-py looks for the exports in."""
    classes = ", ".join(hook.title().replace("-", "") for hook in request.hooks)
    lines = [
        f"from cepa.hooks import {classes}, configuration",
        "from cepa.middleware import use",
        f"import {request.source.stem} as author",
        "use(author)",
    ]
    if request.schema:
        lines.append(f"Configuration = configuration({request.schema.read_text(encoding='utf-8')!r})")
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def run_tool(request: Request, options: list[str]) -> None:
    tool = os.environ["CEPA_COMPONENTIZE_PY"]
    world = ["--quiet", "-d", "wit", "-w", "guest"]
    done = subprocess.run([tool, *world, *options], cwd=request.work, capture_output=True, text=True)
    if done.returncode:
        raise Mistake(explained(request, done.stdout + done.stderr))


def explained(request: Request, said: str) -> str:
    """What the author can do something about: a call of the host, the last own frame of a traceback, or all there is."""
    source = request.source
    if called := re.search(r"called trapping stub: cepa:middleware/([\w-]+)@[\d.]+#(.+)", said):
        what = f"`{called[1]}` of the host (`{called[2]}`) is called while the module is loaded"
        return f"{source}:1: {what}, when there is no host yet; call it in a hook"
    raised = re.findall(r"^(?:\w+\.)*\w*(?:Error|Exception)\b.*$", said, re.MULTILINE)
    own = {path.name for path in request.modules()}
    for path, line in reversed(re.findall(r'File "([^"]+)", line (\d+)', said)):
        if Path(path).name in own and raised:
            return f"{source.parent / Path(path).name}:{line}: the module can't be loaded: {raised[-1].strip()}"
    short = said.partition("Stack backtrace:")[0].strip()
    return f"`componentize-py` could not make the component: {short}"
