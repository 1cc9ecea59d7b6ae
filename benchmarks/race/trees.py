"""Unpacks the trees to crawl, and programs such as nginx and wget2, from Debian's packages.

A package is downloaded by its name from the repositories that the machine is configured with,
and unpacked into `.cache/race`; that needs no root. Programs that are installed are taken as
they are. Others are unpacked together with the libraries that apt says are missing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.machine import ROOT

CACHE = ROOT / ".cache" / "race"


@dataclass(frozen=True)
class Tree:
    """A folder of a package: where it is served from, and where a crawl begins and ends."""

    name: str
    package: str
    served: str
    scope: str
    start: str
    hosts: int = 0
    """Over how many hosts its pages are spread (`spread`); 0 if its links are as they came."""

    @property
    def root(self) -> Path:
        folder = f"spread-{self.hosts}" if self.hosts else ""
        return CACHE / folder / self.package / self.served


TREES = {
    "A": Tree(
        "A",
        "openjdk-17-doc",
        "usr/share/doc/openjdk-17-jre-headless/api",
        "/java.base/",
        "/java.base/module-summary.html",
    ),
    "B": Tree("B", "rust-doc", "usr/share/doc/rust-doc/html", "/core/", "/core/index.html"),
}


@dataclass(frozen=True)
class Program:
    """How a program is called, and what it needs in its environment."""

    path: str
    environment: Mapping[str, str]


def prepare(tree: Tree) -> Tree:
    """Make sure that the tree is there."""
    start = tree.root / tree.start.lstrip("/")
    if not start.exists():
        _unpack([tree.package], CACHE / tree.package)
    if not start.exists():
        raise SystemExit(
            f"{tree.package}: the package has no {tree.served}{tree.start}\n"
            f"  see where its pages are: find {CACHE / tree.package} -name '*.html' | head\n"
            f"  and correct TREES in {Path(__file__).name}"
        )
    return tree


def program(name: str, package: str) -> Program:
    """Return an installed program, or one that was unpacked from its package."""
    folders = os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin"
    installed = shutil.which(name, path=folders)
    if installed:
        return Program(installed, {})
    unpacked = CACHE / "programs" / package
    found = _executable(unpacked, name)
    if found is None:
        _unpack(_missing(package), unpacked)
        found = _executable(unpacked, name)
    if found is None:
        raise SystemExit(
            f"{package}: the package has no program `{name}`\n  try: apt install {package}"
        )
    libraries = sorted({str(file.parent) for file in unpacked.rglob("*.so.*")})
    return Program(str(found), {"LD_LIBRARY_PATH": ":".join(libraries)} if libraries else {})


def _executable(folder: Path, name: str) -> Path | None:
    for place in ("usr/sbin", "usr/bin", "bin", "sbin"):
        if (folder / place / name).exists():
            return folder / place / name
    return None


def _missing(package: str) -> list[str]:
    """Return the package and what it needs that is not installed, as apt sees it."""
    plan = _run(["apt-get", "--simulate", "--no-install-recommends", "install", package], [package])
    names = [line.split()[1] for line in plan.splitlines() if line.startswith("Inst ")]
    return names or [package]


def _unpack(packages: Sequence[str], folder: Path) -> None:
    print(f"unpacking {', '.join(packages)} …", file=sys.stderr, flush=True)
    debs = CACHE / "debs"
    debs.mkdir(parents=True, exist_ok=True)
    _run(["apt-get", "download", *packages], packages, debs)
    folder.mkdir(parents=True, exist_ok=True)
    for package in packages:
        newest = max(debs.glob(f"{package}_*.deb"), key=lambda file: file.stat().st_mtime)
        _run(["dpkg", "-x", str(newest), str(folder)], packages)


def _run(command: list[str], packages: Sequence[str], folder: Path = ROOT) -> str:
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=True, timeout=600
        )
    except (OSError, subprocess.SubprocessError) as error:
        said = (getattr(error, "stderr", "") or str(error)).strip()
        raise SystemExit(
            f"the Debian packages {', '.join(packages)} cannot be had: {' '.join(command[:2])}\n"
            f"{said}\n"
            "  the race needs a Debian with a repository that has them; "
            "`apt-get update` may be what is missing"
        ) from error
    return done.stdout
