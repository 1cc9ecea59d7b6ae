"""What the tools of others say to archives: `warcio check`, `fastwarc check`, `wacz validate`.

Their commands run in this process: a start of either costs more than most of the files.
"""

from __future__ import annotations

import io
import subprocess
import sys
import warnings
from contextlib import redirect_stdout
from pathlib import Path

import warcio.cli
from click.testing import CliRunner

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # fastwarc's own, while it is loaded
    import fastwarc.cli


def check_folder(folder: Path) -> None:
    """Let both judge every file of records of a crawl."""
    for path in sorted((folder / "warc").glob("*.warc.gz")):
        ask_warcio(path)
        ask_fastwarc(path)


def ask_warcio(path: Path) -> None:
    said = io.StringIO()
    code: object = None
    with redirect_stdout(said):
        try:
            warcio.cli.main(["check", str(path)])
        except SystemExit as end:
            code = end.code
    assert code == 0, f"warcio check {path}: {said.getvalue()}"


def ask_fastwarc(path: Path, *, with_payloads: bool = False) -> None:
    """Payloads only where none is of a revisit, which it takes for empty."""
    flags = ["--verify-payloads"] if with_payloads else []
    result = CliRunner().invoke(fastwarc.cli.main, ["check", "--quiet", *flags, str(path)])
    assert result.exit_code == 0, f"fastwarc check {path}: {result.output}{result.exception}"


def validate_wacz(file: Path, folder: Path) -> None:
    """Let the format's own validator judge a file; it is installed in the folder."""
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    install = [str(folder / "venv/bin/pip"), "install", "--quiet", "wacz==0.6.0"]
    subprocess.run(install, check=True, timeout=300, capture_output=True)
    command = [str(folder / "venv/bin/wacz"), "validate", "-f", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "is valid" in done.stdout, done.stdout + done.stderr
