"""Headers and cookies for hosts that a crawl is logged in to; the archive does not see them.

Secrets come from the environment or from a file that others cannot read. They are put into
requests and nowhere else: `redacted` takes them, and the session cookies, out of the records of an
exchange before anything else sees these.

Secrets are bound to origins, because a page may link to any port and scheme of a host, and whoever
listens there is not who the secret is for. A host without a scheme means its origin with https, and
those of the job's own seeds; a cookie of a file goes to such origins of its domain.

Always true: a secret header goes to the origins that it is named for, a cookie to its domain.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from msgspec.structs import replace

from lycosa.errors import ConfigError
from lycosa.fetch.secrets import filled, private_lines, secrets_of
from lycosa.model.job.login import Login
from lycosa.model.records import Answer

HIDDEN = "[redacted]"

_SET_COOKIE = re.compile(rb"(?im)^(set-cookie:[ \t]*[^=;\r\n]*=)[^;\r\n]*")
_COOKIE = re.compile(r"^([^=;]*=)[^;]*")


class GivenCookie(NamedTuple):
    """A cookie of the job's file."""

    domain: str
    has_subdomains: bool
    path: str
    is_secure: bool
    expires: float
    name: str
    value: str

    def is_for(self, site: str, typed: Collection[str]) -> bool:
        """Return whether an origin gets the cookie: one with https, or one that was typed."""
        host, port = host_and_port(site)
        is_in = host == self.domain or (self.has_subdomains and host.endswith(f".{self.domain}"))
        return is_in and (site in typed or (site.startswith("https://") and not port))


class Access:
    """The secrets of a job, ready to be sent; raises `ConfigError` where one is missing."""

    def __init__(self, login: Login, typed: Collection[str] = ()) -> None:
        self.typed = frozenset(typed)
        """The origins of the job's seeds, as `http://a.test:81`."""
        secrets = secrets_of(login.secrets_file)
        self._lines: dict[str, tuple[str, ...]] = {}
        names = {"cookie", "authorization"}
        for entry in login.headers:
            place, _, line = entry.partition(" ")
            line_with_secret = filled(line, secrets, "[login] headers")
            for site in origins_of(place, self.typed):
                self._lines[site] = (*self._lines.get(site, ()), line_with_secret)
            names.add(line.partition(":")[0].lower())
        self.cookies = _read_cookies(login.cookie_file) if login.cookie_file else []
        self.fields = [
            (name, filled(value, secrets, "[login] fields"))
            for name, _, value in (field.partition("=") for field in login.fields)
        ]
        """Of the login form."""
        self._form_site = _plain(login.url) if login.url else ""
        listed = b"|".join(re.escape(name.encode()) for name in sorted(names))
        self._asked = re.compile(rb"(?im)^(" + listed + rb"):[^\r\n]*")

    def lines(self, site: str) -> tuple[str, ...]:
        """Return the secret header lines for an origin."""
        return self._lines.get(site, ())

    def keeps_cookies_of(self, site: str) -> bool:
        """Return whether a session with this origin is kept."""
        given = (cookie.is_for(site, self.typed) for cookie in self.cookies)
        return site == self._form_site or any(given)

    def redacted(self, site: str, answer: Answer) -> Answer:
        """Return an answer without the secrets that were sent for it, and without its session."""
        if site not in self._lines and not self.keeps_cookies_of(site):
            return answer
        hidden = HIDDEN.encode()
        beginning = answer.beginning
        return replace(
            answer,
            asked=self._asked.sub(rb"\1: " + hidden, answer.asked),
            head=_SET_COOKIE.sub(rb"\1" + hidden, answer.head),
            headers=tuple(
                (name, _COOKIE.sub(rf"\1{HIDDEN}", value) if _sets_cookie(name) else value)
                for name, value in answer.headers
            ),
            by_name={
                name: HIDDEN if name == "set-cookie" else value
                for name, value in answer.by_name.items()
            }
            if answer.by_name is not None
            else None,
            beginning=self.redacted(site, beginning) if beginning is not None else None,
        )


def _sets_cookie(name: str) -> bool:
    return name.lower() == "set-cookie"


def _read_cookies(file: str) -> list[GivenCookie]:
    """Read a cookie file; a line that is none is an error without its content."""
    found = []
    for number, line in enumerate(private_lines(file, "cookie_file"), 1):
        text = line.removeprefix("#HttpOnly_")
        if not text.strip() or text.startswith("#"):
            continue
        parts = text.split("\t")
        is_whole = len(parts) == 7 and all((parts[0], parts[2].startswith("/"), parts[5]))
        if not is_whole or not parts[4].isdigit() or not (parts[5] + parts[6]).isprintable():
            raise ConfigError(
                f"{file}, line {number}: is not a Netscape cookie line\n"
                "  expected 7 columns with tabs between: domain, subdomains, path, secure, expires,"
                " name, value"
            )
        domain, subdomains, path, secure, expires, name, value = parts
        found.append(
            GivenCookie(
                domain.lstrip(".").lower(),
                subdomains.upper() == "TRUE",
                path,
                secure.upper() == "TRUE",
                float(expires) or float("inf"),
                name,
                value,
            )
        )
    return found


def origins_of(place: str, typed: Collection[str]) -> list[str]:
    """Return the origins that a header is for; `place` is an origin, or a host with its port.

    A host without a scheme is asked over https, and where a seed of the job has it.
    """
    if "://" in place:
        return [_plain(place)]
    name = place.lower()
    seeds = (site for site in typed if name in (site.partition("://")[2], host_and_port(site)[0]))
    return sorted({_plain(f"https://{name}"), *seeds})


def host_and_port(site: str) -> tuple[str, str]:
    """Return host and port of an origin; the port is empty if it is the scheme's own."""
    authority = site.partition("://")[2]
    host, colon, port = authority.rpartition(":")
    return (host, port) if colon and port.isdecimal() else (authority, "")


def _plain(url: str) -> str:
    """Return the origin of a URL, without the scheme's own port."""
    scheme, _, rest = url.lower().partition("://")
    site = f"{scheme}://{rest.partition('/')[0]}"
    return site.removesuffix(":443" if scheme == "https" else ":80")
