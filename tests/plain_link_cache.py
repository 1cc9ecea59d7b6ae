"""The cache of references in plain Python: tests compare the compiled one with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from lycosa.crawl.links._link_cache import LONGEST_REFUSED
from lycosa.model.records import Target
from lycosa.model.url import Verdict, canonical_keys, refusal, url_of
from lycosa.storage.tables.rows import url_id

_BY_FOLDER = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-~%")
"""What a reference begins with that needs nothing of the page but its folder."""

_ABSOLUTE = ("https://", "http://")
"""What a reference begins with that needs nothing of the page."""


class PlainTargets:
    """What the references of lately seen pages have become; one for each worker."""

    def __init__(self, judge: Callable[[str], Verdict], most: int) -> None:
        self._judge = judge
        self._most = most
        self._by_folder: dict[str, dict[str, Target]] = {}
        self._absolute: dict[str, Target] = {}
        self._judged: dict[str, Target] = {}
        self._by_key: dict[str, Target] = {}
        self._count = 0

    def targets(self, hrefs: Sequence[str], base: str) -> list[Target]:
        """Return where references of a page lead whose base is this URL."""
        folder = folder_of(base)
        known = self._by_folder.get(folder, {})
        met = list(map(known.get, hrefs))
        if None not in met:
            return cast(list[Target], met)
        elsewhere = self._absolute
        find = elsewhere.get
        met = [target or find(href) for target, href in zip(met, hrefs, strict=True)]
        places = [place for place, target in enumerate(met) if target is None]
        if not places:
            return cast(list[Target], met)
        self._count += len(places)
        missing = [hrefs[place] for place in places]
        keys = canonical_keys(missing, base)
        judged = self._judged
        for place, href, key in zip(places, missing, keys, strict=True):
            if key is None:
                target = self._refused(href, base)
            else:
                target = judged.get(key) or self._target(key)
            met[place] = target
            if href.startswith(_ABSOLUTE):
                elsewhere[href] = target
            elif href[:1] in _BY_FOLDER:
                known[href] = target
        if known:
            self._by_folder[folder] = known
        if self._count > self._most:
            self.forget()
        return cast(list[Target], met)

    def of_key(self, key: str) -> Target:
        """Return the target that a key stands for, without asking the rules."""
        return self._by_key.get(key) or Target(key, url_of(key), url_id(key))

    def forget(self) -> None:
        """Forget everything: the rules have changed, or page numbers may have."""
        self._by_folder.clear()
        self._absolute.clear()
        self._judged.clear()
        self._by_key.clear()
        self._count = 0

    def _refused(self, href: str, base: str) -> Target:
        """Return the target of what is no URL of the web."""
        said = href[:LONGEST_REFUSED]  # of `data:` URLs, too, which may be long
        return Target("", said, url_id(said), refusal(href, base) or "invalid")

    def _target(self, key: str) -> Target:
        """Return the target of a key that has not been judged."""
        verdict = self._judge(key)
        wanted = verdict.key
        if wanted is None:
            target = Target(key, url_of(key), url_id(key), verdict.reason)
        else:
            # A key has one target: a rule may turn several URLs into one.
            known = self._by_key.get(wanted)
            target = known or Target(wanted, url_of(wanted), url_id(wanted))
            self._by_key[wanted] = target
        self._judged[key] = target
        return target


def folder_of(url: str) -> str:
    """Return a URL up to the last slash of its path."""
    mark = url.find("?")
    hash_mark = url.find("#", 0, mark if mark >= 0 else len(url))
    end = hash_mark if hash_mark >= 0 else mark
    return url[: url.rfind("/", 0, end if end >= 0 else len(url))]
