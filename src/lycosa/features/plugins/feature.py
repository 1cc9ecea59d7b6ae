"""Shows a page to the job's plugins and takes over what they change.

    read    by a plugin's extractor if it has one for the type, else as the spine reads
    shown   every plugin sees the page

Between the two the crawl finds out whether the page is a soft 404: plugins do not see those.

Always true: a page on which a hook failed ends as `HOOK_FAILED`, or as `TOO_MANY_ITEMS` where it
emitted more than the job allows, with the facts that it had before, no links, values and items.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import msgspec

from lycosa.crawl.answers.page_answer import PageAnswer
from lycosa.crawl.answers.reading import content_type_of, links_of_page, read_page, with_types
from lycosa.crawl.links.raw_links import RawLinks
from lycosa.crawl.points import Feature
from lycosa.extract.facts import Facts
from lycosa.features.plugins.hooks import Hooks
from lycosa.features.plugins.items import Emitted
from lycosa.features.plugins.pages import Additions, RawColumns, SeenPage, Topics
from lycosa.frontier.distance import depth_of
from lycosa.model.job import Job
from lycosa.model.records import Answer, Item, LinkKind, Outcome
from lycosa.model.url import parse


class Plugins(Feature):
    """Shows pages to the job's plugins; one per worker."""

    def __init__(self, hooks: Hooks, job: Job) -> None:
        self.hooks = hooks
        self.content_types = hooks.content_types
        self.job = with_types(job, hooks.content_types)
        """The job, with the types that plugins read among those that are kept."""
        self._shown: ShownPage | None = None
        """The page that is on its way through the stages, if plugins read it."""
        self.begin_items = partial(Emitted, hooks.kinds, job.plugins)
        self.link: Callable[[PageAnswer, dict[str, tuple[str, str]]], None] | None = None
        """Takes what is posted by a page that was shown (`posts.Posts`)."""
        self.classify: Callable[[str, bytes], Topics] | None = None
        """Says what a title and a text are about, in a job with a model of topics."""

    def judged(self, answered: PageAnswer) -> None:
        """Forget the page before."""
        self._shown = None

    def read(self, answered: PageAnswer) -> None:
        """Read a page."""
        self._shown = self.begin(answered.answer, answered.request.url, _depth_of(answered))
        answered.facts = self._shown.facts

    def shown(self, answered: PageAnswer) -> None:
        """Show the page to every plugin."""
        if self._shown is not None and answered.outcome is Outcome.KEPT:
            answered.outcome, answered.facts = self._shown.end()
            answered.raw_links = self._shown.links

    def columned(self, answered: PageAnswer) -> None:
        """Write what plugins say into their columns."""
        if self._shown is not None and answered.is_shown:
            answered.extra = self._shown.values
            if not answered.is_sitemap:
                answered.items = self._shown.items
            if self._shown.posts and self.link is not None:
                self.link(answered, self._shown.posts)

    def begin(self, answer: Answer, url: str, depth: int = 0) -> ShownPage:
        """Read an answer that may be kept, as a crawl does or by a plugin's extractor."""
        is_extracted = content_type_of(answer) in self.hooks.content_types
        facts = Facts() if is_extracted else read_page(answer, self.job)
        shown = ShownPage(self, answer, facts, url=url, depth=depth)
        if is_extracted:
            shown.extract()
        return shown

    def begin_rendered(self, answered: PageAnswer, links: RawLinks) -> ShownPage:
        """Take a page that a browser has rendered, with all links that it told of."""
        answer, facts, url = answered.answer, answered.facts, answered.request.url
        return ShownPage(self, answer, facts, url=url, depth=_depth_of(answered), rendered=links)


def _depth_of(answered: PageAnswer) -> int:
    return depth_of(answered.state.pages.distance[answered.page])


class ShownPage:
    """One page in the hands of the plugins."""

    def __init__(
        self,
        plugins: Plugins,
        answer: Answer,
        facts: Facts,
        *,
        url: str,
        depth: int,
        rendered: RawLinks | None = None,
    ) -> None:
        self._hooks = plugins.hooks
        self._has_failed = False
        raw = links_of_page(answer, facts, plugins.job) if rendered is None else rendered
        is_shown = [not reason for reason in raw.reasons] or [True] * len(raw.hrefs)
        self._raw = raw.where(is_shown) if raw.reasons else raw
        self._not_shown = raw.where([not shown for shown in is_shown]) if raw.reasons else None
        self._additions = Additions(facts.title, facts.description, facts.content, facts.language)
        self._additions.is_rendered = rendered is not None
        self._additions.begin_items = plugins.begin_items
        base = (parse(facts.base, url) if facts.base else None) or url
        columns = RawColumns(self._raw.hrefs, self._raw.kinds, self._raw.texts, self._raw.rels)
        self.page = SeenPage(
            url,
            answer,
            depth,
            self._additions,
            columns,
            base=base,
            classify=plugins.classify,
        )
        self.facts = facts

    def extract(self) -> None:
        """Let a plugin read what Lycosa does not."""
        self._has_failed = not self._hooks.extract(self.page, self._additions)
        if not self._has_failed:
            self._take_over()

    def end(self) -> tuple[Outcome, Facts]:
        """Show the page to every plugin; returns what became of it, and what is known of it."""
        has_failed = self._has_failed or not self._hooks.look_at(self.page, self._additions)
        emitted = self._additions.emitted
        if emitted is not None and emitted.is_too_much:
            return Outcome.TOO_MANY_ITEMS, self.facts
        if has_failed:
            return Outcome.HOOK_FAILED, self.facts
        self._take_over()
        return Outcome.KEPT, self.facts

    @property
    def links(self) -> RawLinks:
        """The links that are left, those that were added, and those that plugins do not see."""
        raw, dropped, added = self._raw, self._additions.dropped, self._additions.added
        if dropped:
            raw = raw.where([number not in dropped for number in range(len(raw.hrefs))])
        if added:
            texts, rels = [text for text, _ in added.values()], [rel for _, rel in added.values()]
            kinds, times = [int(LinkKind.ANCHOR)] * len(added), [1] * len(added)
            raw = raw.with_more(RawLinks(list(added), kinds, texts, rels, times))
        return raw if self._not_shown is None else raw.with_more(self._not_shown)

    @property
    def values(self) -> tuple[object, ...]:
        """The values for the plugins' columns."""
        return self._hooks.columns.row(self._additions.values)

    @property
    def items(self) -> tuple[Item, ...]:
        """The items that the plugins have emitted."""
        emitted = self._additions.emitted
        return tuple(emitted.items) if emitted is not None else ()

    @property
    def posts(self) -> dict[str, tuple[str, str]]:
        """Posts of the plugins (`lycosa.model.url.posts`), with text and relations."""
        return self._additions.posts

    @property
    def columns(self) -> dict[str, object]:
        """The values by the names of their columns."""
        return dict(zip(self._hooks.columns.schema.names, self.values, strict=False))

    def _take_over(self) -> None:
        said = self._additions
        self.facts = msgspec.structs.replace(
            self.facts,
            title=said.title,
            description=said.description,
            content=said.content,
            language=said.language,
        )
