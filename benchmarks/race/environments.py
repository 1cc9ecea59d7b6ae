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
    return _environment("bench-venv", "bench.lock")


@functools.cache
def lycosa_environment() -> Path:
    """Return the environment of Lycosa, with what the working tree has at the moment."""
    environment = _environment("lycosa-venv", "run.lock")
    wheels = CACHE / "wheel"
    for leftover in (wheels, ROOT / "build" / "lib"):
        shutil.rmtree(leftover, ignore_errors=True)
    for leftover in (ROOT / "build").glob("lib.*"):
        shutil.rmtree(leftover)
    print("building Lycosa …", file=sys.stderr, flush=True)
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    _run([*build, "--wheel-dir", str(wheels), str(ROOT)])
    wheel = next(wheels.glob("lycosa-*.whl"))
    _install(environment, ["--no-deps", "--force-reinstall", str(wheel)])
    return environment


def _environment(name: str, lock: str) -> Path:
    environment, file = CACHE / name, REQUIREMENTS / lock
    content = file.read_bytes() + described().encode() + interpreter().encode()
    wanted = hashlib.sha256(content).hexdigest()
    stamp = environment / "installed"
    if stamp.exists() and stamp.read_text() == wanted:
        return environment
    print(f"installing requirements/{lock} …", file=sys.stderr, flush=True)
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
