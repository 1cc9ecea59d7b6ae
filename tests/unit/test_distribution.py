"""What others are given: all sources to build Lycosa from, or what runs and nothing else."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SDIST = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of what a distribution is made from."""
    folder = tmp_path_factory.mktemp("tree")
    made = {"*.so", "__pycache__", "*.egg-info"}
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns(*made))
    for file in ROOT.iterdir():
        if file.is_file():
            shutil.copy2(file, folder)
    return folder


def run(tree: Path, *words: str | Path) -> None:
    done = subprocess.run(
        [sys.executable, *map(str, words)], cwd=tree, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def package_files(tree: Path, *but: str) -> set[str]:
    """Return the files of both packages, but those with these endings."""
    return {
        str(file.relative_to(tree / "src"))
        for package in ("lycosa", "lycosa_testweb")
        for file in (tree / "src" / package).rglob("*")
        if file.is_file() and file.suffix not in but
    }


def test_a_source_distribution_has_every_file_of_the_package(tree: Path, tmp_path: Path) -> None:
    run(tree, "-c", SDIST, tmp_path)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    sources = {f"src/{name}" for name in package_files(tree, ".c")}
    assert any(name.endswith(".pxi") for name in sources)
    assert sources - names == set()


def test_a_wheel_has_no_sources_of_what_is_compiled(tree: Path, tmp_path: Path) -> None:
    """`build_py` gathers what goes into a wheel; `build_ext` adds the compiled modules."""
    run(tree, "setup.py", "-q", "build_py", "--build-lib", tmp_path)
    found = {str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*") if file.is_file()}
    assert found == package_files(tree, ".pyx", ".pxi", ".pxd", ".c")
    assert "lycosa/py.typed" in found
    assert "lycosa/model/url/_ada.pyi" in found
