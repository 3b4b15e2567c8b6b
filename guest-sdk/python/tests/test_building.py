"""What the build says of a mistake. Needs no tool: `python -m unittest discover guest-sdk/python/tests`."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SDK = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(SDK))

from building.capabilities import used_capabilities
from building.request import Request

GOOD = "def on_system_prompt(prompt):\n    return prompt\n"


class Building(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def request(self, source: str, name: str = "polite.py") -> Path:
        """What `cepa build` writes for a folder with this source."""
        project = self.folder / "project"
        project.mkdir(exist_ok=True)
        project.joinpath(name).write_text(source)
        shutil.rmtree(self.folder / "work", ignore_errors=True)
        self.folder.joinpath("work").mkdir()
        file = self.folder / "request.json"
        given = {
            "name": "polite",
            "folder": str(project),
            "source": str(project / name),
            "hooks": ["on-system-prompt"],
            "schema": None,
            "engine": None,
            "contract": str(SDK.parent.parent / "wit"),
            "package": "cepa:middleware",
            "version": "0.1.0",
            "work": str(self.folder / "work"),
            "output": str(self.folder / "made.wasm"),
        }
        file.write_text(json.dumps(given))
        return file

    def built(self, source: str, tool: str = "/bin/true", name: str = "polite.py") -> tuple[int, str]:
        """How the build ends with this in the place of `componentize-py`, and what it says."""
        command = [sys.executable, str(SDK / "build"), str(self.request(source, name))]
        done = subprocess.run(command, env={**os.environ, "CEPA_COMPONENTIZE_PY": tool}, capture_output=True, text=True)
        self.assertEqual(done.stdout, "")
        return done.returncode, done.stderr.replace(f"{self.folder}/project/", "")

    def tool(self, says: str) -> str:
        """A tool that says this and fails."""
        file = self.folder / "tool"
        file.write_text(f"#!/bin/sh\ncat <<'end' >&2\n{says}\nend\nexit 1\n")
        file.chmod(0o755)
        return str(file)

    def test_a_source_without_mistakes_passes(self) -> None:
        for source in (GOOD, "import cepa\n@cepa.middleware\nclass A:\n    def on_system_prompt(self, prompt): ...\n"):
            self.assertEqual(self.built(source), (0, ""))
            world = self.folder.joinpath("work/wit/world.wit").read_text()
            self.assertIn("export cepa:middleware/on-system-prompt@0.1.0;", world)

    def test_a_source_with_a_mistake_is_refused_with_its_line(self) -> None:
        for source, said in (
            ("\ndef on_system_prompt(:\n", "polite.py:2: this is no Python"),
            ("X = 1\n", "polite.py:1: `hooks` names `on-system-prompt`, but the module has no `on_system_prompt`"),
            ("\nasync " + GOOD, "polite.py:2: `on_system_prompt` is `async`"),
            ("\n" + GOOD.replace("prompt):", "prompt, more):"), "polite.py:2: `on_system_prompt` takes other parameters"),
            ("import cepa\n@cepa.middleware\nclass A:\n    pass\n", "polite.py:3: `hooks` names `on-system-prompt`, but the class `A`"),
        ):
            code, told = self.built(source)
            self.assertEqual((code, told[: len(said)]), (1, said))
        code, told = self.built(GOOD, name="my-layer.py")
        self.assertEqual((code, told[:14]), (1, "`my-layer.py` "))

    def test_what_the_tool_says_is_told_with_the_line(self) -> None:
        frames = 'Traceback (most recent call last):\n  File "/1/polite.py", line 1, in <module>\n'
        for says, said in (
            (f"{frames}ModuleNotFoundError: No module named 'no'", "polite.py:1: the module can't be loaded: ModuleNotFoundError"),
            ("called trapping stub: cepa:middleware/clock@0.1.0#now-ms", "polite.py:1: `clock` of the host (`now-ms`) is called"),
            ("the disk is full", "`componentize-py` could not make the component: the disk is full"),
        ):
            code, told = self.built(GOOD, self.tool(says))
            self.assertEqual((code, told[: len(said)]), (1, said))

    def test_what_is_no_mistake_of_the_author_has_a_trace(self) -> None:
        code, told = self.built(GOOD, "/no/such/tool")
        self.assertEqual(code, 2)
        self.assertIn("Traceback", told)

    def test_only_what_is_taken_from_the_sdk_counts_as_used(self) -> None:
        def used(source: str) -> list[str]:
            return used_capabilities(Request.read(self.request(source)))

        for source, found in (
            ("import cepa\nindex = 1\ncepa.log.info('a')\n", []),
            ("import cepa as c\nc.state.get(1, 2)\n", ["state"]),
            ("from cepa import http, log\n", ["http"]),
            ("from cepa.state import Scope\n", ["state"]),
            ("from wit_world.imports import models\n", ["models"]),
        ):
            self.assertEqual(used(source), found, source)
        self.assertEqual(len(used("from cepa import *\n")), 9)


if __name__ == "__main__":
    unittest.main()
