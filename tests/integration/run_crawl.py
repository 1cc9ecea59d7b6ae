"""A process to be killed: crawls the small test web in virtual time, from where it stands.

    python -m integration.run_crawl FOLDER SEED [FAILPOINT:N]

With a fail point it sends itself SIGKILL when that is reached for the n-th time. It ends
by itself when the crawl is done. Virtual time goes on where the last life's events ended.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from lycosa.simulation.conditions import Conditions
from lycosa.simulation.kills import KillPlan, no_kills
from lycosa.simulation.simulation import Simulation
from lycosa_testweb.generated.web import GeneratedWeb
from small_crawl import job_for


def sigkill_at(place: str) -> KillPlan:
    wanted, _, count = place.partition(":")
    left = int(count)

    def plan(name: str) -> bool:
        nonlocal left
        left -= name == wanted
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return False

    return plan


def main() -> None:
    folder, seed = Path(sys.argv[1]), int(sys.argv[2])
    web = GeneratedWeb.small(seed)
    simulation = Simulation(web, job_for(web), folder, seed=seed, log="sqlite")
    last = max(state.last_moment for state in simulation.read_states().values())
    begins_at = last + 1 if last else 1_700_000_000.0
    simulation = Simulation(
        web,
        job_for(web),
        folder,
        seed=seed,
        log="sqlite",
        conditions=Conditions(begins_at=begins_at),
    )
    print(simulation.run(sigkill_at(sys.argv[3]) if len(sys.argv) > 3 else no_kills).reason)


if __name__ == "__main__":
    main()
