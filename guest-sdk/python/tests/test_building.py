"""What the build says of a project with a mistake. Needs no tool: `python -m unittest discover guest-sdk/python/tests`."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from building.capabilities import used_capabilities
from building.check import check
from building.mistake import Mistake
from building.project import Project

MANIFEST = 'name = "polite"\nlanguage = "python"\nsource = "polite.py"\nhooks = ["on-system-prompt"]\n'
GOOD = "def on_system_prompt(prompt):\n    return prompt\n"


class Building(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def project(self, source: str = GOOD, manifest: str = MANIFEST) -> Project:
        self.folder.joinpath("middleware.toml").write_text(manifest)
        self.folder.joinpath("polite.py").write_text(source)
        return Project.read(self.folder)

    def said(self, source: str = GOOD, manifest: str = MANIFEST) -> str:
        with self.assertRaises(Mistake) as raised:
            check(self.project(source, manifest))
        return str(raised.exception).replace(f"{self.folder}/", "")

    def test_a_project_without_mistakes_passes(self) -> None:
        check(self.project())
        check(self.project("import cepa\n@cepa.middleware\nclass A:\n    def on_system_prompt(self, prompt): ...\n"))

    def test_a_manifest_with_a_mistake_is_refused_with_its_line(self) -> None:
        for line, said in (
            ("hook = []", "middleware.toml:5: `hook` is unknown"),
            ("config-schema = 1", "middleware.toml:5: `config-schema` must be a text"),
            ('config-schema = "no.json"', "middleware.toml:5: `config-schema` names `no.json`, which is no file"),
            ("= 1", "middleware.toml:5: this is no TOML"),
        ):
            self.assertIn(said, self.said(manifest=MANIFEST + line + "\n"))
        for old, new, said in (
            ('"on-system-prompt"', '"on-prompt"', "middleware.toml:4: there is no hook `on-prompt`"),
            ('"on-system-prompt"', "", "middleware.toml:4: `hooks` is empty"),
            ('"on-system-prompt"', '"on-draft", "on-draft"', "middleware.toml:4: `on-draft` stands here twice"),
            ('"python"', '"js"', "middleware.toml:2: `language` is `js`, and this builds `python`"),
            ('name = "polite"\n', "", "middleware.toml: `name` is missing"),
            ('"polite"', '"Polite One"', "middleware.toml:1: `name` must be lower-case words"),
        ):
            self.assertIn(said, self.said(manifest=MANIFEST.replace(old, new, 1)))

    def test_a_schema_with_a_mistake_is_refused_with_its_line(self) -> None:
        manifest = MANIFEST + 'config-schema = "config.json"\n'
        for schema, said in (("{\n,", "config.json:2: this is no JSON"), ("[]", "config.json:1: this is no JSON Schema")):
            self.folder.joinpath("config.json").write_text(schema)
            self.assertIn(said, self.said(manifest=manifest))

    def test_a_source_with_a_mistake_is_refused_with_its_line(self) -> None:
        for source, said in (
            ("\ndef on_system_prompt(:\n", "polite.py:2: this is no Python"),
            ("X = 1\n", "polite.py:1: `hooks` names `on-system-prompt`, but the module has no `on_system_prompt`"),
            ("\nasync " + GOOD, "polite.py:2: `on_system_prompt` is `async`"),
            ("\n" + GOOD.replace("prompt):", "prompt, more):"), "polite.py:2: `on_system_prompt` takes other parameters"),
            ("import cepa\n@cepa.middleware\nclass A:\n    pass\n", "polite.py:3: `hooks` names `on-system-prompt`, but the class `A`"),
        ):
            self.assertIn(said, self.said(source))

    def test_only_what_is_taken_from_the_sdk_counts_as_used(self) -> None:
        for source, used in (
            ("import cepa\nindex = 1\ncepa.log.info('a')\n", []),
            ("import cepa as c\nc.state.get(1, 2)\n", ["state"]),
            ("from cepa import http, log\n", ["http"]),
            ("from cepa.state import Scope\n", ["state"]),
            ("from wit_world.imports import models\n", ["models"]),
        ):
            self.assertEqual(used_capabilities(self.project(source)), used, source)
        self.assertEqual(len(used_capabilities(self.project("from cepa import *\n"))), 9)


if __name__ == "__main__":
    unittest.main()
