"""The commands `topics seeds`, `topics split` and `topics apply`: use a model on a crawl."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.padding import Padding
from rich.text import Text as Line

from lycosa._support.extras import require_study
from lycosa._support.safe_text import in_json
from lycosa.cli.amounts import counted
from lycosa.cli.analysis.study import told
from lycosa.cli.input.options import directory_argument, json_flag, target_flag
from lycosa.cli.input.topics import (
    labels_flag,
    level_flag,
    model_flag,
    read_model,
    require_writable,
    sources_argument,
)
from lycosa.cli.screen.console import Screen
from lycosa.cli.screen.notices import notice
from lycosa.cli.screen.output import Data
from lycosa.cli.screen.summary import command, facts_table
from lycosa.errors import LycosaError
from lycosa.extract.topics.model import OTHER, TopicModel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lycosa.analysis.topics.splitting import Split
    from lycosa.analysis.topics.texts import Text
    from lycosa.extract.topics.training import Example


@click.command()
@directory_argument
@model_flag
@click.option("--topic", "topics", metavar="NAME", multiple=True, help="A topic (default: all).")
@click.option(
    "--top",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    metavar="N",
    help="Pages a topic.",
)
@click.option("--hubs", is_flag=True, help="Take the pages that link to most pages of the topic.")
@target_flag("The pools file to write (TOML; default: standard output).", metavar="FILE")
def seeds(
    path: Path, model_file: Path, topics: tuple[str, ...], top: int, hubs: bool, target: Path | None
) -> None:
    """Take start URLs for each topic from an earlier crawl.

    With --hubs these are the best hubs (HITS over the links that lead to pages of the topic);
    otherwise the pages that are surest to be of it. Writes a file for --pools.

    \b
      lycosa topics seeds mycrawl --topic biology --top 20 --hubs -o pools.toml
    """
    require_study("lycosa topics seeds")
    from lycosa.analysis.topics.pools import Pool, to_toml
    from lycosa.analysis.topics.seeds import best_hubs, best_pages, likelihoods, newest_texts
    from lycosa.runtime.directory import CrawlDirectory

    if target is not None:
        require_writable(target, "-o")
    CrawlDirectory.open(path)
    model = read_model(model_file)
    wanted = _wanted(model, topics)
    texts = newest_texts(path)
    pools = []
    for topic in wanted:
        likely = likelihoods(model, texts, topic)
        found = best_hubs(path, texts, likely, top) if hubs else best_pages(texts, likely, top)
        if not found:
            what = "no page links to a page of it" if hubs else "no page is of it"
            notice(f"{path}: {what}: {topic}")
        keywords = model.header.keywords.get(topic, ())
        pools.append(Pool(topic, tuple(keywords), tuple(seed.url for seed in found)))
    if not any(pool.urls for pool in pools):
        raise LycosaError(
            f"{path}: there is no page to begin from\n"
            f"  see which topics its pages have: lycosa topics apply {path} --model {model_file}"
        )
    written = to_toml(pools).encode()
    if target is None:
        Data().write(written)
        return
    target.write_bytes(written)
    urls = counted(sum(len(pool.urls) for pool in pools), "URL")
    click.echo(f"{target}: {urls} of {counted(len(pools), 'topic')}")


def _wanted(model: TopicModel, topics: tuple[str, ...]) -> list[str]:
    from lycosa.analysis.topics.names import is_within

    for topic in topics:
        if not any(is_within(name, topic) for name in model.names):
            known = ", ".join(model.names)
            raise LycosaError(f"the model has no topic `{topic}`\n  topics: {known}")
    return list(topics) or [name for name in model.names if name != OTHER]


@click.command()
@sources_argument
@model_flag
@labels_flag
@level_flag
@click.option("--topic", metavar="NAME", required=True, help="The topic to split.")
@click.option(
    "--into",
    "parts",
    type=click.IntRange(2, 8),
    metavar="K",
    help="Parts (default: the number from 2 to 8 that passes the test best).",
)
@click.option(
    "--out",
    "target",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the model with the parts to this file.",
)
@click.option(
    "--apply",
    "is_applied",
    is_flag=True,
    help="Give the crawl the model with the parts; it uses them when it is resumed.",
)
@json_flag
def split(
    sources: tuple[Path, ...],
    model_file: Path,
    labels_file: Path | None,
    level: int,
    topic: str,
    parts: int | None,
    target: Path | None,
    is_applied: bool,
    as_json: bool,
) -> int:
    """Propose parts of a topic, test them, and train a model with them.

    Groups the texts of the topic's pages by their words (spherical k-means). A split passes if
    halves of the pages give the same groups and pages are clearly nearer to their group than to
    the next; otherwise it is refused, with its figures, and the exit code is 1. The pages of the
    topic are those that labels or, without --labels, the model give it; the new model is trained
    on all of them. With --apply, DIR is a crawl that is not running and has a model, which gets the
    parts; its next run moves the URLs that wait for the topic to their queues.

    \b
      lycosa topics split mycrawl --topic science
      lycosa topics split mycrawl --topic science --into 4 --out finer.model
      lycosa topics split mycrawl --topic science --apply && lycosa resume mycrawl
    """
    require_study("lycosa topics split")
    from lycosa.analysis.topics.splitting import names_of, propose

    if not sources:
        raise click.UsageError("Name the DIR of the pages: a crawl, or a folder of HTML files.")
    if target is not None:
        require_writable(target, "--out")
    if is_applied and (len(sources) > 1 or target is not None or labels_file is not None):
        raise click.UsageError("--apply takes one crawl, and neither --out nor --labels.")
    with told(as_json) as tell:
        tell("reading pages")
        # The parts get their queues beside those of the crawl's own model.
        if is_applied:
            model_file = _own_model_file(sources[0], topic)
        texts, given = _given(sources, model_file, labels_file, level)
        inside = _pages_of(topic, given, is_within_too=not is_applied)
        found = propose([texts[at] for at in inside], parts or 0, tell=tell)
        taken = {name for one in given for name in one if name != topic}
        names = names_of(topic, found, taken)
        if (target is not None or is_applied) and not found.faults:
            tell("training")
            groups = dict(zip(inside, found.groups, strict=True))
            named = {at: names[group] for at, group in groups.items()}
            examples = _examples(texts, given, named, topic)
            if target is not None:
                _train(examples, target)
            else:
                target = _give(sources[0], topic, names, examples)
    _print_split(topic, found, names, None if found.faults else target, as_json=as_json)
    if is_applied and not found.faults and not as_json:
        click.echo(f"the crawl uses them from its next run on: {command('resume', sources[0])}")
    return int(bool(found.faults))


def _pages_of(topic: str, given: Sequence[Sequence[str]], *, is_within_too: bool) -> list[int]:
    """Return the positions of a topic's pages; refuses a topic that has none."""
    from lycosa.analysis.topics.names import is_within

    inside = [
        at
        for at, one in enumerate(given)
        if one[0] == topic or (is_within_too and is_within(one[0], topic))
    ]
    if not inside:
        known = ", ".join(sorted({one[0] for one in given}))
        raise LycosaError(f"no page is of the topic `{topic}`\n  topics: {known}")
    return inside


def _own_model_file(path: Path, topic: str) -> Path:
    """Return the model of a crawl that is not running, if it has the topic."""
    from lycosa.analysis.topics.refining import own_model
    from lycosa.runtime.directory import CrawlDirectory

    directory = CrawlDirectory.open(path)
    with directory.locked():  # a crawl that runs is refused at once, not after the training
        model = own_model(directory)
    if topic not in model.names:
        raise LycosaError(f"the model has no topic `{topic}`\n  topics: {', '.join(model.names)}")
    return directory.model_file


def _give(path: Path, topic: str, names: list[str], examples: list[Example]) -> Path:
    """Give a crawl the model with the parts; return its file."""
    from lycosa.analysis.topics.refining import give_model, own_model, with_parts
    from lycosa.runtime.directory import CrawlDirectory

    directory = CrawlDirectory.open(path)
    give_model(directory, with_parts(own_model(directory), topic, tuple(names), examples))
    return directory.model_file


def _given(
    sources: tuple[Path, ...], model_file: Path, labels_file: Path | None, level: int
) -> tuple[list[Text], list[tuple[str, ...]]]:
    """Return texts with their topics, by labels or by the model."""
    from lycosa.analysis.topics.examples import labelled
    from lycosa.analysis.topics.labels import read_labels
    from lycosa.analysis.topics.texts import Text, texts_of

    if labels_file is not None:
        known = labelled(sources, read_labels(labels_file), level)
        pairs = zip(known.addresses, known.examples, strict=True)
        texts = [Text(address, one.title, one.content) for address, one in pairs]
        return texts, [one.topics for one in known.examples]
    model = read_model(model_file)
    texts = sorted(text for source in sources for text in texts_of(source))
    given: list[tuple[str, ...]] = []
    for text in texts:
        probabilities = model.probabilities(text.title, text.content)
        given.append((model.names[probabilities.index(max(probabilities))],))
    return texts, given


def _examples(
    texts: Sequence[Text], given: Sequence[tuple[str, ...]], parts: dict[int, str], topic: str
) -> list[Example]:
    """Return the training examples of a model with parts."""
    from lycosa.analysis.topics.names import is_within
    from lycosa.extract.topics.training import Example

    examples: list[Example] = []
    for at, text in enumerate(texts):
        # A page whose second topic is the one that was split has no part of it.
        first = parts.get(at, given[at][0])
        others = (one for one in given[at][1:] if not is_within(one, topic))
        topics = (*(first,) * (first != topic), *others)
        examples.append(Example(text.title, text.content, topics))
    return examples


def _train(examples: list[Example], target: Path) -> None:
    from lycosa.extract.topics.training import train

    train(examples).write(target)


def _print_split(
    topic: str, found: Split, names: list[str], target: Path | None, *, as_json: bool
) -> None:
    sizes = [found.groups.count(number) for number in range(found.parts)]
    if as_json:
        facts: dict[str, Any] = {
            "topic": topic,
            "passed": not found.faults,
            "faults": found.faults,
            "pages": found.texts,
            "agreement": round(found.agreement, 4),
            "margin": round(found.margin, 4),
            "smallest": round(found.smallest, 4),
            "parts": [
                {"name": name, "pages": size, "words": words}
                for name, size, words in zip(names, sizes, found.words, strict=True)
            ],
            "model": str(target) if target is not None else None,
        }
        click.echo(in_json(json.dumps(facts, indent=2, ensure_ascii=False)))
        return
    screen = Screen()
    verdict = "refused" if found.faults else "passes"
    screen.print(Line(f"{topic} in {found.parts} parts: {verdict}", "bold"), soft_wrap=True)
    rows = [
        ("pages", f"{found.texts:,}"),
        ("agreement", f"{found.agreement:.2f} between halves that were grouped apart"),
        ("margin", f"{found.margin:.2f}: a page is this much nearer to its group than to the next"),
        ("smallest", f"{found.smallest:.0%} of the pages"),
    ]
    screen.print(Padding(facts_table(rows), (1, 0, 1, 2)))
    for name, size, words in zip(names, sizes, found.words, strict=True):
        screen.print(Line(f"  {name}: {counted(size, 'page')}: {', '.join(words)}"), soft_wrap=True)
    if found.faults:
        screen.print(Line(f"\n{topic} stays whole: {'; '.join(found.faults)}"), soft_wrap=True)
    elif target is not None:
        screen.print(Line(f"\n{target}: the model with these parts"), soft_wrap=True)
    else:
        screen.print(Line("\ntrain a model with these parts: --out FILE"), soft_wrap=True)


@click.command()
@directory_argument
@model_flag
@json_flag
def apply(path: Path, model_file: Path, as_json: bool) -> None:
    """Classify all pages of a crawl again.

    Writes the table `page_topics`, which `lycosa sql` and `lycosa export` know, and splits pages of
    several topics into units where the topic changes (`page_units`). The crawl itself stays as it
    is.

    \b
      lycosa topics apply mycrawl --model topics.model
      lycosa sql mycrawl 'select topic, count(*) from page_topics group by all'
    """
    from lycosa.analysis.topics.page_topics import TABLE, classify
    from lycosa.analysis.topics.page_units import split_pages
    from lycosa.runtime.directory import CrawlDirectory

    CrawlDirectory.open(path)
    model = read_model(model_file)
    with told(as_json) as tell:
        counts, mixed = classify(path, model, tell)
        split = split_pages(path, model, mixed, tell)
    pages = sum(counts.values())
    if as_json:
        facts = {"directory": str(path), "model": model.digest, "pages": pages, "split": split}
        click.echo(in_json(json.dumps(facts | {"topics": dict(counts.most_common())}, indent=2)))
        return
    screen = Screen()
    screen.print(Line(f"{path}: {counted(pages, 'page')} classified", "bold"), soft_wrap=True)
    rows = [(topic, f"{count:,}  {count / pages:.1%}") for topic, count in counts.most_common()]
    screen.print(Padding(facts_table(rows), (1, 0, 1, 2)))
    if split:
        units = f"{counted(split, 'page')} of several topics split into units: table page_units\n"
        screen.print(Line(units), soft_wrap=True)
    query = f"select topic, count(*) from {TABLE} group by all"
    screen.print(Line(f"query them: {command('sql', path, query)}"), soft_wrap=True)


COMMANDS = (seeds, split, apply)
