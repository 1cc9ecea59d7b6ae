"""What others are given to build Lycosa from: all of its sources."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
BUILD = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"


def test_a_source_distribution_has_every_file_of_the_package(tmp_path: Path) -> None:
    made = {"*.so", "__pycache__", "*.egg-info"}
    tree = tmp_path / "tree"
    shutil.copytree(ROOT / "src", tree / "src", ignore=shutil.ignore_patterns(*made))
    for file in ROOT.iterdir():
        if file.is_file():
            shutil.copy2(file, tree)
    command = [sys.executable, "-c", BUILD, str(tmp_path)]
    subprocess.run(command, cwd=tree, check=True, capture_output=True)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    sources = {
        str(file.relative_to(tree))
        for file in (tree / "src" / "lycosa").rglob("*")
        if file.is_file() and file.suffix != ".c"
    }
    assert any(name.endswith(".pxi") for name in sources)
    assert sources - names == set()
