"""The jobs whose cost is counted: one plain, many hosts, and one for each feature."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from benchmarks.budget.fixed_web import Shape


class Fixed(NamedTuple):
    """A crawl of the fixed web."""

    hosts: int = 1
    shape: Shape = Shape()
    options: tuple[str, ...] = ()
    """What the job has beside that of the race."""

    def command(self, addresses: list[str], port: int, pages: int, folder: Path) -> list[str]:
        """Return the arguments of `lycosa`."""
        names = [f"h{number}.fixed.test" for number in range(1, len(addresses) + 1)]
        lines = [f"{address} {name}" for address, name in zip(addresses, names, strict=True)]
        (folder / "hosts").write_text("\n".join([*lines, f"port 80 {port}", ""]))
        (folder / "seeds").write_text("".join(f"http://{name}/\n" for name in names))
        command = ["crawl", "--seeds", str(folder / "seeds"), "-o", str(folder / "crawl")]
        for name in names:
            command += ["--include", f"http://{name}/"]
        command += ["--allow-private", "--workers", "1", "--delay", "0", "--ip-delay", "0"]
        command += ["--connections", "64", "--depth", "3000", "--max-pages", str(pages)]
        for setting in ("politeness.answer_time_factor=0", "limits.host_pages=0"):
            command += ["--set", setting]
        command += ["--set", f"fetch.hosts_file={folder / 'hosts'}"]
        if "--mining" not in self.options:
            command += ["--mining", "off"]
        return [*command, *self.options, "--quiet", "--json"]


TESTED = ("plain", "hosts")
"""The jobs that every run of the tests counts; what their pages call is kept by function."""

JOBS = {
    "plain": Fixed(),
    "hosts": Fixed(hosts=64),
    "data": Fixed(shape=Shape(has_data=True)),
    "forms": Fixed(shape=Shape(has_forms=True), options=("--forms",)),
    "mining": Fixed(options=("--mining", "full")),
    "cycles": Fixed(options=("--cycles", "2")),
    "window": Fixed(options=("--scheduler", "top-window")),
}
