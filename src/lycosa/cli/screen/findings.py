"""Prints the results of `lycosa check`: facts below each other, then tables.

Control characters in text from the web are escaped.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from lycosa._support.safe_text import on_screen
from lycosa.cli.amounts import counted, duration_text, size_text
from lycosa.cli.screen.summary import facts_table
from lycosa.crawl.status.words import with_code
from lycosa.extract.structured.counts import REASONS
from lycosa.extract.structured.distiller import Found
from lycosa.fetch.robots.lines import Decision, ExplainedRobots, Line, Remark
from lycosa.model.records import Outcome
from lycosa.operate.checking.pages import NO_BASE, CheckedLink, CheckedPage
from lycosa.operate.checking.robots import OTHER_SITE, CheckedPath
from lycosa.operate.checking.scope import AskedRule, CheckedScope
from lycosa.operate.checking.urls import REFUSALS, CheckedUrl

if TYPE_CHECKING:
    from lycosa.operate.checking.rendering import CheckedRender, Round
    from lycosa.operate.checking.single_fetch import AskedPage, AskedRobots

MOST_ROWS = 40
"""How many links of a kind are listed; --json lists all."""

_SHOWN_TEXT = 300
_YES, _NO = "bold green", "bold red"
_REFUSALS = REFUSALS | {
    NO_BASE: "it is relative; give the URL of the page with --url",
    OTHER_SITE: "its site has a robots file of its own",
    "nofollow": "the page asks not to follow it",
    "out-of-scope": "no rule of the job accepts it",
}


def url_findings(checked: CheckedUrl, partitions: int) -> RenderableType:
    """Show the canonical form of a URL and the steps to it."""
    facts = [("given", _visible(checked.url))]
    if checked.base is not None:
        facts.append(("base", _visible(checked.base)))
    if checked.canonical is None:
        reason = checked.refusal or ""
        facts += [("reason", REFUSALS[reason]), ("counted as", with_code(reason))]
        return _page(Text(f"{_visible(checked.url)}: refused", _NO), facts)
    facts += [
        ("canonical", checked.canonical),
        ("key", checked.key or ""),
        ("id", str(checked.url_id)),
        ("host", checked.host or ""),
        ("site", checked.site or ""),
        ("partition", f"{checked.partition} of {partitions}"),
        ("kind", _kind(checked.is_dynamic)),
    ]
    parts: list[RenderableType] = [_page(Text(checked.canonical, _YES), facts)]
    if not checked.steps:
        parts.append(Text("\nThe URL is already canonical."))
    else:
        table = _grid("yellow")
        for step in checked.steps:
            table.add_row(step.what, Text(_visible(step.url)))
        parts += _section("changes", table)
    return Group(*parts)


def robots_findings(
    source: str, robots: ExplainedRobots, paths: list[CheckedPath], asked: AskedRobots | None
) -> RenderableType:
    """Show the rules of a robots file, its verdicts and its doubtful lines."""
    name = "standard input" if source == "-" else source
    facts = [("file", asked.url)] if asked is not None else []
    # Without a file there are no groups: the note says what holds instead.
    if asked is not None and asked.note:
        facts.append(("", asked.note))
    else:
        facts += [("read for", robots.agent), ("group", _group_text(robots))]
    if robots.rules.crawl_delay_seconds:
        facts.append(("delay", duration_text(robots.rules.crawl_delay_seconds)))
    if robots.rules.sitemaps:
        facts.append(("sitemaps", "\n".join(_line(one) for one in robots.rules.sitemaps)))
    parts: list[RenderableType] = [_page(Text(_line(name), "bold"), facts)]
    is_reachable = asked is None or asked.is_reachable
    if paths:
        table = _grid("")
        table.add_column(overflow="fold")
        for path in paths:
            table.add_row(*_verdict(path, asked.note if asked else "", is_reachable))
        parts += _section("verdicts", table)
    for title, is_ignored in (("lines without effect", True), ("possible mistakes", False)):
        found = [remark for remark in robots.remarks if remark.is_ignored is is_ignored]
        if found:
            parts += _section(title, _remarks(found))
    return Group(*parts)


def _group_text(robots: ExplainedRobots) -> str:
    if not robots.group:
        return f"no group for {robots.agent} or *: everything is allowed"
    lines = "\n".join(_numbered(line) for line in robots.group)
    return lines if robots.is_named else f"{lines}  (for all robots)"


def _verdict(path: CheckedPath, note: str, is_reachable: bool) -> tuple[Text, Text, Text]:
    url, decision = Text(_visible(path.url)), path.decision
    if decision is None:
        return Text("refused", _NO), url, Text(_because(path.refusal or ""))
    is_allowed = decision.is_allowed and is_reachable
    word = Text("allowed", _YES) if is_allowed else Text("disallowed", _NO)
    return word, url, Text("" if note else _decided(decision))


def _decided(decision: Decision) -> str:
    return decision.why if decision.line is None else _numbered(decision.line)


def _numbered(line: Line) -> str:
    return f"line {line.number}: {_shortened(_line(line.text), 100)}"


def _remarks(remarks: list[Remark]) -> Table:
    table = _grid("yellow")
    table.add_column(overflow="fold")
    for remark in remarks[:MOST_ROWS]:
        text = Text(_shortened(_line(remark.line.text), 60))
        table.add_row(f"line {remark.line.number}", text, Text(_line(remark.why)))
    if len(remarks) > MOST_ROWS:
        table.add_row("…", Text(f"and {len(remarks) - MOST_ROWS:,} more; all: --json"), "")
    return table


def page_findings(source: str, page: CheckedPage, asked: AskedPage | None) -> RenderableType:
    """Show what was read from a page, and its links."""
    facts = [("outcome", _outcome(page))]
    if asked is not None:
        why = asked.robots.note or _decided(asked.decision)
        facts.append(("robots", f"{asked.robots.url}\n{why}"))
    if page.status:
        kind = page.content_type or "none given, read as HTML"
        facts.append(("type", f"{_line(kind)}, {size_text(page.body_bytes)}"))
    if page.outcome is Outcome.KEPT:
        facts += _said(page)
        facts += _structured(page.structured)
    is_kept = page.outcome is Outcome.KEPT
    name = page.url or ("standard input" if source == "-" else source)
    parts: list[RenderableType] = [_page(Text(_line(name), _YES if is_kept else _NO), facts)]
    ordered = sorted(page.links, key=lambda link: (link.refusal is not None, link.kind))
    for (is_refused, kind), links in groupby(
        ordered, lambda one: (one.refusal is not None, one.kind)
    ):
        rows = list(links)
        what = kind.name.lower()
        title = f"{what}: {counted(len(rows), 'link')}" + (" not followed" if is_refused else "")
        parts += _section(title, _links(rows))
    return Group(*parts)


def _said(page: CheckedPage) -> list[tuple[str, str]]:
    facts = page.facts
    robots = [
        word
        for word, is_so in (("nofollow", page.is_nofollow), ("noindex", page.is_noindex))
        if is_so
    ]
    text = _shortened(_line(facts.text), _SHOWN_TEXT)
    found = [
        ("charset", f"{facts.charset}: {page.charset_reason}" if facts.charset else ""),
        ("base", _line(page.base or "")),
        ("title", _line(facts.title)),
        ("about", _line(facts.description)),
        ("language", _line(facts.language)),
        ("for robots", ", ".join(robots)),
        ("text", f"{len(facts.text):,} characters" + (f": {text}" if text else "")),
        ("fingerprint", f"{page.fingerprint:016x}"),
        ("links", f"{len(page.kept_links):,} of {len(page.links):,} would be followed"),
    ]
    return [(name, value) for name, value in found if value]


def _structured(found: Found) -> list[tuple[str, str]]:
    """Return the number of triples of a page by form, and what was left out."""
    facts = []
    if found.size:
        forms = ", ".join(f"{count:,} {form}" for form, count in found.counts.items())
        facts.append(("triples", f"{found.size:,} ({forms}); all: --json, or lycosa triples"))
    left = [f"{count:,} {REASONS[reason]}" for reason, count in found.left_out.items()]
    return [*facts, ("left out", "\n".join(left))] if left else facts


def _outcome(page: CheckedPage) -> str:
    name = with_code(page.outcome.name.lower())
    status = f" (status {page.status})" if page.status and page.outcome is not Outcome.KEPT else ""
    if page.outcome is Outcome.WRONG_TYPE:
        return f"{name}: the job does not keep it ([fetch] content_types)"
    return name + status


def _links(links: list[CheckedLink]) -> Table:
    table = _grid("dim", is_first_narrow=True)
    for link in links[:MOST_ROWS]:
        target = Text(_visible(link.href if link.url is None else link.url))
        if link.refusal is not None:
            target.append(f"\n{_because(link.refusal)}", "yellow")
        elif link.text:
            target.append(f"\n{_shortened(_line(link.text), 60)}", "dim")
        table.add_row(f"{link.times}×", target)
    if len(links) > MOST_ROWS:
        table.add_row("…", Text(f"and {len(links) - MOST_ROWS:,} more; all: --json"))
    return table


def render_findings(checked: CheckedRender, picture: str) -> RenderableType:
    """Show how a page ended in the browser, and what it has waited for."""
    done = checked.done
    ending = done.ending.replace("-", " ")
    style = "bold green" if checked.is_rendered else "bold red"
    why = done.why().partition("; loading")[0]
    facts = [("ending", ending + (f": {on_screen(why)}" if why else ""))]
    for number, one in enumerate(checked.rounds, 1):
        facts.append((f"round {number}", _round(one)))
    facts += [
        ("cost", f"{done.cpu_seconds:.2f} s of CPU, {size_text(done.memory_bytes)} at most"),
        (
            "text",
            f"{size_text(checked.text_before)} as it came, {size_text(checked.text_after)} now",
        ),
        ("links", ", ".join(f"{count:,} {how}" for how, count in checked.links.items()) or "none"),
    ]
    if done.error:
        facts.append(("error", _line(done.error)))
    if done.untried:
        facts.append(("not tried", counted(done.untried, "element")))
    facts += [("picture", picture)] if picture else []
    parts: list[RenderableType] = [_page(Text(_line(checked.url), style), facts)]
    waited = [url for one in checked.rounds for url in one.waited]
    came = [url for url in waited if url not in checked.lacking]
    for title, lines in (
        ("parts that it waited for", came),
        (
            "parts that it lacks",
            [f"{url}: {why.replace('_', ' ')}" for url, why in checked.lacking.items()],
        ),
    ):
        if lines:
            shown = lines[:MOST_ROWS]
            shown += (
                [f"… and {len(lines) - MOST_ROWS:,} more; all: --json"] if lines != shown else []
            )
            parts.append(Text(f"\n{title}", "bold"))
            parts += [Padding(Text(on_screen(line)), (0, 0, 0, 2)) for line in shown]
    return Group(*parts)


def _round(one: Round) -> str:
    phases = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in one.done.phases.items())
    what = [phases or f"{one.done.seconds:.2f} s"]
    if one.waited:
        what.insert(0, f"after {counted(len(one.waited), 'part')}")
    if one.done.clicked:
        what.append(counted(one.done.clicked, "click"))
    return "; ".join(what)


def scope_findings(checked: CheckedScope, partitions: int) -> RenderableType:
    """Show whether a URL is in scope, and why."""
    word = ": in" if checked.is_wanted else ": out"
    title = Text(_visible(checked.url) + word, _YES if checked.is_wanted else _NO)
    facts = [("reason", checked.why)]
    if checked.canonical is None:
        facts = [("reason", REFUSALS[checked.reason]), ("counted as", with_code(checked.reason))]
        return _page(title, facts)
    if checked.rule is not None:
        facts.append(("rule", _rule(checked.rule)))
    facts.append(("counted as", with_code(checked.reason)))
    facts += [("changed by", f"{_rule(rule)}\n→ {rule.url}") for rule in checked.transforms]
    facts += [
        ("canonical", checked.canonical),
        ("kind", f"{_kind(checked.is_dynamic)}; {_farthest(checked.depth or 0)}"),
        ("partition", f"{checked.partition} of {partitions}"),
    ]
    return _page(title, facts)


def _farthest(depth: int) -> str:
    return f"fetched up to {counted(depth, 'link')} from a seed" if depth else "only as a seed"


def _rule(rule: AskedRule) -> str:
    return f"number {rule.number}: {rule.text}"


def _because(reason: str) -> str:
    return f"{_REFUSALS[reason]} ({reason})" if reason in _REFUSALS else reason


def _kind(is_dynamic: bool | None) -> str:
    return "dynamic (it has a query)" if is_dynamic else "static (no query)"


def _page(title: Text, facts: list[tuple[str, str]]) -> RenderableType:
    return Group(title, Padding(facts_table(facts), (1, 0, 0, 2)))


def _section(title: str, table: Table) -> list[RenderableType]:
    return [Text(f"\n{title}", "bold"), Padding(table, (0, 0, 0, 2))]


def _grid(style: str, *, is_first_narrow: bool = False) -> Table:
    table = Table.grid(padding=(0, 3, 0, 0))
    table.add_column(style=style, justify="right" if is_first_narrow else "left")
    table.add_column(overflow="fold")
    return table


def _visible(text: str) -> str:
    """Return a URL so that spaces and control characters in it can be seen."""
    is_plain = text.isprintable() and text == text.strip()
    return _shortened(text if is_plain else ascii(text), 2000)


def _line(text: str) -> str:
    return " ".join(on_screen(text).split())


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
