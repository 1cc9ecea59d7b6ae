"""What a crawl sends to hosts that it is logged in to, and what the archive sees of that.

Secrets come from the environment or from a file that others cannot read. They are put into
requests and nowhere else: `redacted` takes them, and the session cookies, out of the records of an
exchange before anything else sees these.

Always true: a secret header goes to the host that it is named for, a cookie to its domain.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from msgspec.structs import replace

from lycosa.config.login import Login
from lycosa.errors import ConfigError
from lycosa.fetch.secrets import filled, private_lines, secrets_of
from lycosa.records import Answer

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

    def is_for(self, host: str) -> bool:
        """Return whether a host gets the cookie."""
        return host == self.domain or (self.has_subdomains and host.endswith(f".{self.domain}"))


class Access:
    """The secrets of a job, ready to be sent; raises `ConfigError` where one is missing."""

    def __init__(self, login: Login) -> None:
        secrets = secrets_of(login.secrets_file)
        self._lines: dict[str, tuple[str, ...]] = {}
        names = {"cookie", "authorization"}
        for entry in login.headers:
            host, _, line = entry.partition(" ")
            host = host.lower()
            self._lines[host] = (
                *self._lines.get(host, ()),
                filled(line, secrets, "[login] headers"),
            )
            names.add(line.partition(":")[0].lower())
        self.cookies = _read_cookies(login.cookie_file) if login.cookie_file else []
        self.fields = [
            (name, filled(value, secrets, "[login] fields"))
            for name, _, value in (field.partition("=") for field in login.fields)
        ]
        """Of the login form."""
        self._form_host = _host_of(login.url) if login.url else ""
        listed = b"|".join(re.escape(name.encode()) for name in sorted(names))
        self._asked = re.compile(rb"(?im)^(" + listed + rb"):[^\r\n]*")

    def lines(self, host: str) -> tuple[str, ...]:
        """Return the secret header lines for a host."""
        return self._lines.get(host, ())

    def keeps_cookies_of(self, host: str) -> bool:
        """Return whether a session with this host is kept."""
        return host == self._form_host or any(cookie.is_for(host) for cookie in self.cookies)

    def redacted(self, host: str, answer: Answer) -> Answer:
        """Return an answer without the secrets that were sent for it, and without its session."""
        if host not in self._lines and not self.keeps_cookies_of(host):
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
            beginning=self.redacted(host, beginning) if beginning is not None else None,
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
                f"{file}, line {number}: is no cookie in the format of Netscape\n"
                "  seven columns with tabs: domain, subdomains, path, secure, expires, name, value"
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


def _host_of(url: str) -> str:
    authority = url.partition("://")[2].partition("/")[0]
    host, colon, port = authority.rpartition(":")
    return (host if colon and port.isdecimal() else authority).lower()
