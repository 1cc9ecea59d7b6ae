"""The results of checks as JSON, with the same members in a batch and with `--json`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lycosa.fetch.robots.lines import ExplainedRobots, Line
from lycosa.operate.checking.pages import CheckedLink, CheckedPage
from lycosa.operate.checking.robots import CheckedPath
from lycosa.operate.checking.scope import AskedRule, CheckedScope
from lycosa.operate.checking.urls import CheckedUrl

if TYPE_CHECKING:  # checks of files need no transport
    from lycosa.operate.checking.rendering import CheckedRender, Round
    from lycosa.operate.checking.single_fetch import AskedPage, AskedRobots

Table = dict[str, object]


def url_table(checked: CheckedUrl) -> Table:
    """Return the result for a URL."""
    steps = [step._asdict() for step in checked.steps]
    return checked._asdict() | {"steps": steps}


def robots_table(
    robots: ExplainedRobots, paths: list[CheckedPath], asked: AskedRobots | None = None
) -> Table:
    """Return the result for a robots file and some URLs."""
    table: Table = {
        "agent": robots.agent,
        "urls": [_path_table(path, asked is None or asked.is_reachable) for path in paths],
        "group": [_line_table(line) for line in robots.group],
        "is_named": robots.is_named,
        "crawl_delay_seconds": robots.rules.crawl_delay_seconds or None,
        "sitemaps": list(robots.rules.sitemaps),
        "remarks": [
            {**_line_table(remark.line), "why": remark.why, "is_ignored": remark.is_ignored}
            for remark in robots.remarks
        ],
    }
    if asked is not None:
        table |= {"file": asked.url, "note": asked.note, "is_reachable": asked.is_reachable}
    return table


def asked_table(asked: AskedPage) -> Table:
    """Return the verdict of a site's robots file on one of its pages."""
    path = CheckedPath(asked.robots.url, asked.decision)
    table = _path_table(path, asked.robots.is_reachable)
    del table["url"]
    return {"file": asked.robots.url, "note": asked.robots.note, **table}


def _line_table(line: Line) -> Table:
    return {"line": line.number, "text": line.text}


def _path_table(path: CheckedPath, is_reachable: bool) -> Table:
    decision = path.decision
    if decision is None:
        return {"url": path.url, "allowed": False, "refusal": path.refusal}
    return {
        "url": path.url,
        "allowed": decision.is_allowed and is_reachable,
        "rule": decision.line.text if decision.line else None,
        "line": decision.line.number if decision.line else None,
        "why": decision.why if is_reachable else "the robots file cannot be fetched",
    }


def page_table(page: CheckedPage) -> Table:
    """Return the result for a page."""
    facts = page.facts
    return {
        "outcome": page.outcome.name.lower(),
        "status": page.status,
        "content_type": page.content_type,
        "body_bytes": page.body_bytes,
        "charset": facts.charset or None,
        "charset_why": page.charset_reason or None,
        "base": page.base,
        "title": facts.title,
        "description": facts.description,
        "language": facts.language,
        "is_nofollow": page.is_nofollow,
        "is_noindex": page.is_noindex,
        "fingerprint": page.fingerprint,
        "text": facts.text,
        "structured": {
            "triples": page.structured.size,
            "forms": dict(page.structured.counts),
            "left_out": dict(page.structured.left_out),
            "ntriples": page.structured.triples.decode(),
        },
        "links": [_link_table(link) for link in page.kept_links],
        "refused": [
            {
                "href": link.href,
                "url": link.url,
                "kind": link.kind.name.lower(),
                "refusal": link.refusal,
            }
            for link in page.links
            if link.refusal is not None
        ],
    }


def _link_table(link: CheckedLink) -> Table:
    return {
        "url": link.url,
        "key": link.key,
        "kind": link.kind.name.lower(),
        "text": link.text,
        "rel": link.rel,
        "times": link.times,
    }


def scope_table(checked: CheckedScope) -> Table:
    """Return a verdict on a URL."""
    return {
        "in": checked.is_wanted,
        "reason": checked.reason,
        "why": checked.why,
        "rule": _rule_table(checked.rule) if checked.rule else None,
        "transforms": [_rule_table(rule) for rule in checked.transforms],
        "canonical": checked.canonical,
        "key": checked.key,
        "is_dynamic": checked.is_dynamic,
        "depth": checked.depth,
        "partition": checked.partition,
    }


def _rule_table(rule: AskedRule) -> Table:
    table: Table = {"number": rule.number, "text": rule.text}
    return table if rule.url is None else table | {"url": rule.url}


def render_table(checked: CheckedRender) -> Table:
    """Return the result for a page in the browser."""
    done = checked.done
    return {
        "url": checked.url,
        "ending": str(done.ending),
        "why": done.why(),
        "error": done.error,
        "rounds": [_round_table(one) for one in checked.rounds],
        "lacking": checked.lacking,
        "links": checked.links,
        "text_bytes_before": checked.text_before,
        "text_bytes_after": checked.text_after,
        "cpu_seconds": done.cpu_seconds,
        "memory_bytes": done.memory_bytes,
    }


def _round_table(one: Round) -> Table:
    done = one.done
    return {
        "ending": str(done.ending),
        "waited_for": list(one.waited),
        "seconds": done.seconds,
        "phases": done.phases,
        "clicked": done.clicked,
        "not_tried": done.untried,
        "reloads": done.reloads,
    }
