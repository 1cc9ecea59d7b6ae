"""Makes the features of a job; those that most crawls do without are loaded where they are made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lycosa.crawl.pauses.due import longest_burst, longest_row
from lycosa.crawl.points import Feature, Spine
from lycosa.features.novelty.copies import SeenTexts
from lycosa.features.novelty.mirrors import Mirrors
from lycosa.features.novelty.traps import TrapWatch
from lycosa.features.soft_404 import Prober
from lycosa.features.triples import TripleExtraction
from lycosa.features.usual_sitemaps import UsualSitemaps

if TYPE_CHECKING:
    from lycosa.features.plugins.feature import Plugins
    from lycosa.features.plugins.hooks import Hooks
    from lycosa.features.rendering.rows import PartRows
    from lycosa.features.topics.feature import TopicOrder, Topics


def features_of(spine: Spine, hooks: Hooks | None = None) -> list[Feature]:
    """Make the features of a job, in the order in which they act; `hooks` are of its plugins."""
    ports, features = spine.ports, list[Feature]()
    plugins: Plugins | None = None
    topics: Topics | None = None
    order: TopicOrder | None = None
    if ports.job.login.is_used:
        from lycosa.features.logins import Logins

        features.append(Logins(spine))
    if hooks is not None:
        from lycosa.features.plugins.feature import Plugins

        plugins = Plugins(hooks, ports.job)
        from lycosa.features.plugins.posts import Posts

        posts = Posts(spine, plugins)
        features += [plugins, posts] if ports.job.plugins.post else [plugins]
    if ports.job.extract.languages:
        from lycosa.features.languages import LanguageFilter

        features.append(LanguageFilter(ports.job))
    if ports.job.topics.model:
        from lycosa.features.topics.feature import TopicOrder, Topics

        topics = Topics(ports.job, hooks)
        features.append(topics)
        if plugins is not None:
            plugins.classify = topics.classifier.named
        if ports.job.frontier.scheduler == "topics":
            order = TopicOrder(spine, topics)
            features.append(order)
    features.append(Prober(ports, reads_all=hooks is not None))
    # Traps and mining look for known texts in one memory of them.
    seen_texts, traps = SeenTexts(), ports.job.traps
    mines = ports.job.discovery.mining != "off"
    if traps.budget > 0 or mines:
        features.append(seen_texts)
    if traps.budget > 0:
        features.append(TrapWatch(traps, seen_texts))
    features.append(UsualSitemaps(ports))
    if mines or ports.job.forms.search:
        from lycosa.features.mining.mining import Mining

        features.append(Mining(spine, seen_texts))
    if traps.mirrors == "skip":
        features.append(Mirrors(traps, spine.partitions))
    if ports.job.structured.forms:
        features.append(TripleExtraction(ports.job))
    rows: PartRows | None = None
    if ports.rendering is not None and longest_row(ports.job) > 1:
        from lycosa.features.rendering.rows import PartRows

        rows = PartRows(spine)
        features.append(rows)
    if longest_burst(ports.job) > 1:
        from lycosa.features.bursts import Bursts

        features.append(Bursts(ports.job, rows))
    if ports.rendering is not None:
        from lycosa.features.rendering.rendered_tree import RenderedTree
        from lycosa.features.rendering.waiting import PageRendering

        tree = RenderedTree(ports.job, plugins, topics, order)
        features.append(PageRendering(spine, tree, rows))
    return features
