"""Compiled parts that are broken on purpose: a changed source, built and loaded in its place.

Attributes of extension types cannot be patched, so a mutant of a compiled part is an edit of its
source. The changed module is built apart and kept by its content; a process of its own loads it
where the real one would be. Modules that use its C functions find them in the changed one.
"""

from __future__ import annotations

import hashlib
import importlib.machinery
import importlib.util
import os
import platform
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
BUILDS = ROOT / "build" / "mutants"


class Edit(NamedTuple):
    """One place of a compiled module made wrong."""

    name: str
    module: str
    old: str
    """Occurs exactly once in the source."""
    new: str
    part: str = ""
    """The included file that is changed, if it is not the module's own."""

    def main(self) -> Path:
        """Return the module's own file."""
        return SOURCE / f"{self.module.replace('.', '/')}.pyx"

    def source(self) -> Path:
        """Return the file that is changed, as it is."""
        return self.main().with_name(self.part) if self.part else self.main()

    def changed(self) -> str:
        """Return the source with the edit."""
        text = self.source().read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            count = text.count(self.old)
            raise ValueError(f"{self.name}: {self.old!r} is {count} times in {self.module}")
        return text.replace(self.old, self.new)


def built(edit: Edit) -> Path:
    """Return the changed module as a shared library, which is built unless it is there."""
    library = BUILDS / f"{_digest(edit)}.so"
    if not library.exists():
        BUILDS.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=BUILDS) as folder:
            # Several processes may build the same one; the last of them replaces it by an equal.
            _build(edit, Path(folder)).replace(library)
    return library


def run_with(edit: Edit, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a Python program in a process that has the changed module in the place of the real one.

    The arguments are those of `python`, from `-c` or `-m` on.
    """
    loading = f"import broken_builds; broken_builds.take_in({edit.module!r}, {str(built(edit))!r})"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "sitecustomize.py").write_text(loading, encoding="utf-8")
        path = os.pathsep.join([folder, str(ROOT / "tests"), *filter(None, sys.path)])
        return subprocess.run(
            [sys.executable, *arguments],
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )


def take_in(module: str, library: str) -> None:
    """Load a module from this library when it is imported."""
    sys.meta_path.insert(0, _InItsPlace(module, library))


class _InItsPlace(MetaPathFinder):
    def __init__(self, module: str, library: str) -> None:
        self._module = module
        self._library = library

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._module:
            return None
        loader = importlib.machinery.ExtensionFileLoader(fullname, self._library)
        return importlib.util.spec_from_file_location(fullname, self._library, loader=loader)


def _digest(edit: Edit) -> str:
    """Return a name for everything that the library is made of."""
    digest = hashlib.sha256(
        f"{edit.module} {version('Cython')} {platform.python_version()}".encode()
    )
    digest.update(edit.main().read_bytes() + edit.changed().encode())
    for included in sorted((*SOURCE.rglob("*.pxd"), *SOURCE.rglob("*.pxi"), ROOT / "setup.py")):
        digest.update(included.read_bytes())
    return digest.hexdigest()


def _build(edit: Edit, folder: Path) -> Path:
    # The name of a folder of its own keeps `cythonize` from taking what another build has made.
    # What is included is looked for beside the module first: there is what is changed of it.
    changed = folder / edit.main().name
    changed.write_text(edit.main().read_text(encoding="utf-8"), encoding="utf-8")
    (folder / edit.source().name).write_text(edit.changed(), encoding="utf-8")
    build = "import sys, broken_builds; broken_builds.compile_here(*sys.argv[1:])"
    command = [sys.executable, "-c", build, edit.module, str(changed), str(edit.main().parent)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tests")}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{edit.name} cannot be built: {done.stdout}{done.stderr}")
    return next((folder / "lib").rglob("*.so"))


def compile_here(module: str, changed: str, beside: str) -> None:
    """Compile a changed module as `setup.py` does, but quickly, into `lib` of this folder."""
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension  # type: ignore[import-untyped]

    directives = runpy.run_path(str(ROOT / "setup.py"))["directives"]
    extension = Extension(module, [changed], extra_compile_args=["-O1"])
    made = cythonize(  # type: ignore[no-untyped-call]
        [extension], compiler_directives=directives, include_path=[beside, str(SOURCE)]
    )
    command = Distribution({"ext_modules": made}).get_command_obj("build_ext")
    command.build_lib, command.build_temp = "lib", "objects"
    command.ensure_finalized()
    command.run()
