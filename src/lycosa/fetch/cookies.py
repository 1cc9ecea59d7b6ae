"""Stores session cookies, for sites that show nothing without them.

A cookie is sent back to the origin (scheme, host and port) that set it and to no other, whatever
its `Domain` says: a crawl needs a session, not an identity. It lives as long as the process, or
shorter if it says so (a subset of RFC 6265). Cookies of a job's file (`access`) go to the
domain that the file names, over https or where a seed of the job is.

Memory is bounded: the number of hosts, of cookies per host and of bytes per cookie has a limit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import UTC
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from lycosa.fetch.access import GivenCookie

MOST_HOSTS = 10_000
MOST_COOKIES = 50
LONGEST_COOKIE = 4_096


class _Cookie(NamedTuple):
    value: str
    path: str
    is_secure: bool
    expires: float


class Cookies:
    """The cookies of all origins, each as `https://a.test:8443`."""

    def __init__(
        self, given: Sequence[GivenCookie] = (), typed: Collection[str] = frozenset()
    ) -> None:
        self._jars: dict[str, dict[tuple[str, str], _Cookie]] = {}
        self._given = given
        self._typed = typed

    def header(self, site: str, target: str, now: float) -> str:
        """Return the value of the Cookie header for a request, or "" for none."""
        jar = self._jars.get(site, {})
        if self._given:
            jar = self._with_given(site, jar)
        if not jar:
            return ""
        for key in [key for key, cookie in jar.items() if cookie.expires <= now]:
            del jar[key]
        path, is_secure = target.partition("?")[0], site.startswith("https://")
        found = [
            (name, cookie)
            for (name, _), cookie in jar.items()
            if _is_within(path, cookie.path) and (is_secure or not cookie.is_secure)
        ]
        found.sort(key=lambda entry: -len(entry[1].path))
        return "; ".join(f"{name}={cookie.value}" for name, cookie in found)

    def _with_given(
        self, site: str, jar: dict[tuple[str, str], _Cookie]
    ) -> dict[tuple[str, str], _Cookie]:
        """Return the cookies of an origin with those of the file; what it set itself counts."""
        given = {
            (one.name, one.path): _Cookie(one.value, one.path, one.is_secure, one.expires)
            for one in self._given
            if one.is_for(site, self._typed)
        }
        return {**given, **jar}

    def learn(self, site: str, target: str, headers: Iterable[tuple[str, str]], now: float) -> None:
        """Take the cookies of an answer."""
        for name, value in headers:
            if name.lower() == "set-cookie" and len(value) <= LONGEST_COOKIE:
                self._set(site, target, value, now)

    def _set(self, site: str, target: str, text: str, now: float) -> None:
        pair, *attributes = text.split(";")
        name, equals, value = (part.strip() for part in pair.partition("="))
        if not equals or not name or not _is_sendable(name + value):
            return
        path = target.partition("?")[0].rpartition("/")[0] or "/"
        is_secure, expires, has_age = False, float("inf"), False
        for attribute in attributes:
            key, _, setting = (part.strip() for part in attribute.partition("="))
            match key.lower():
                case "path" if setting.startswith("/"):
                    path = setting
                case "secure":
                    is_secure = True
                case "max-age":
                    expires, has_age = _age(setting, now, expires), True
                # Max-Age has precedence (RFC 6265, 4.1.2.2).
                case "expires" if not has_age:
                    expires = _moment(setting, expires)
        self._keep(site, (name, path), _Cookie(value, path, is_secure, expires), now)

    def _keep(self, site: str, key: tuple[str, str], cookie: _Cookie, now: float) -> None:
        jar = self._jars.get(site)
        if jar is None:
            if len(self._jars) >= MOST_HOSTS:
                del self._jars[next(iter(self._jars))]
            jar = self._jars[site] = {}
        jar.pop(key, None)
        if cookie.expires > now:
            if len(jar) >= MOST_COOKIES:
                del jar[next(iter(jar))]
            jar[key] = cookie


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder if folder[-1] == "/" else folder + "/")


def _is_sendable(text: str) -> bool:
    return text.isascii() and text.isprintable()


def _age(text: str, now: float, default: float) -> float:
    digits = text.removeprefix("-")
    if not digits.isdecimal() or not digits.isascii():
        return default
    return 0.0 if text.startswith("-") else now + min(int(digits[:12]), 1e9)


def _moment(text: str, default: float) -> float:
    from email.utils import parsedate_to_datetime  # few cookies have one

    try:
        read = parsedate_to_datetime(text)
        # Where no zone is said it is UTC (RFC 6265, 5.1.1), and not ours.
        return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return default
