"""ReplayWeb.page for the tests: the package of npm by its name, of one version with one digest.

It is free software of others under the AGPL, so it is no part of this repository: it is fetched
once into `.cache`.
"""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "replaywebpage@2.4.6"
SHA_512 = (
    "b86e748c449195dd29f9f63bfa753121697b86f7e29ab78d8d299a36473f6bd6"
    "bc8017666fb3c7e09e362226febe093d2ab1ddd072d27154fef8b82a5797f0a5"
)


def player() -> Path:
    """Return the folder with the player, fetched as the how-to page says."""
    cache = ROOT / ".cache"
    folder = cache / PACKAGE.replace("@", "-")
    cache.mkdir(exist_ok=True)
    (cache / ".gitignore").write_text("*\n")
    with (cache / "replaywebpage.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (folder / "package" / "sw.js").exists():
            return folder / "package"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        command = ["npm", "pack", "--silent", "--pack-destination", str(folder), PACKAGE]
        packed = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert packed.returncode == 0, packed.stderr
        (archive,) = folder.glob("*.tgz")
        assert hashlib.sha512(archive.read_bytes()).hexdigest() == SHA_512
        with tarfile.open(archive) as file:
            file.extractall(folder, filter="data")
    return folder / "package"
