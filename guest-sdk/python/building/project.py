"""Reads `middleware.toml`."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .mistake import Mistake

# Each export of the contract: the functions that the author writes for it, with their parameters.
HOOKS: dict[str, dict[str, tuple[str, ...]]] = {
    "on-reply": {"on_reply": ("request", "next", "out")},
    "on-reasoning": {"on_reasoning": ("request", "next", "out")},
    "on-model-call": {"on_model_call": ("request", "next", "out")},
    "on-acting": {"on_acting": ("request", "next", "out")},
    "on-compress-context": {"on_compress_context": ("request", "next", "out")},
    "on-check-permission": {"on_check_permission": ("request", "next")},
    "on-system-prompt": {"on_system_prompt": ("prompt",)},
    "on-events": {"kinds": (), "on_events": ("events",)},
    "on-draft": {"on_draft": ("draft",)},
    "tool-source": {"list_tools": (), "call_tool": ("request", "out")},
    "on-turn-end": {"on_turn_end": ("turn",)},
    "migrate-state": {"migrate_state": ("from_config",)},
}

KEYS = {"name": str, "language": str, "source": str, "hooks": list, "config-schema": str}
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


@dataclass
class Project:
    """A middleware before it is built."""

    folder: Path
    name: str
    source: Path
    hooks: list[str]
    schema: Path | None

    @classmethod
    def read(cls, folder: Path) -> "Project":
        return _Reader(folder / "middleware.toml").project()

    def modules(self) -> list[Path]:
        """All Python files beside the source and below it, but for what was built and for hidden folders."""
        folder = self.source.parent
        return sorted(path for path in folder.glob("**/*.py") if not _left_out(path.relative_to(folder)))


def _left_out(path: Path) -> bool:
    return any(part == "target" or part.startswith(".") for part in path.parts)


class _Reader:
    """The file, to say of each mistake where it stands."""

    def __init__(self, file: Path) -> None:
        self.file = file
        try:
            self.text = file.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise Mistake(f"{file}: there is no such file; name a folder that holds a `middleware.toml`") from None
        except (OSError, UnicodeDecodeError) as cause:
            raise Mistake(f"{file}: can't be read: {cause}") from None
        try:
            self.values = tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as cause:
            at = re.search(r"\(at line (\d+), column \d+\)", str(cause))
            line = at[1] if at else len(self.text.splitlines())
            what = re.sub(r" \(at [^)]*\)", "", str(cause)).lower()
            raise Mistake(f"{file}:{line}: this is no TOML: {what}") from None

    def project(self) -> Project:
        for key, value in self.values.items():
            if key not in KEYS:
                raise self.mistake(key, f"`{key}` is unknown; take it away, or use one of {_list(KEYS)}")
            if not isinstance(value, KEYS[key]):
                kind = "a list of texts" if KEYS[key] is list else "a text"
                raise self.mistake(key, f"`{key}` must be {kind}")
        if not NAME.fullmatch(self.needed("name")):
            raise self.mistake("name", "`name` must be lower-case words joined by `-`, such as `my-layer`")
        if (language := self.needed("language")) != "python":
            raise self.mistake("language", f"`language` is `{language}`, and this builds `python`")
        source = self.existing("source")
        if not source.stem.isidentifier() or source.suffix != ".py":
            raise self.mistake("source", "`source` must be a Python module, such as `my_layer.py`")
        schema = self.existing("config-schema") if "config-schema" in self.values else None
        return Project(self.file.parent, self.values["name"], source, self.hooks(), schema)

    def hooks(self) -> list[str]:
        hooks = self.needed("hooks")
        if not hooks:
            raise self.mistake("hooks", f"`hooks` is empty; name at least one of {_list(HOOKS)}")
        for hook in hooks:
            if hook not in HOOKS:
                raise self.mistake("hooks", f"there is no hook `{hook}`; there are {_list(HOOKS)}")
            if hooks.count(hook) > 1:
                raise self.mistake("hooks", f"`{hook}` stands here twice; take one away")
        return hooks

    def needed(self, key: str) -> Any:
        if key not in self.values:
            raise Mistake(f"{self.file}: `{key}` is missing; add it")
        return self.values[key]

    def existing(self, key: str) -> Path:
        path = self.file.parent / self.needed(key)
        if not path.is_file():
            raise self.mistake(key, f"`{key}` names `{self.values[key]}`, which is no file in this folder")
        return path

    def mistake(self, key: str, what: str) -> Mistake:
        written = re.compile(rf"\s*\[*\s*[\"']?{re.escape(key)}[\"']?\s*[\].=]")
        lines = self.text.splitlines()
        line = next((at for at, text in enumerate(lines, 1) if written.match(text)), 1)
        return Mistake(f"{self.file}:{line}: {what}")


def _list(names: Any) -> str:
    return ", ".join(f"`{name}`" for name in names)
