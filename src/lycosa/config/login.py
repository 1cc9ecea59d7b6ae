"""The section of a job about logging in; secrets stand in the environment or a file, never here."""

from __future__ import annotations

import re

from lycosa.config.keys import Record, key

SECRET = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
"""Where a secret goes: `${NAME}`."""
_SECRET = r"\$\{[A-Za-z_][A-Za-z0-9_]*\}"
_CONFIDENTIAL = r"(?i:[^=]*(pass|pwd|secret|token|pin)[^=]*)"


def _address(text: str) -> str:
    """Return a key for the address of a page."""
    address: str = key(
        "", text, pattern=r"(https?://[!-~]+)?", pattern_text="an http or https address"
    )
    return address


class Login(Record):
    """Logging in: by a form, by a header, or with cookies of a browser."""

    url: str = _address(
        "The address to which the login form is sent by POST: the only POST that a crawl sends."
    )
    fields: tuple[str, ...] = key(
        (),
        "The fields of the form as `name=value`. `${NAME}` stands for a secret: a variable of "
        "the environment, or a line of `secrets_file`. Passwords must be such.",
        pattern=rf"{_CONFIDENTIAL}={_SECRET}|(?!{_CONFIDENTIAL}=)[^=]+=[^\n]*",
        pattern_text="`name=value`, and `password=${NAME}` with the secret elsewhere",
    )
    page: str = _address(
        "The page with the login form. It is fetched first and its hidden fields are sent along; "
        "a redirect to it means that the session is lost."
    )
    headers: tuple[str, ...] = key(
        (),
        "Headers with secrets, each for one host: `example.org Authorization: Bearer ${TOKEN}`.",
        pattern=rf"[^*\s]+ [A-Za-z0-9!#$%&'*+.^_`|~-]+: [ -~]*{_SECRET}[ -~]*",
        pattern_text="`host Name: value` with `${NAME}` in the value",
    )
    cookie_file: str = key(
        "",
        "Cookies in the format of Netscape, as browsers and curl write them; each is sent to its "
        "domain alone. Others must not be able to read the file (chmod 600).",
        is_path=True,
    )
    secrets_file: str = key(
        "",
        "A file with lines `NAME=value` for secrets that are not in the environment. Others must "
        "not be able to read it (chmod 600).",
        is_path=True,
    )
    most_logins: int = key(
        5,
        "How often a run logs in, the first time included; sessions get lost.",
        unit="logins",
        least=1,
        most=1000,
    )
    follow_logout: bool = key(
        False, "Also follow links whose address speaks of logging out, which would end the session."
    )

    @property
    def is_used(self) -> bool:
        """Whether the job logs in anywhere."""
        return bool(self.url or self.headers or self.cookie_file)
