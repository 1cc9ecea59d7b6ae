"""The canonical form of a URL: one spelling per page, and never one spelling for two pages.

A browser's parser (the WHATWG URL Standard) already lower-cases scheme and host, turns
international names into their ASCII form, drops a port that is the scheme's own, removes
dot segments and gives an empty path its "/". Beyond that the canonical form

  * drops the fragment, which is never sent;
  * drops a "?" that nothing follows;
  * writes the letters of `%3a` in upper case (RFC 3986, 6.2.2.1); `%zz` stays as it is.

That is all. The case of a path, a trailing slash, the order of parameters, `index.html`,
`www.` and `%41` for `A` stay as they are, because some servers tell them apart:
see docs/decisions/0001-urls.md and 0046. A job that knows better can add a transform
rule (lycosa.model.url.rules).

Always true:
  * `canonicalize(canonicalize(u)) == canonicalize(u)`;
  * a canonical URL is ASCII, at most `LONGEST_URL` long, http or https, without credentials.

Not here: the compiled call that does this for all links of a page (`canonical_keys`).
"""

import re

from lycosa.model.url._ada import LONGEST_HREF, LONGEST_URL, parse

_ESCAPE = re.compile("%[0-9A-Fa-f]{2}")


def canonicalize(url: str, base: str | None = None) -> str | None:
    """Return the canonical form of a URL, or None if it has none (see `refusal`)."""
    canonical, _ = _decide(url, base)
    return canonical


def refusal(href: str, base: str | None = None) -> str | None:
    """Say why a reference has no canonical form, or None if it has one.

    `invalid`      the URL Standard cannot parse it;
    `scheme`       it is neither http nor https;
    `credentials`  it carries a user name or a password, which are not ours to use;
    `too-long`     it is longer than `LONGEST_URL`, or than `LONGEST_HREF` as given.
    """
    _, reason = _decide(href, base)
    return reason


def _decide(url: str, base: str | None) -> tuple[str | None, str | None]:
    if len(url) > LONGEST_HREF:
        return None, "too-long"
    href = parse(url, base)
    if href is None:
        return None, "invalid"
    if not href.startswith(("http://", "https://")):
        return None, "scheme"
    if "@" in href[: href.index("/", 8)]:
        return None, "credentials"
    href = href.partition("#")[0]
    if href.find("?") == len(href) - 1:
        href = href[:-1]
    if len(href) > LONGEST_URL:
        return None, "too-long"
    if "%" in href:
        href = _ESCAPE.sub(lambda escape: escape[0].upper(), href)
    return href, None
