"""The section of a job about fetching pages again."""

from __future__ import annotations

from collections.abc import Iterator

from lycosa.model.job.keys import Record, key

POLICIES = ("off", "profit", "fresh", "uniform", "proportional")
QUALITIES = ("auto", "links", "pagerank")


class Revisit(Record):
    """Revisits: whether pages are fetched again, and which."""

    policy: str = key(
        "off",
        "The method by which a cycle chooses its URLs. `profit` weighs the quality of a page by"
        " the probability "
        "that its copy is out of date; `fresh` makes as many copies fresh as possible; "
        "`uniform` visits all pages equally often, `proportional` in proportion to how often they "
        "change. `off` means a crawl without cycles.",
        choices=POLICIES,
    )
    cycles: int = key(1, "The number of cycles, the first crawl included.", unit="cycles", least=1)
    continuous: bool = key(False, "Start cycle after cycle until the crawl is stopped.")
    cycle_urls: int = key(
        100_000, "The number of URLs that a cycle fetches, new and known.", unit="URLs", least=1
    )
    cycle_seconds: float = key(
        86_400.0,
        "Time from the beginning of one cycle to the next; a cycle that takes longer delays "
        "the next one. A cycle takes no more URLs from a host than its pause permits in that "
        "time. 0 starts the next cycle at once.",
        unit="seconds",
    )
    not_before_seconds: float = key(
        3_600.0, "Pages that were visited more recently than this are left out.", unit="seconds"
    )
    change_seconds: float = key(
        864_000.0,
        "The average time until a page changes, assumed for a host before anything is known "
        "about it.",
        unit="seconds",
        least=1,
    )
    change_bits: int = key(
        0,
        "A page with another text still counts as unchanged when its fingerprint differs from "
        "the known one in at most this many bits; with 0 any other text is a change.",
        unit="bits",
        most=64,
    )
    quality: str = key(
        "auto",
        "The quality of a page for `profit`: its PageRank in the graph so far (`pagerank`, "
        "needs `pip install '.[study]'`), or the links to it and its depth (`links`); `auto` "
        "means `pagerank` where it is installed.",
        choices=QUALITIES,
    )
    seconds: float = key(
        0.0,
        "In a crawl without cycles: a kept page is fetched again after this time; 0 means never.",
        unit="seconds",
    )
    conditional: bool = key(
        True,
        "Send the version of the stored page (ETag, Last-Modified), so that the server does not"
        " send an unchanged page again.",
    )

    def contradictions(self) -> Iterator[str]:
        """Yield the faults of the section as a whole."""
        if self.policy == "off" and (self.cycles > 1 or self.continuous):
            yield (
                "has cycles, but its `policy` is `off`, so no cycle would run\n"
                '  choose a policy: policy = "profit", or "fresh"'
            )
        if self.cycles > 1 and self.continuous:
            yield (
                f"has `cycles` ({self.cycles}) and is `continuous`, which has no last cycle\n"
                "  keep `cycles` to stop after that many, or `continuous` to crawl until stopped"
            )
        if self.policy != "off" and self.seconds:
            yield (
                f"has `seconds` ({self.seconds:g}) and the policy `{self.policy}`\n"
                "  with a policy, cycles choose the revisits: remove `seconds`, or the policy"
            )
