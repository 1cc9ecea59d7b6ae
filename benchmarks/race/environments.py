"""The environments of the clients that are written in Python, made from lock files.

Each has one of its own, with what it needs and nothing else: Lycosa is built and installed as pip
would do it for a user, with the packages of `requirements/run.lock`; its rivals are in that of
`requirements/bench.lock`. The environment in which this runs has more in it, and some of that
would be loaded with every start (pyarrow loads numpy where it finds it).

All have the same interpreter: that of the distribution, from which wget2 and nginx are too, where
it is of our version; else the one that runs the race.
"""

from __future__ import annotations

import functools
import hashlib
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.machine import ROOT

REQUIREMENTS = ROOT / "requirements"
CACHE = ROOT / ".cache"
VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
DESCRIBE = """\
import platform, sysconfig
built = sysconfig.get_config_var("CONFIG_ARGS") or ""
is_fast = "--enable-optimizations" in built or "--prefix=/usr'" in built  # Debian has its own way
how = "" if is_fast else " (built without --enable-optimizations)"
print(f"Python {platform.python_version()}{how}")
"""


def interpreter() -> str:
    """Return the interpreter of all clients that need one."""
    of_the_system = Path(f"/usr/bin/python{VERSION}")
    return str(of_the_system) if of_the_system.exists() else sys.executable


def described() -> str:
    """Say which interpreter that is; one built without optimisation is slower by a tenth."""
    return _run([interpreter(), "-c", DESCRIBE]).strip()


@functools.cache
def bench_environment() -> Path:
    """Return the environment of the rivals, as it was locked; made once for each lock file."""
    return _environment("bench-venv", REQUIREMENTS / "bench.lock")


@functools.cache
def lycosa_environment(revision: str = "") -> Path:
    """Return the environment of Lycosa, with the working tree as it is or with a commit."""
    if revision:
        return _environment_of_commit(revision)
    environment = _environment("lycosa-venv", REQUIREMENTS / "run.lock")
    for leftover in (ROOT / "build" / "lib", *(ROOT / "build").glob("lib.*")):
        shutil.rmtree(leftover, ignore_errors=True)
    _install_built(environment, ROOT)
    return environment


def _environment_of_commit(revision: str) -> Path:
    """Build a commit with the packages that it had locked; a commit is built once."""
    name = _run(["git", "-C", str(ROOT), "rev-parse", "--short=8", f"{revision}^{{commit}}"])
    tree = CACHE / "commits" / name.strip()
    stamp = tree / "installed"
    if not stamp.exists():
        shutil.rmtree(tree, ignore_errors=True)
        tree.mkdir(parents=True)
        packed = tree.with_suffix(".tar")
        _run(["git", "-C", str(ROOT), "archive", f"--output={packed}", name.strip()])
        with tarfile.open(packed) as files:
            files.extractall(tree, filter="data")
        packed.unlink()
    environment = _environment(f"lycosa-{tree.name}-venv", tree / "requirements" / "run.lock")
    if not stamp.exists():
        _install_built(environment, tree)
        stamp.touch()
    return environment


def _install_built(environment: Path, tree: Path) -> None:
    print(f"building Lycosa in {tree.name} …", file=sys.stderr, flush=True)
    wheels = tree / ".cache" / "wheel"
    shutil.rmtree(wheels, ignore_errors=True)
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    _run([*build, "--wheel-dir", str(wheels), str(tree)])
    wheel = next(wheels.glob("lycosa-*.whl"))
    _install(environment, ["--no-deps", "--force-reinstall", str(wheel)])


def _environment(name: str, file: Path) -> Path:
    environment = CACHE / name
    content = file.read_bytes() + described().encode() + interpreter().encode()
    wanted = hashlib.sha256(content).hexdigest()
    stamp = environment / "installed"
    if stamp.exists() and stamp.read_text() == wanted:
        return environment
    print(f"installing {file.name} for {name} …", file=sys.stderr, flush=True)
    shutil.rmtree(environment, ignore_errors=True)
    _run([interpreter(), "-m", "venv", "--without-pip", str(environment)])
    _install(environment, ["--require-hashes", "-r", str(file)])
    stamp.write_text(wanted)
    return environment


def _install(environment: Path, what: Sequence[str]) -> None:
    pip = [sys.executable, "-m", "pip", "--python", str(environment / "bin" / "python")]
    _run([*pip, "install", "--quiet", "--disable-pip-version-check", *what])


def _run(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n  ended with {done.returncode}\n{done.stderr}")
    return done.stdout
