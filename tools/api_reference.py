"""Generates docs/reference/api.md from the signatures and docstrings of the public names.

It parses the source, because the texts below fields are lost when Python imports a module.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Iterator
from importlib import import_module
from itertools import pairwise

import lycosa
from lycosa import testing

_INTRODUCTION = """\
# The Python API

Everything that you can import by `from lycosa import …`, with arguments and results. Generated
from the code; the how-to pages have examples: [crawl and read from
Python](../howto/python-api.md), [write a plugin](../howto/write-a-plugin.md).
"""

_GIVEN = (
    ("lycosa.api.rows", "Text"),
    ("lycosa.storage.warc.record_reader", "Stored"),
    ("lycosa.analysis.text_search.results", "Results"),
    ("lycosa.analysis.text_search.results", "Hit"),
    ("lycosa.analysis.text_search.results", "Snippet"),
    ("lycosa.crawl.status.progress", "Progress"),
    ("lycosa.features.plugins.pages", "SeenLink"),
    ("lycosa.features.plugins.plugin", "Pending"),
    ("lycosa.frontier.schedulers", "Scheduler"),
)
"""Classes of the arguments and results of public names; programs do not import them."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def reference() -> str:
    """Return the page, as Markdown."""
    lines = [_INTRODUCTION]
    for name in lycosa.__all__:
        lines += _entry(getattr(lycosa, name).__module__, name, f"lycosa.{name}")
    lines += ["## For the tests of plugins", "", "`from lycosa.testing import …`", ""]
    for name in testing.__all__:
        lines += _entry("lycosa.testing", name, f"lycosa.testing.{name}", "###")
    lines += ["## Their arguments and results", "", "You use these, but do not import them.", ""]
    for module, name in _GIVEN:
        lines += _entry(module, name, name, "###")
    return "\n".join(lines).rstrip("\n") + "\n"


def _entry(module: str, name: str, shown: str, level: str = "##") -> Iterator[str]:
    import_module(module)
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    node = next(node for node in tree.body if getattr(node, "name", None) == name)
    yield f"{level} `{shown}`"
    yield ""
    if isinstance(node, ast.ClassDef):
        yield from _class(node)
    elif isinstance(node, _Function):
        yield from _code(_signature(node))
        yield from (_text(node), "")


def _class(node: ast.ClassDef) -> Iterator[str]:
    yield _text(node)
    yield ""
    begin = next((f for f in node.body if getattr(f, "name", "") == "__init__"), None)
    if isinstance(begin, _Function) and begin.args.args[1].arg == "directory":
        yield from _code(_signature(begin).replace("__init__", node.name).partition(" -> ")[0])
    for member, beneath in pairwise([*node.body, None]):
        if isinstance(member, ast.AnnAssign):
            name, kind = ast.unparse(member.target), ast.unparse(member.annotation)
            yield _field(name, kind, _beneath(beneath))
        elif isinstance(member, _Function) and _is_public(member.name):
            decorators = [ast.unparse(decorator) for decorator in member.decorator_list]
            if "property" in decorators:
                kind = ast.unparse(member.returns) if member.returns else ""
                yield _field(member.name, kind, _text(member))
            elif not any("setter" in decorator for decorator in decorators):
                yield _field(_signature(member), "", _text(member))
    yield from _attributes(begin)
    yield ""


def _attributes(begin: ast.stmt | None) -> Iterator[str]:
    """Yield the attributes that a constructor sets and that have a docstring."""
    body = begin.body if isinstance(begin, _Function) else []
    for member, beneath in pairwise(body):
        if isinstance(member, ast.AnnAssign) and (text := _beneath(beneath)):
            name = ast.unparse(member.target).removeprefix("self.")
            yield _field(name, ast.unparse(member.annotation), text)


def _is_public(name: str) -> bool:
    return not name.startswith("_") or name in ("__setitem__", "__getitem__")


def _field(name: str, kind: str, text: str) -> str:
    declared = f"`{name}: {kind}`" if kind else f"`{name}`"
    return f"* {declared}{': ' + ' '.join(text.split()) if text else ''}"


def _beneath(node: ast.stmt | None) -> str:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return " ".join(str(node.value.value).split())
    return ""


def _signature(node: _Function) -> str:
    arguments = node.args
    if arguments.args and arguments.args[0].arg in ("self", "cls"):
        arguments.args = arguments.args[1:]
    prefix = "async " if isinstance(node, ast.AsyncFunctionDef) else ""
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{prefix}{node.name}({ast.unparse(arguments)}){returns}"


def _code(signature: str) -> Iterator[str]:
    yield "```python"
    yield from textwrap.wrap(signature, 96, subsequent_indent="    ", break_long_words=False)
    yield "```"
    yield ""


def _text(node: _Function | ast.ClassDef) -> str:
    return ast.get_docstring(node) or ""
