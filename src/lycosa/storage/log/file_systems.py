"""Refuses to keep a log on a network file system.

SQLite's locks do not hold there, so two owners of one partition could both believe that their
append was the only one.
"""

from __future__ import annotations

from pathlib import Path

from lycosa.errors import LogError

_NETWORK = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "lustre", "gpfs"}
    | {"fuse.sshfs", "fuse.glusterfs"}
)


def refuse_network_file_system(folder: Path, mounts: Path = Path("/proc/self/mounts")) -> None:
    """Raise `LogError` when the folder would lie on a network file system."""
    if not mounts.exists():
        return
    wanted = str(folder.absolute().resolve())
    best, kind = "", ""
    for line in mounts.read_text().splitlines():
        fields = line.split(" ")
        point = fields[1].replace("\\040", " ")
        inside = wanted == point or wanted.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):
            best, kind = point, fields[2]
    if kind in _NETWORK:
        raise LogError(
            f"{folder}: lies on a network file system ({kind} at {best}), where SQLite's locks"
            " do not hold\n  choose a crawl directory on a local disk"
        )
