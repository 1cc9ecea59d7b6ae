"""The house is what its documents say: rooms, modules, sizes, imports."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

from lycosa.model.job import Job
from offenders import none_of

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
TESTS = ROOT / "tests"
MOST_PACKAGES = 14
MOST_MODULES = 15
REVIEW_LINES = 400
MOST_BY_POSITION = 5
MOST_OF_A_RECORD = 7
REVIEWED = frozenset(
    [
        "_blocks.pxi",
        "_page_stages.pyx",
        "_scan.pyx",
        "_softmax.pyx",
        "_tables.pxi",
        "_wires.pyx",
        "cluster_simulation.py",
        "crawl.py",
        "curl.py",
        "directory.py",
        "events.py",
        "inspect.py",
        "log.py",
        "options.py",
        "papers.py",
        "plain_scan.py",
        "records.py",
        "runtime.py",
        "sealing.py",
        "sqlite.py",
        "test_build.py",
        "test_client.py",
        "test_fetch.py",
        "test_ledger.py",
        "test_logs.py",
        "test_mutants.py",
        "test_python_api.py",
        "unseen_form_webs.py",
        "worker.py",
    ]
)
"""Modules above the mark, by name. A further one is split, or entered here after a review."""
TO_BE_NAMED = frozenset(
    {
        ("carrier.py", "__init__"),
        ("child.py", "__init__"),
        ("marking.py", "_decide"),
        ("process.py", "__init__"),
        ("process.py", "_end"),
        ("run.py", "_crawl"),
        ("run.py", "_crawler"),
        ("taking.py", "take"),
    }
)
"""Functions whose further parameters are still given by position."""
OF_EVERY_ANSWER = frozenset(
    (
        "answers.py",
        "client.py",
        "ledger.py",
        "record_reader.py",
        "repair.py",
        "reports.py",
        "request_record.py",
        "worker.py",
    )
)
"""Modules that make a record of many fields for every answer, line or block."""
FILE_NAMES = (".toml", ".json", ".log", ".tex", ".pdf", ".svg")

FILES = re.compile(
    r"(?<![\w./-])(?:(?:src/)?lycosa(?:_testweb)?|tests|benchmarks)/[\w/]+\.(?:pyx?|pxi|md)\b"
)

CODE = sorted(
    path
    for suffix in ("py", "pyx", "pxi")
    for path in SOURCE.rglob(f"*.{suffix}")
    if "__pycache__" not in path.parts
)
PYTHON = [path for path in CODE if path.suffix == ".py"]
PACKAGES = [path.parent for path in PYTHON if path.name == "__init__.py"]
PACKAGES.remove(SOURCE / "lycosa")
DOCUMENTS = sorted(
    path
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/*.md")]
    if path.name not in ("CHANGELOG.md", "api.md")
)


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def name_of(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in CODE if path.suffix != ".pxi"}


def listed_in(package: Path) -> set[str]:
    story = ast.get_docstring(tree(package / "__init__.py")) or ""
    return set(re.findall(r"^ *(\w+)  +\S", story, re.MULTILINE))


def modules_of(package: Path) -> set[str]:
    there = {path.stem for path in package.iterdir() if path.suffix in (".py", ".pyx")} | {
        path.name for path in package.iterdir() if (path / "__init__.py").exists()
    }
    return there - {"__init__", "__main__"}


def test_the_layout_can_be_learned() -> None:
    """At most 14 packages beside the private one, two levels of folders, 15 modules in each."""
    tops = {package.name for package in PACKAGES if package.parent == SOURCE / "lycosa"}
    assert len(tops - {"_support"}) <= MOST_PACKAGES, sorted(tops)
    none_of(
        f"{package.relative_to(SOURCE)} is too deep"
        for package in PACKAGES
        if len(package.relative_to(SOURCE).parts) > 3
    )
    files = {
        package: {one.stem for one in package.iterdir() if one.suffix in (".py", ".pyx")}
        for package in PACKAGES
    }
    none_of(
        f"{package.relative_to(SOURCE)} has {len(names) - 1} modules"
        for package, names in files.items()
        if len(names) - 1 > MOST_MODULES
    )


def test_every_package_lists_all_its_modules() -> None:
    """The difference is what a package does not list, or lists and has not."""
    none_of(
        f"{package.relative_to(SOURCE)}: {module}"
        for package in PACKAGES
        for module in sorted(listed_in(package) ^ modules_of(package))
    )


def test_a_long_module_was_reviewed() -> None:
    beside = [path for folder in ("tests", "benchmarks") for path in (ROOT / folder).rglob("*.py")]
    none_of(
        f"{path.relative_to(ROOT)} has {lines} lines"
        for path in (*CODE, *beside)
        if (lines := path.read_text().count("\n")) > REVIEW_LINES and path.name not in REVIEWED
    )


def positional(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    return len([name for name in names if name not in ("self", "cls")])


def is_command(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether click calls it: then its parameters are the flags of a command."""
    return any("click." in ast.unparse(one) for one in function.decorator_list)


def test_no_function_takes_more_by_position_than_one_remembers() -> None:
    none_of(
        f"{path.relative_to(SOURCE)}: {node.name} takes {positional(node)}"
        for path in PYTHON
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and positional(node) > MOST_BY_POSITION
        and not is_command(node)
        and (path.name, node.name) not in TO_BE_NAMED
    )


def record_names() -> set[str]:
    """Return the names of classes that are tuples or structs."""
    return {
        node.name
        for path in PYTHON
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ClassDef)
        and any(re.search(r"NamedTuple|Struct", ast.unparse(base)) for base in node.bases)
    }


def test_large_records_are_made_by_keyword() -> None:
    """Records of every answer are made by position, because names cost time."""
    records = record_names()
    none_of(
        f"{path.relative_to(SOURCE)}:{node.lineno}: {node.func.id} with {len(node.args)} values"
        for path in PYTHON
        if path.name not in OF_EVERY_ANSWER
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in records
        and len(node.args) > MOST_OF_A_RECORD
    )


def imported(path: Path) -> Iterator[str]:
    """Yield the modules that a module imports anywhere, for types, too."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for one in node.names:
                inner = f"{node.module}.{one.name}"
                yield inner if inner in MODULES else node.module


def test_no_module_imports_itself_by_others() -> None:
    edges = {
        name: {found for found in imported(path) if found in MODULES and found != name}
        for name, path in MODULES.items()
        if path.suffix == ".py" and name != "lycosa"
    }
    for found in edges.values():
        found.discard("lycosa")  # gives the public names when they are first used
    TopologicalSorter(edges).prepare()  # raises CycleError with the modules of the circle


TOPS = "|".join(sorted({name.split(".")[1] for name in MODULES if name.startswith("lycosa.")}))
NAMES = re.compile(rf"(?<![\w./-])(?:(?:lycosa\.)?(?:{TOPS})|lycosa_testweb)(?:\.\w+)+(?![\w(])")
VARIABLES = ("web.", "model.")
"""Beginnings of names that code gives to its own objects, too: `web.truth`."""


def names_in(text: str) -> Iterator[str]:
    """Yield what a text says in typewriter letters that could be the name of a module."""
    for quoted in re.findall(r"`([^`\n]+)`", text):
        for name in NAMES.findall(quoted):
            is_own = name.startswith(VARIABLES) and name.count(".") == 1
            if not is_own and not name.endswith(FILE_NAMES):
                yield name


@cache
def exists(name: str) -> bool:
    parts = name.removeprefix("lycosa.").split(".")
    above = [] if parts[0] == "lycosa_testweb" else ["lycosa"]
    for cut in range(len(parts), 0, -1):
        path = MODULES.get(".".join([*above, *parts[:cut]]))
        if path is not None:
            rest = parts[cut : cut + 1]
            return not rest or re.search(rf"\b{rest[0]}\b", path.read_text()) is not None
    return False


@cache
def is_key(name: str) -> bool:
    """Return whether it is a key of a job: `fetch.connections`."""
    found: object = Job.of(seeds=["http://a.test/"])
    for part in name.split(".")[:2]:
        if not hasattr(found, part):
            return False
        found = getattr(found, part)
    return True


def missing_in(text: str) -> list[str]:
    """Return the modules and files that a text names and that are not there."""
    gone = [name for name in names_in(text) if not exists(name) and not is_key(name)]
    for found in FILES.findall(text):
        at = ROOT / "src" / found if found.startswith("lycosa") else ROOT / found
        gone += [found] if not at.exists() else []
    return gone


def test_every_module_that_a_text_names_is_there() -> None:
    none_of(
        f"{path.relative_to(ROOT)}: {name}"
        for path in [*DOCUMENTS, *CODE]
        for name in missing_in(path.read_text())
    )


def test_classes_are_decoded_into_in_one_place() -> None:
    """Elsewhere two threads may make msgspec look at a class at once, which ends the process."""
    looks = re.compile(
        r"(?:json|msgpack)\.(?:Decoder\(|decode\([^\n]*type=)|\bconvert\((?!self|value)"
    )
    none_of(
        name
        for name, path in MODULES.items()
        if name != "lycosa._support.decoders"
        and "msgspec" in (code := path.read_text())
        and looks.search(code)
    )


def test_tests_import_no_other_tests() -> None:
    """Helpers that several test modules need are plain modules beside them."""
    none_of(
        f"{path.relative_to(TESTS)} imports {name}"
        for path in sorted(TESTS.rglob("*.py"))
        for name in imported(path)
        if any(part.startswith("test_") for part in name.split("."))
    )
