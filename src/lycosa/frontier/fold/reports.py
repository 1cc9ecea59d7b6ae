"""Reports of hosts, which go with a baton: the holder makes them, the next holder takes them in.

The rest of a host is a duration: the next holder counts it from the moment at which it reads the
report, by its own clock. When robots rules expire and when an origin is tried again are moments, as
they are when a partition passes to another machine.

Always true: after `learn` no host may be asked sooner than its last holder could have asked it.
"""

from __future__ import annotations

from msgspec.structs import replace

from lycosa.frontier.facts.batons import learn_site
from lycosa.frontier.fold.holdings import Holdings
from lycosa.model.records import BatonTaken, HostReport, Outcome, RobotsState, SiteReport


def report_of(holdings: Holdings, host: int, rest_seconds: float) -> HostReport | None:
    """Return what is known of a host, or None when nothing is that others must know."""
    hosts = holdings.hosts
    sites = [
        report
        for site in holdings.sites_of(host)
        if (report := _site_report(holdings, site)) is not None
    ]
    sites += holdings.batons.others.get(host, {}).values()
    strikes, closed, kept = hosts.strikes[host], hosts.closed[host], hosts.kept[host]
    if not (rest_seconds or strikes or closed or kept or sites):
        return None
    is_announced = bool(hosts.announced[host])
    name = holdings.host_names[host]
    return HostReport(name, rest_seconds, strikes, is_announced, closed, kept, sites)


def _site_report(holdings: Holdings, site: int) -> SiteReport | None:
    sites = holdings.sites
    robots, strikes, closed = sites.robots[site], sites.strikes[site], sites.closed[site]
    if not (robots or strikes or closed):
        return None
    return SiteReport(
        holdings.site_names[site],
        RobotsState(robots),
        sites.robots_tries[site],
        sites.robots_expires[site],
        sites.crawl_delay[site],
        holdings.rules.get(site, b""),
        strikes,
        sites.due[site],
        closed,
    )


def learn(holdings: Holdings, event: BatonTaken) -> None:
    """Take in what others know of hosts and their sites.

    A site that is closed anywhere is closed here, too, unless another cycle gave it up for the time
    being. The end of a redirect of a robots file that came before the baton stays.
    """
    if not event.is_held:
        for report in event.hosts:
            _announce(holdings, report)
        return
    is_same_cycle = event.cycle == holdings.history.cycle
    for report in event.hosts:
        host = holdings.host_for(report.name)
        _learn_host(holdings, host, report, event.moment)
        for known in report.sites:
            if known.closed and _is_for_now(known) and not is_same_cycle:
                known = replace(known, closed=0)
            _learn_site(holdings, host, known)


def _announce(holdings: Holdings, report: HostReport) -> None:
    """Expect news of robots files, or close a host, without its baton."""
    host = holdings.host_for(report.name)
    if report.closed:
        _close(holdings, host, report.closed)
    for known in report.sites:
        site = holdings.site_number(known.name)
        if site is None:
            holdings.batons.others.setdefault(host, {})[known.name] = known
        else:
            holdings.sites.robots[site] = known.robots
        holdings.batons.news.add(known.name)


def _learn_host(holdings: Holdings, host: int, report: HostReport, moment: float) -> None:
    hosts = holdings.hosts
    hosts.due[host] = max(hosts.due[host], moment + report.rest_seconds)
    hosts.strikes[host] = report.strikes
    hosts.announced[host] = report.is_announced
    hosts.kept[host] = max(hosts.kept[host], report.kept)
    if report.closed and not hosts.closed[host]:
        _close(holdings, host, report.closed)


def _close(holdings: Holdings, host: int, closed: int) -> None:
    holdings.hosts.closed[host] = closed
    holdings.guesses.closed(host)
    for site in holdings.sites_of(host):
        holdings.close(site, Outcome(closed))


def _learn_site(holdings: Holdings, host: int, known: SiteReport) -> None:
    batons, site = holdings.batons, holdings.site_number(known.name)
    is_older = known.robots is RobotsState.ELSEWHERE and known.name in batons.news
    batons.news.discard(known.name)
    if site is None:
        others = batons.others.setdefault(host, {})
        if not is_older or known.name not in others:
            closed = 0 if _is_for_now(known) else known.closed
            others[known.name] = replace(known, closed=closed)
        return
    if is_older:
        known = replace(known, robots=RobotsState.UNKNOWN)
    learn_site(holdings.sites, holdings.rules, site, known)
    if known.closed and not holdings.sites.closed[site]:
        holdings.close(site, Outcome(known.closed))


def _is_for_now(known: SiteReport) -> bool:
    """Return whether a site was given up for the time being, as in `given_up_for_now`."""
    return known.closed == Outcome.UNREACHABLE or (
        known.closed == Outcome.ROBOTS_UNREACHABLE and known.robots is not RobotsState.GIVEN_UP
    )
