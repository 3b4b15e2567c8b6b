"""What `cepa build` asks for, and the author's files that belong to it."""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Request:
    """A middleware before it is built. `cepa build` has read and checked its `middleware.toml`."""

    source: Path
    hooks: list[str]
    # A JSON Schema, which has been checked.
    schema: Path | None
    # The folder with the contract's files, their package and its version.
    contract: Path
    package: str
    version: str
    # An empty folder for whatever is written on the way.
    work: Path
    # Where the component goes, or else where the types for a type checker go.
    output: Path | None
    bindings: Path | None

    @classmethod
    def read(cls, file: Path) -> "Request":
        given = json.loads(file.read_text(encoding="utf-8"))

        def path(key: str) -> Path | None:
            return Path(given[key]) if given.get(key) else None

        return cls(
            source=Path(given["source"]),
            hooks=given["hooks"],
            schema=path("schema"),
            contract=Path(given["contract"]),
            package=given["package"],
            version=given["version"],
            work=Path(given["work"]),
            output=path("output"),
            bindings=path("bindings"),
        )

    def modules(self) -> list[Path]:
        """All Python files beside the source and below it, but for what was built and for hidden folders."""
        folder = self.source.parent
        return sorted(path for path in folder.glob("**/*.py") if not _left_out(path.relative_to(folder)))


def _left_out(path: Path) -> bool:
    return any(part == "target" or part.startswith(".") for part in path.parts)
