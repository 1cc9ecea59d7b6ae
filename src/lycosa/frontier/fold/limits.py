"""Applies other limits to the state of a partition: the job was changed between two runs.

A larger depth lets the links of known pages be read again, and a larger number of pages of a host
opens the hosts that were full. Smaller limits hold for what is found from now on.
"""

from __future__ import annotations

from lycosa.frontier.fold.holdings import Holdings
from lycosa.model.job import DigestedLimits
from lycosa.model.records import Outcome

FULL = int(Outcome.HOST_LIMIT)


def apply_limits(state: Holdings, limits: DigestedLimits) -> None:
    """Follow the limits of another job."""
    depths = limits.depth_static, limits.depth_dynamic
    # The log of an older Lycosa does not say by which limits links were refused: by any.
    unknown = (0, 0) if state.refusals["too-deep"] else depths
    state.limits.adopt(depths, state.limits.depths or unknown, len(state.pages.site))
    if FULL in state.hosts.closed:
        for host, closed in enumerate(state.hosts.closed):
            has_room = not limits.host_pages or state.hosts.kept[host] < limits.host_pages
            if closed == FULL and has_room:
                state.hosts.closed[host] = 0
                for site in state.sites_of(host):
                    state.open(site)
