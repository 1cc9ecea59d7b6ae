"""Take the pictures of the README: a real crawl of manuals on this machine, and its report.

    .venv/bin/python docs/pictures/take_screens.py

Serves the manuals of Debian's packages apache2-doc, python3.11-doc and python-django-doc on
loopback, crawls them by the command in a terminal of 96 columns, and writes `panel.svg` (the
progress panel half way) and, by Chromium, `report.png` (a section of the report).
"""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from rich.console import Console
from rich.text import Text

PICTURES = Path(__file__).parent
MANUALS = {
    "httpd.manuals.test": "/usr/share/doc/apache2-doc/manual",
    "python.manuals.test": "/usr/share/doc/python3.11-doc/html",
    "django.manuals.test": "/usr/share/doc/python-django-doc/html",
}
PAGES = 2400
COLUMNS = 96
CHARACTER = (12.2, 24.4)
"""How large Rich draws one."""
REPORT_SIZE = "1040,560"
SCROLL = """<script>
const place = document.getElementById("in-degrees").getBoundingClientRect().top;
document.querySelector("main").style.marginTop = `${30 - place}px`;
document.querySelector("header").style.visibility = "hidden";
</script>"""
"""Chromium takes a picture of the top of a page alone."""
SVG = """\
<svg viewBox="-12 -10 WIDTH HEIGHT" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: Menlo, Consolas, DejaVu Sans Mono, monospace;
  font-size: {char_height}px; line-height: {line_height}px; }}
{styles}
</style>
<defs>{lines}</defs>
<rect x="-12" y="-10" width="100%" height="100%" rx="6" fill="#292929"/>
<g class="{unique_id}-matrix">
{backgrounds}
{matrix}
</g>
</svg>
"""
"""Rich's own form asks another host for a font and draws a window around the text."""


class Quiet(SimpleHTTPRequestHandler):
    """Files of one manual; a name such as `index.html.de` is a page."""

    protocol_version = "HTTP/1.1"

    def guess_type(self, path: str | os.PathLike[str]) -> str:
        """Say what a file is, as a web server of these manuals would."""
        is_page = re.search(r"\.html(\.[a-z-]+(\.[a-z0-9-]+)?)?$", os.fspath(path))
        return "text/html; charset=utf-8" if is_page else str(super().guess_type(path))

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def serve(folder: Path) -> Path:
    """Serve every manual on a loopback address of its own; returns the hosts file."""
    lines, port = [], 0
    for number, (host, manual) in enumerate(MANUALS.items(), 11):
        address = f"127.0.0.{number}"
        server = ThreadingHTTPServer((address, port), partial(Quiet, directory=manual))
        port = server.server_port
        threading.Thread(target=server.serve_forever, daemon=True).start()
        lines.append(f"{address} {host}\n")
    hosts = folder / "hosts"
    hosts.write_text("".join(lines) + f"port 80 {port}\n")
    return hosts


def in_terminal(command: list[str], folder: Path) -> str:
    """Run a command in a terminal; returns everything that it drew."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")
        os.execvp(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
    drawn = b""
    while True:
        try:
            drawn += os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
    os.waitpid(child, 0)
    os.close(terminal)
    return drawn.decode().replace("\r\n", "\n")


def draw(text: str, name: str) -> None:
    """Write a piece of what was drawn as a picture."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO())
    console.print(Text.from_ansi(text))
    width, height = COLUMNS * CHARACTER[0] + 24, (text.count("\n") + 1) * CHARACTER[1] + 20
    form = SVG.replace("WIDTH", f"{width:.0f}").replace("HEIGHT", f"{height:.0f}")
    svg = console.export_svg(title="", code_format=form, unique_id=name)
    (PICTURES / f"{name}.svg").write_text(svg, encoding="utf-8")


def photograph(report: Path) -> None:
    """Take a picture of a report, scrolled to one section."""
    text = re.sub(r"<meta http-equiv[^>]*>", "", report.read_text(encoding="utf-8"))
    scrolled = report.with_name("scrolled.html")
    scrolled.write_text(text.replace("</body>", SCROLL + "</body>"), encoding="utf-8")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    picture = f"--screenshot={PICTURES / 'report.png'}"
    size = f"--window-size={REPORT_SIZE}"
    subprocess.run(["chromium", *flags, size, picture, scrolled.as_uri()], check=True)


def main() -> None:
    """Crawl, draw, report, and take a photograph of the report."""
    lycosa = str(Path(sys.executable).parent / "lycosa")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        hosts = serve(folder)
        seeds = [f"http://{host}/" for host in MANUALS]
        drawn = in_terminal(
            [
                *(lycosa, "crawl", *seeds, "-o", "manuals", "--max-pages", str(PAGES)),
                *("--delay", "20ms", "--ip-delay", "0", "--allow-private"),
                *("--set", f"fetch.hosts_file={hosts}"),
                *("--set", "politeness.answer_time_factor=0"),
            ],
            folder,
        )
        panels = re.findall(r"\x1b\[[\d;]*m╭─.*?╰─[^╯]*╯", drawn, re.DOTALL)
        draw(panels[len(panels) // 2], "panel")
        subprocess.run([lycosa, "report", "manuals"], cwd=folder, check=True)
        photograph(folder / "manuals" / "report" / "index.html")


if __name__ == "__main__":
    main()
