"""A short soak of a cluster in network namespaces; `benchmarks.cluster_soak` runs long ones."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from benchmarks.cluster_soak import soak, table

SECONDS = float(os.environ.get("LYCOSA_SOAK_SECONDS", "60"))


@pytest.mark.soak
@pytest.mark.needs("network-namespaces")
@pytest.mark.parametrize("seed", [1, 3])
def test_nothing_is_lost_and_no_host_bothered_while_machines_break(
    seed: int, tmp_path: Path
) -> None:
    found = soak(seed, SECONDS, tmp_path)
    print(table([found]))
    assert found["clean"], (tmp_path / f"seed-{seed}.log").read_text()
