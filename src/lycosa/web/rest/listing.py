"""The crawls: list, show, create, start; preview of a scope."""

from __future__ import annotations

import shlex
import subprocess
import sys
from typing import Annotated

import msgspec

from lycosa.model.job.recipes import RECIPES
from lycosa.model.url import canonicalize
from lycosa.web.clients import refuse_loopback_seeds
from lycosa.web.rest.operations import Call, Operation
from lycosa.web.rest.problems import Refusal
from lycosa.web.rest.records import Checked, CrawlList, CrawlRow, ScopePreview, Started

PREVIEW_SECONDS = 60.0
_Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
_Url = Annotated[str, msgspec.Meta(min_length=1, max_length=2000)]
_Pattern = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
_Many = msgspec.Meta(max_length=100)


class Scope(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The scope of a new crawl, and URLs to judge by it."""

    seeds: Annotated[list[_Url], msgspec.Meta(min_length=1, max_length=100)]
    include: Annotated[list[_Pattern], _Many] = []
    """Patterns as for `--include`: a domain, the beginning of a URL, or `regex:EXPRESSION`."""
    exclude: Annotated[list[_Pattern], _Many] = []
    urls: Annotated[list[_Url], msgspec.Meta(max_length=20)] = []
    """More URLs to judge."""


class NewCrawl(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A crawl that is to be made and started."""

    name: _Name
    """The name of its folder."""
    seeds: Annotated[list[_Url], msgspec.Meta(min_length=1, max_length=100)]
    contact: Annotated[str, msgspec.Meta(max_length=200)] = ""
    """An address where site owners reach you; required for the public web."""
    include: Annotated[list[_Pattern], _Many] = []
    exclude: Annotated[list[_Pattern], _Many] = []
    max_pages: Annotated[int, msgspec.Meta(ge=1, le=10**12)] | None = None
    depth: Annotated[int, msgspec.Meta(ge=0, le=60_000)] | None = None
    """Links that are followed from a seed, at most; null for as many as usual."""
    delay_seconds: Annotated[float, msgspec.Meta(ge=0, le=86_400)] | None = None
    """The pause between two requests to a host; null for the usual one."""
    recipe: Annotated[str, msgspec.Meta(max_length=40)] = ""
    """A recipe as for `--recipe`: settings for a purpose; empty for none."""


def list_crawls(call: Call) -> CrawlList:
    """List the crawls."""
    rows = [crawl.row() for crawl in call.crawls.all()]
    return CrawlList(rows, call.crawls.is_root)


def get_crawl(call: Call) -> CrawlRow:
    """Return one crawl."""
    return call.crawl.row()


def create_crawl(call: Call) -> Started:
    """Make a crawl and start it."""
    crawls, wanted = call.crawls, call.body
    if not crawls.is_root:
        raise Refusal(
            409,
            "a single crawl is served, so there is no folder for new ones\n  serve a folder of "
            "them",
        )
    seeds = _seeds(wanted.seeds)
    if not call.is_from_here:
        refuse_loopback_seeds(seeds)
    words = ["crawl", "-o", wanted.name, "--quiet"]
    if wanted.contact:
        words.append(f"--contact={wanted.contact}")
    if wanted.recipe:
        if wanted.recipe not in RECIPES:
            raise Refusal(422, f"there is no such recipe\n  the recipes: {', '.join(RECIPES)}")
        words.append(f"--recipe={wanted.recipe}")
    words += _rule_flags(wanted.include, wanted.exclude)
    if wanted.max_pages is not None:
        words.append(f"--max-pages={wanted.max_pages}")
    if wanted.depth is not None:
        words.append(f"--depth={wanted.depth}")
    if wanted.delay_seconds is not None:
        words.append(f"--delay={wanted.delay_seconds:f}s")
    path = crawls.place / wanted.name
    if path.exists():
        raise Refusal(409, f"{wanted.name} exists\n  choose another name, or start it")
    pid = crawls.children.start(
        [*words, "--", *seeds], crawls.place, lambda pid: (path / "log" / "log.sqlite").exists()
    )
    crawls.look_again()
    return Started(wanted.name, pid)


def start_crawl(call: Call) -> Started:
    """Start a crawl that no process runs."""
    crawl = call.crawl
    if crawl.directory.is_distant:
        place = shlex.quote(crawl.directory.shown)
        raise Refusal(
            409, f"its directories are on other machines\n  crawl here: lycosa join {place} -o DIR"
        )
    path = crawl.directory.path.resolve()
    if (holder := crawl.directory.holder()) is not None:
        raise Refusal(409, f"process {holder.pid} crawls it already\n  resume it, if it is paused")
    pid = call.crawls.children.start(
        ["resume", "--quiet", "--", str(path)],
        path.parent,
        lambda pid: crawl.directory.holder() is not None,
    )
    return Started(crawl.name, pid)


def preview_scope(call: Call) -> ScopePreview:
    """Return the scope's verdict on each URL, with the reason."""
    wanted = call.body
    seeds = _seeds(wanted.seeds)
    urls = [*seeds, *_seeds(wanted.urls)]
    words = [*(f"--seed={seed}" for seed in seeds), *_rule_flags(wanted.include, wanted.exclude)]
    command = [
        sys.executable,
        "-P",
        "-m",
        "lycosa",
        "check",
        "scope",
        "--json",
        *words,
        "--",
        *urls,
    ]
    try:
        done = subprocess.run(command, capture_output=True, timeout=PREVIEW_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise Refusal(503, "the preview took too long") from None
    if done.returncode not in (0, 1) or not done.stdout:
        raise Refusal(422, done.stderr.decode("utf-8", "replace").strip())
    found = msgspec.json.decode(done.stdout)
    listed = [found] if isinstance(found, dict) else found
    return ScopePreview(
        [Checked(url=one["url"], is_wanted=one["in"], why=one["why"]) for one in listed]
    )


def _seeds(urls: list[str]) -> list[str]:
    found = []
    for url in urls:
        canonical = canonicalize(url.strip() if "://" in url else f"https://{url.strip()}/")
        if canonical is None:
            raise Refusal(
                422, f"{url}: is not a URL that can be crawled\n  write https://example.org/"
            )
        found.append(canonical)
    return found


def _rule_flags(include: list[str], exclude: list[str]) -> list[str]:
    return [*(f"--include={one}" for one in include), *(f"--exclude={one}" for one in exclude)]


OPERATIONS = [
    Operation("GET", "/crawls", list_crawls, "List the crawls.", CrawlList),
    Operation(
        method="POST",
        path="/crawls",
        act=create_crawl,
        summary="Make a crawl and start it.",
        answer=Started,
        query=None,
        body=NewCrawl,
        status=201,
    ),
    Operation("GET", "/crawls/{name}", get_crawl, "One crawl.", CrawlRow),
    Operation(
        "POST",
        "/crawls/{name}/start",
        start_crawl,
        "Start a crawl that no process runs.",
        Started,
        status=202,
    ),
    Operation(
        "POST",
        "/scope",
        preview_scope,
        "The verdict of a new crawl's scope on URLs, with reasons.",
        ScopePreview,
        None,
        Scope,
    ),
]
