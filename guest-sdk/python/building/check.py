"""Finds mistakes in the source before it is built, where their lines are known."""

import ast
from pathlib import Path

from .hooks import HOOKS
from .mistake import Mistake
from .request import Request

Function = ast.FunctionDef | ast.AsyncFunctionDef


def check(request: Request) -> None:
    """The source is a module, all files parse, and it has the right function for each hook."""
    if request.source.suffix != ".py" or not request.source.stem.isidentifier():
        raise Mistake(f"`{request.source}` is no name of a Python module; call it such as `my_layer.py`")
    for path in request.modules():
        parse(path)
    file, tree = request.source, parse(request.source)
    cls = _middleware_class(tree)
    functions = _functions(cls or tree)
    for hook in request.hooks:
        for name, parameters in HOOKS[hook].items():
            wanted = f"def {name}({', '.join((('self',) if cls else ()) + parameters)})"
            if name in functions:
                _check_function(file, functions[name], wanted, len(parameters) + bool(cls))
            elif not _may_come_from_elsewhere(cls or tree, name):
                line = cls.lineno if cls else 1
                where = f"the class `{cls.name}`" if cls else "the module"
                raise Mistake(
                    f"{file}:{line}: `hooks` names `{hook}`, but {where} has no `{name}`; write `{wanted}`,"
                    " or take the hook out of `middleware.toml`"
                )


def parse(file: Path) -> ast.Module:
    try:
        return ast.parse(file.read_bytes(), str(file))
    except OSError as error:
        raise Mistake(f"{file}:1: this can't be read: {error.strerror}") from None
    except SyntaxError as error:
        raise Mistake(f"{file}:{error.lineno or 1}: this is no Python: {error.msg}") from None
    except ValueError as error:
        raise Mistake(f"{file}:1: this is no Python: {error}") from None


def _middleware_class(tree: ast.Module) -> ast.ClassDef | None:
    """The class under `@cepa.middleware`."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            names = (part.attr if isinstance(part, ast.Attribute) else getattr(part, "id", "") for part in node.decorator_list)
            if "middleware" in names:
                return node
    return None


def _functions(owner: ast.Module | ast.ClassDef) -> dict[str, Function]:
    return {node.name: node for node in owner.body if isinstance(node, Function)}


def _may_come_from_elsewhere(owner: ast.Module | ast.ClassDef, name: str) -> bool:
    """Whether something that this does not follow may bring it: a base class, an import, an assignment."""
    if isinstance(owner, ast.ClassDef) and owner.bases:
        return True
    for node in owner.body:
        if isinstance(node, ast.ImportFrom | ast.Import):
            if any((alias.asname or alias.name) in (name, "*") for alias in node.names):
                return True
        elif isinstance(node, ast.Assign):
            if any(isinstance(target, ast.Name) and target.id == name for target in node.targets):
                return True
    return False


def _check_function(file: Path, function: Function, wanted: str, count: int) -> None:
    where = f"{file}:{function.lineno}"
    if isinstance(function, ast.AsyncFunctionDef):
        raise Mistake(f"{where}: `{function.name}` is `async`, which hooks are not; write `{wanted}`")
    # A decorator may change what it takes, and a static method has no `self`.
    if function.decorator_list:
        return
    given = function.args
    most = len(given.posonlyargs) + len(given.args)
    least = most - len(given.defaults)
    named_only = any(default is None for default in given.kw_defaults)
    if least > count or (most < count and not given.vararg) or named_only:
        raise Mistake(f"{where}: `{function.name}` takes other parameters than its hook gives; write `{wanted}`")
