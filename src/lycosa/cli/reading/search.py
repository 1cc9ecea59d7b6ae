"""The commands `index` and `search`."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from lycosa._support.safe_text import in_json
from lycosa.cli.amounts import counted
from lycosa.cli.input.options import directory_argument, json_flag
from lycosa.cli.screen.notices import Session, notice
from lycosa.cli.screen.output import line_on_screen
from lycosa.cli.screen.summary import command
from lycosa.runtime.directory import CrawlDirectory

if TYPE_CHECKING:
    from lycosa.analysis.text_index.index import TextIndexed, TextProgress
    from lycosa.analysis.triples.index import Indexed, Progress

_FIRST_QUERY = "SELECT ?type (COUNT(*) AS ?n) { ?s a ?type } GROUP BY ?type"
_TEXT, _TRIPLES = "text", "triples"


@click.command()
@directory_argument
@click.option(
    "--only",
    type=click.Choice((_TEXT, _TRIPLES)),
    help="Build only one index: full text, or triples.",
)
@click.option(
    "--anew", is_flag=True, help="Build the index from scratch, even if nothing has changed."
)
@json_flag
@click.pass_obj
def index(session: Session, /, path: Path, only: str | None, anew: bool, as_json: bool) -> None:
    """Build the indexes of a crawl: full text, and structured data.

    `lycosa search` reads the first, `lycosa sparql` the second. Loads the segments that were sealed
    since the last time; a page that was fetched again replaces its old version, and a page that is
    gone, has moved or asks for noindex is removed from the full text. Can be run while the crawl is
    running; if it is stopped, the next run continues where it was. Full text needs the extra
    `search`. With the extra `main-text` search ranks by the main text of pages, without navigation
    and footers. PDF files that the crawl has kept are read with the extra `documents`, office files
    always. The indexes are in DIR/index and can be deleted and rebuilt at any time.
    """
    from lycosa._support.extras import SEARCH, missing, require_search
    from lycosa.analysis.study.main_text import ENGINES, installed_version
    from lycosa.runtime.recovery.leftovers import seal_leftovers

    if only == _TEXT:
        require_search("lycosa index --only text")
    directory = CrawlDirectory.open(path)
    session.messages = directory.messages
    if directory.holder() is None and directory.has_begun:
        with directory.locked():
            seal_leftovers(directory, directory.job())
    told: dict[str, Any] = {"directory": str(path)}
    if only != _TEXT:
        triples = _index_triples(path, anew)
        told |= triples._asdict()
        if not as_json:
            _print_triples(path, triples)
    if only != _TRIPLES and not missing(SEARCH):
        engine = directory.job().extract.main_text
        if not as_json and not installed_version(engine):
            notice(
                f"main texts are left out: they need {engine}\n"
                f"  install, in the clone of Lycosa: pip install '.[{ENGINES[engine].extra}]'"
            )
        text = _index_text(directory, anew)
        from lycosa.analysis.documents.texts import outcomes_of_documents
        from lycosa.analysis.statistics.main_texts import outcomes_of_main_texts

        documents = outcomes_of_documents(path)
        mains = outcomes_of_main_texts(path, engine)
        told["text"] = text._asdict()
        told["main_texts"] = dict(mains.most_common())
        told["documents"] = dict(documents.most_common())
        if not as_json:
            _print_text(path, text)
            _print_main_texts(mains, engine)
            _print_documents(documents)
    elif only != _TRIPLES:
        notice(
            "full text is left out: it needs tantivy\n"
            "  install, in the clone of Lycosa: pip install '.[search]'"
        )
    if as_json:
        click.echo(json.dumps(told, indent=2))


def _index_triples(path: Path, anew: bool) -> Indexed:
    from lycosa.analysis.triples.index import Index

    with line_on_screen() as show:

        def tell(progress: Progress) -> None:
            show(
                f"{progress.segments:,} of {progress.of_segments:,} segments, "
                f"{progress.quads:,} triples of {counted(progress.pages, 'page')}"
            )

        return Index(path).update(tell, anew=anew)


def _print_triples(path: Path, done: Indexed) -> None:
    if done.is_anew:
        click.echo("rebuilt the index, because its segments had changed")
    click.echo(
        f"{counted(done.segments, 'new segment')}: {done.quads:,} triples of "
        f"{counted(done.pages, 'page')}; the index holds {done.size:,}"
    )
    if done.unreadable:
        notice(f"skipped {counted(done.unreadable, 'unreadable line')}")
    click.echo(f"  query it: {command('sparql', path, _FIRST_QUERY)}")


def _index_text(directory: CrawlDirectory, anew: bool) -> TextIndexed:
    from lycosa.analysis.text_index.index import TextIndex

    with line_on_screen() as show:

        def tell(progress: TextProgress) -> None:
            show(f"full text: {progress.done:,} of {counted(progress.of_pages, 'page')}")

        def tell_main(done: int, of: int) -> None:
            show(f"main texts: {done:,} of {counted(of, 'segment')}")

        def tell_documents(done: int, of: int) -> None:
            show(f"documents: {done:,} of {counted(of, 'segment')}")

        show("full text: comparing the index with the tables")
        return TextIndex(directory.path, directory.job()).update(
            tell, anew=anew, on_main=tell_main, on_documents=tell_documents
        )


def _print_text(path: Path, done: TextIndexed) -> None:
    if done.is_anew:
        click.echo("rebuilt the text index")
    click.echo(
        f"full text: {counted(done.added, 'page')} added, {done.removed:,} removed; "
        f"the index holds {counted(done.pages, 'page')}"
    )
    click.echo(f"  search it: {command('search', path, 'some words')}")
    if not done.has_ranks:
        click.echo(f"  rank it by links, too: {command('study', path)}, and index again")


def _print_main_texts(outcomes: Counter[str], engine: str) -> None:
    from lycosa.analysis.study.main_text import FOUND

    if not outcomes:
        return
    others = [f"{name} {number:,}" for name, number in outcomes.most_common() if name != FOUND]
    rest = f" ({', '.join(others)})" if others else ""
    click.echo(f"main texts by {engine}: {outcomes[FOUND]:,} of {outcomes.total():,}{rest}")


def _print_documents(outcomes: Counter[str]) -> None:
    from lycosa.analysis.documents.document import NEEDS_LIBRARY, READ

    if not outcomes:
        return
    others = [f"{name} {number:,}" for name, number in outcomes.most_common() if name != READ]
    rest = f" ({', '.join(others)})" if others else ""
    click.echo(f"documents: {outcomes[READ]:,} of {outcomes.total():,} read{rest}")
    if outcomes[NEEDS_LIBRARY]:
        notice(
            f"{counted(outcomes[NEEDS_LIBRARY], 'PDF file')} not read: they need pypdfium2\n"
            "  install, in the clone of Lycosa: pip install '.[documents]', and index again"
        )


class _Search(click.Command):
    """A command whose arguments may begin with `-`: `-stone` excludes pages with that word.

    Click would take such an argument for flags. It is marked by a NUL, which no argument has.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; a word with one `-` after DIR belongs to the query."""
        end = args.index("--") if "--" in args else len(args)
        valued = {
            name
            for option in self.params
            if isinstance(option, click.Option) and not option.is_flag
            for name in option.opts
        }
        is_behind = False
        for place, (before, arg) in enumerate(zip(["", *args], args[:end], strict=False)):
            if before in valued:
                continue
            is_word = arg.startswith("-") and not arg.startswith("--")
            if is_behind and is_word and arg not in ctx.help_option_names:
                args[place] = f"\0{arg}"
            is_behind = is_behind or not arg.startswith("-")
        return super().parse_args(ctx, args)


def _unmarked(_: click.Context, __: click.Parameter, words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word.removeprefix("\0") for word in words)


@click.command(cls=_Search)
@directory_argument
@click.argument("words", metavar="QUERY...", nargs=-1, required=True, callback=_unmarked)
@click.option(
    "--limit", type=click.IntRange(1, 100), default=10, help="Results on a page (default: 10)."
)
@click.option(
    "--page", "page_number", type=click.IntRange(1), default=1, help="Show a later page of results."
)
@json_flag
@click.pass_obj
def search(
    session: Session,
    /,
    path: Path,
    words: tuple[str, ...],
    limit: int,
    page_number: int,
    as_json: bool,
) -> int:
    """Search the full text of a crawl.

    \b
      lycosa search mycrawl analytical engine
      lycosa search mycrawl '"analytical engine" -steam after:2025-06'
      lycosa search mycrawl 'comput* site:example.org lang:en type:html'
      lycosa search mycrawl 'a:Person ada'

    Pages have all words, or, if fewer than ten have, some of them. "..." is a phrase, -word is
    without, word* is a beginning; site:, lang:, type:, topic:, before: and after: (a date) filter;
    a:TYPE finds pages with structured data about things of a type. Build the index first: lycosa
    index. The exit code is 1 when nothing was found.
    """
    from lycosa._support.extras import require_search

    require_search("lycosa search")
    from lycosa.analysis.text_search.results import FOUND, Ask
    from lycosa.analysis.text_search.search_pool import search_once
    from lycosa.cli.screen.search import print_results

    session.messages = CrawlDirectory.open(path).messages
    text = " ".join(words)
    results = search_once(path, Ask(text, limit, page_number))
    if as_json:
        found = {"query": text, **msgspec.to_builtins(results)}
        click.echo(in_json(json.dumps(found, indent=2, ensure_ascii=False)))
    else:
        print_results(path, Ask(text, limit, page_number), results)
    return int(results.outcome != FOUND)


COMMANDS = (index, search)
