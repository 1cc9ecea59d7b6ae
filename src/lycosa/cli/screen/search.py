"""Prints the results of a search: titles, addresses, passages with the words marked, facets."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.text import Text

from lycosa.analysis.text_search.results import FOUND, NOTHING_ASKED
from lycosa.cli.amounts import counted
from lycosa.cli.screen.console import Screen
from lycosa.cli.screen.summary import command

if TYPE_CHECKING:
    from lycosa.analysis.text_search.results import Ask, Hit, Results

_FACET_VALUES = 5
_FLAGS = {"site": "site:", "language": "lang:", "type": "type:", "topic": "topic:"}


def print_results(path: Path, ask: Ask, results: Results) -> None:
    """Print the results, and the next commands."""
    screen = Screen()
    for note in results.notes:
        screen.print(Text(f"note: {note}", "yellow"), soft_wrap=True)
    if results.outcome == NOTHING_ASKED:
        screen.print("the query is empty: give a word, a phrase or a filter", soft_wrap=True)
        return
    screen.print(Text(_head(results), "bold"), soft_wrap=True)
    if results.did_you_mean:
        better = command("search", path, results.did_you_mean)
        screen.print(Text(f"did you mean: {better}", "yellow"), soft_wrap=True)
    if results.outcome != FOUND:
        return
    for number, hit in enumerate(results.hits, results.first):
        screen.print(_hit_text(number, hit), soft_wrap=True)
        if hit.snippet.text:
            screen.print(Padding(_passage(hit), (0, 0, 0, 4)))
    if facets := _facets(results):
        screen.print()
        for line in facets:
            screen.print(line, soft_wrap=True)
    last = results.first + len(results.hits) - 1
    if results.hits and last < results.total:
        more = command("search", path, ask.text, "--page", str(ask.page + 1))
        screen.print(Text(f"\nmore: {more}"), soft_wrap=True)


def _head(results: Results) -> str:
    found = f"{counted(results.total, 'page')} of {results.pages:,}"
    some = (
        "; few have all words, so pages with some of them are shown" if results.is_partial else ""
    )
    return f"{found} in {results.milliseconds:.0f} ms{some}"


def _hit_text(number: int, hit: Hit) -> Text:
    text = Text(f"\n{number:>2}  ")
    text.append(" ".join(hit.title.split()) or hit.url, "bold blue")
    text.append(f"\n    {hit.url}", "green")
    day = datetime.fromtimestamp(hit.moment, UTC).date().isoformat()
    facts = [day, hit.language, "" if hit.type == "html" else hit.type, hit.topic]
    text.append(f"  {' · '.join(fact for fact in facts if fact)}", "dim")
    if hit.copies:
        text.append(f"\n    the same at {', '.join(hit.copies)}", "dim")
    if hit.more_of_site:
        text.append(f"\n    {hit.more_of_site:,} more: site:{hit.host}", "dim")
    return text


def _passage(hit: Hit) -> Text:
    text = Text(hit.snippet.text)
    for begin, end in hit.snippet.marks:
        text.stylize("bold yellow", begin, end)
    return text


def _facets(results: Results) -> list[Text]:
    lines = []
    for name, values in results.facets.items():
        if len(values) > 1:
            shown = ", ".join(f"{value} {count:,}" for value, count in values[:_FACET_VALUES])
            lines.append(Text(f"{_FLAGS[name]:<7}{shown}", "dim"))
    return lines
