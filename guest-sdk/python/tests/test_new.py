"""What a new project is begun with: a piece for each hook, which must fit alone and together."""

import sys
import tempfile
import unittest
from pathlib import Path

SDK = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(SDK))

from building.capabilities import used_capabilities
from building.check import check
from building.hooks import HOOKS
from building.request import Request

# A new project has no state to migrate.
BEGUN_WITH = [hook for hook in HOOKS if hook != "migrate-state"]


def piece(name: str) -> str:
    return SDK.joinpath("new", f"{name}.py.txt").read_text(encoding="utf-8")


class New(unittest.TestCase):
    def test_each_piece_fits_alone_and_all_fit_together(self) -> None:
        for hooks in [*([hook] for hook in BEGUN_WITH), BEGUN_WITH]:
            whole = "".join(map(piece, ["head", *hooks]))
            with self.subTest(hooks), tempfile.TemporaryDirectory() as folder:
                source = Path(folder, "say_please.py")
                source.write_text(whole.replace("{name}", "say-please").replace("{Name}", "SayPlease"))
                request = Request(source, hooks, None, Path(), "", "", Path(), None, None)
                check(request)
                self.assertEqual(used_capabilities(request), [])


if __name__ == "__main__":
    unittest.main()
