"""Which of the capabilities that must be granted a project uses."""

import ast

from .check import parse
from .request import Request

CAPABILITIES = (
    "agents", "conversation", "http", "index", "models", "state", "telemetry", "tools", "workspace",
)  # fmt: skip


def used_capabilities(request: Request) -> list[str]:
    """Those that are taken from `cepa` or from the bindings below it in any module of the project."""
    used = {name for path in request.modules() for name in _taken(parse(path))}
    return [name for name in CAPABILITIES if name in used or "*" in used]


def _taken(tree: ast.Module) -> set[str]:
    taken, sdk = set[str](), set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                root, *below = alias.name.split(".")
                if root in ("cepa", "wit_world"):
                    sdk.add(alias.asname or root)
                    taken.update(below)
        elif isinstance(node, ast.ImportFrom) and node.module:
            root, *below = node.module.split(".")
            if root in ("cepa", "wit_world"):
                taken.update(below, (alias.name for alias in node.names))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in sdk:
            taken.add(node.attr)
    return taken
