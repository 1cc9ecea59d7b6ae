"""The jobs whose cost is counted: one plain, many hosts, TLS, and one for each feature."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from benchmarks.budget.fixed_web import Shape


class Fixed(NamedTuple):
    """A crawl of the fixed web."""

    hosts: int = 1
    shape: Shape = Shape()
    options: tuple[str, ...] = ()
    """What the job has beside that of the race; `FOLDER` stands for the folder of the run."""
    files: tuple[str, ...] = ()
    """What it needs beside the web (`prepared`)."""
    needs_numpy: bool = False
    """Whether it needs NumPy, which callgrind cannot read: then its instructions are not known."""

    @property
    def scheme(self) -> str:
        return "https" if "certificate" in self.files else "http"

    def command(self, addresses: list[str], port: int, pages: int, folder: Path) -> list[str]:
        """Return the arguments of `lycosa`."""
        names = [f"h{number}.fixed.test" for number in range(1, len(addresses) + 1)]
        sites = [f"{self.scheme}://{name}/" for name in names]
        lines = [f"{address} {name}" for address, name in zip(addresses, names, strict=True)]
        usual = 443 if self.scheme == "https" else 80
        (folder / "hosts").write_text("\n".join([*lines, f"port {usual} {port}", ""]))
        (folder / "seeds").write_text("".join(f"{site}\n" for site in sites))
        command = ["crawl", "--seeds", str(folder / "seeds"), "-o", str(folder / "crawl")]
        for site in sites:
            command += ["--include", site]
        command += ["--allow-private", "--workers", "1", "--delay", "0", "--ip-delay", "0"]
        command += ["--connections", "64", "--depth", "3000", "--max-pages", str(pages)]
        for setting in ("politeness.answer_time_factor=0", "limits.host_pages=0"):
            command += ["--set", setting]
        command += ["--set", f"fetch.hosts_file={folder / 'hosts'}"]
        if "--mining" not in self.options:
            command += ["--mining", "off"]
        command += [option.replace("FOLDER", str(folder)) for option in self.options]
        return [*command, "--quiet", "--json"]

    def resume_command(self, pages: int, folder: Path) -> list[str]:
        """Return the arguments of `lycosa` that go on with the crawl, up to so many pages."""
        return ["resume", str(folder / "crawl"), "--max-pages", str(pages), "--quiet", "--json"]


def _set(*settings: str) -> tuple[str, ...]:
    return tuple(word for setting in settings for word in ("--set", setting))


_SECURE = _set("fetch.ca_file=FOLDER/authority.pem")
_TOPICS = ("--scheduler", "topics", *_set("topics.model=FOLDER/topics.model"))
_LOGIN = _set(
    "login.url=http://h1.fixed.test/login",
    "login.page=http://h1.fixed.test/login",
    'login.fields=["user=ann"]',
    'login.plain_fields=["user"]',
)
_STATISTICS = _set("statistics.file=FOLDER/figures.csv", "statistics.every_seconds=1")
_PLUGIN = _set('plugins.use=["wordcount"]')

TESTED = ("plain", "hosts", "tls")
"""The jobs that every run of the tests counts; what their pages call is kept by function."""
DECISIVE = ("plain", "hosts", "tls", "coded", "data")
"""The jobs that have a budget of instructions."""

JOBS = {
    "plain": Fixed(),
    "hosts": Fixed(hosts=64),
    "tls": Fixed(options=_SECURE, files=("certificate",)),
    "coded": Fixed(shape=Shape(is_coded=True), options=_SECURE, files=("certificate",)),
    "every": Fixed(
        shape=Shape(True, True, True, True, True),
        options=("--forms", "--mining", "full", *_TOPICS, *_LOGIN, *_STATISTICS, *_PLUGIN),
        files=("topics", "plugin"),
    ),
    "bare": Fixed(
        options=_set(
            "traps.budget=0",
            "traps.known_copies=false",
            "extract.soft_404_after=0",
            "robots.sitemaps=false",
            "structured.forms=[]",
        )
    ),
    "no_traps": Fixed(options=_set("traps.budget=0")),
    "no_data": Fixed(options=_set("structured.forms=[]")),
    "data": Fixed(shape=Shape(has_data=True)),
    "forms": Fixed(shape=Shape(has_forms=True), options=("--forms",)),
    "folders": Fixed(options=("--mining", "folders")),
    "mining": Fixed(options=("--mining", "full")),
    "cycles": Fixed(options=("--cycles", "2")),
    "window": Fixed(options=("--scheduler", "top-window")),
    "topics": Fixed(options=_TOPICS, files=("topics",)),
    "languages": Fixed(options=("--language", "en"), needs_numpy=True),
    "login": Fixed(shape=Shape(has_login=True), options=_LOGIN),
    "plugin": Fixed(options=_PLUGIN, files=("plugin",)),
    "sitemap": Fixed(shape=Shape(has_sitemap=True)),
    "soft_404": Fixed(shape=Shape(has_soft_404=True)),
    "statistics": Fixed(options=_STATISTICS),
}
