"""The section of a job about logging in; secrets stand in the environment or a file, never here."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lycosa.model.job.keys import Record, key

SECRET = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
"""The placeholder of a secret: `${NAME}`."""
_SECRET = r"\$\{[A-Za-z_][A-Za-z0-9_]*\}"
_CONFIDENTIAL = r"(?i:[^=]*(pass|pwd|secret|token|pin)[^=]*)"


def origin_of(url: str) -> str:
    """Return scheme, host and port of a URL, in lower case."""
    return "/".join(url.lower().split("/", 3)[:3])


def _address(text: str) -> str:
    """Return a key for the address of a page."""
    address: str = key(
        "", text, pattern=r"(https?://[!-~]+)?", pattern_text="an http or https address"
    )
    return address


class Login(Record):
    """Logging in: by a form, by a header, or with cookies of a browser."""

    url: str = _address(
        "The address to which the login form is sent by POST, which a crawl sends to no other but "
        "those that `plugins.post` names."
    )
    fields: tuple[str, ...] = key(
        (),
        "The fields of the form as `name=${NAME}`. `${NAME}` stands for a secret: a variable of "
        "the environment, or a line of `secrets_file`. Only a field in `plain_fields` may have its "
        "value here, as `name=value`.",
        pattern=r"[^=]+=[^\n]*",
        pattern_text="`name=${NAME}` with the secret elsewhere",
        is_confidential=True,
    )
    plain_fields: tuple[str, ...] = key(
        (),
        "Names of fields whose values are not secret and may stand in `fields`, such as "
        "`user` or `remember`. A field whose name indicates a password cannot be one of them.",
        pattern=rf"(?!{_CONFIDENTIAL}$)[^=\n]+",
        pattern_text="names of fields that are not passwords",
    )
    page: str = _address(
        "The page with the login form. It is fetched first and its hidden fields are sent along; "
        "a redirect to it means that the session is lost."
    )
    check: str = _address(
        "A page that only members see. It is fetched after every login, which has failed if the "
        "page is refused, leads to the login, shows its form or lacks `check_text`. Without it the "
        "answer to the form decides."
    )
    check_text: str = key(
        "", "Text that the page `check` has only for members, such as the name of the account."
    )
    headers: tuple[str, ...] = key(
        (),
        "Headers with secrets, each for one origin: "
        "`https://example.org Authorization: Bearer ${TOKEN}`. A host without a scheme means https "
        "and the origins of the job's seeds with that host; another port or `http://` gets nothing "
        "unless it is named.",
        pattern=rf"(https?://)?[^*\s/]+ [A-Za-z0-9!#$%&'*+.^_`|~-]+: [ -~]*{_SECRET}[ -~]*",
        pattern_text="`origin Name: value` with `${NAME}` in the value",
        is_confidential=True,
    )
    cookie_file: str = key(
        "",
        "Cookies in the format of Netscape, as browsers and curl write them; each is sent to its "
        "domain alone, over https or to origins of seeds. Others must not be able to read the "
        "file (chmod 600).",
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
        "Most logins of a run, the first one included; sessions get lost.",
        unit="logins",
        least=1,
        most=1000,
    )
    follow_logout: bool = key(
        False, "Also follow links whose address looks like a logout, which would end the session."
    )

    def contradictions(self) -> Iterator[str]:
        """Yield the faults of the section as a whole, without the value of a field."""
        for name, url in (("page", self.page), ("check", self.check)):
            if url and self.url and origin_of(url) != origin_of(self.url):
                yield (
                    f"has `{name}` at {origin_of(url)}, but the form is sent to "
                    f"{origin_of(self.url)}\n"
                    "  the session belongs to the origin (scheme, host and port) of `url`"
                )
        if self.check_text and not self.check:
            yield "has `check_text` without `check`\n  add the address of the page that has it"
        for name, _, value in (field.partition("=") for field in self.fields):
            if name not in self.plain_fields and not SECRET.fullmatch(value):
                yield (
                    f"has the value of `{name}` in `fields`\n"
                    f"  write {name}=${{NAME}} and give the secret in the environment or "
                    f"`secrets_file`; if it is not a secret: plain_fields = [{name!a}]"
                )

    @property
    def is_used(self) -> bool:
        """Whether the job logs in anywhere."""
        return bool(self.url or self.headers or self.cookie_file)
