"""Files that jobs need beside the web: a certificate, a model of topics, a plugin.

They are made once for all runs of a process, so that two runs find the same ones.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from benchmarks.budget.fixed_web import WORDS

ROOT = Path(__file__).parents[2]
PAGES_A_TOPIC = 60
_PLUGIN = ROOT / "examples" / "wordcount-plugin" / "lycosa_wordcount.py"

Files = Mapping[str, bytes]


@cache
def files_of(kind: str, source: Path) -> Files:
    """Return files of one kind by name; `source` is the `src` folder that makes the model."""
    return _MAKERS[kind](source)


def _certificate(_: Path) -> Files:
    """Return a certificate for all hosts of the fixed web, and whom to believe."""
    import trustme

    authority = trustme.CA(organization_name="Fixed web")
    issued = authority.issue_cert("*.fixed.test")
    return {
        "authority.pem": authority.cert_pem.bytes(),
        "server.pem": issued.private_key_and_cert_chain_pem.bytes(),
    }


def _topics(source: Path) -> Files:
    """Return a model of two topics, each with half of the fixed web's words."""
    chance = random.Random(0)
    half = len(WORDS) // 2
    with tempfile.TemporaryDirectory() as name:
        tree, model = Path(name) / "tree", Path(name) / "topics.model"
        for topic, words in (("data", WORDS[:half]), ("control", WORDS[half:])):
            (tree / topic).mkdir(parents=True)
            for number in range(PAGES_A_TOPIC):
                text = " ".join(chance.choices(words, k=60))
                page = f"<!DOCTYPE html><title>{topic} {number}</title><p>{text}</p>"
                (tree / topic / f"{number}.html").write_text(page)
        train = [sys.executable, "-m", "lycosa", "topics", "train", "--pools", str(tree)]
        subprocess.run(
            [*train, "--out", str(model)],
            env={
                "PATH": os.environ["PATH"],
                "PYTHONPATH": str(source),
                "PYTHONHASHSEED": "0",
                "HOME": name,
            },
            check=True,
            capture_output=True,
        )
        return {model.name: model.read_bytes()}


def _plugin(_: Path) -> Files:
    """Return the example of a plugin as it would be installed."""
    about = f"{_PLUGIN.stem}-1.0.dist-info"
    return {
        _PLUGIN.name: _PLUGIN.read_bytes(),
        f"{about}/METADATA": b"Metadata-Version: 2.1\nName: lycosa-wordcount\nVersion: 1.0\n",
        f"{about}/entry_points.txt": b"[lycosa.plugins]\nwordcount = lycosa_wordcount:plugin\n",
    }


_MAKERS: dict[str, Callable[[Path], Files]] = {
    "certificate": _certificate,
    "topics": _topics,
    "plugin": _plugin,
}
