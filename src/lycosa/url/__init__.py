"""What a URL is to Lycosa, from an href in a page to a key that a job wants.

An href is resolved against its page and parsed as a browser would (`parse`). It is given
one spelling (`canonicalize`), which merges only what no server can tell apart, or it is
refused for a reason that has a name (`refusal`). From then on it travels as a *key*
(`key_of`): the same URL with its host reversed, so that what belongs together sorts
together, and `url_of` turns it back. The way from href to key is taken for every link of
every page, so it is also there in one compiled call (`canonical_key`, `canonical_keys`).
Last comes the job's opinion: a `Scope` runs the key down the job's list of rules
(`parse_rules`), which accept it, reject it or transform it. What comes out is what the
frontier may admit.
"""

from lycosa.url._ada import (
    LONGEST_HREF,
    LONGEST_URL,
    canonical_key,
    canonical_keys,
    parse,
    url_of,
)
from lycosa.url.canonical import canonicalize, refusal
from lycosa.url.key import (
    host_of,
    is_dynamic,
    key_of,
    reversed_host_of,
    site_of,
    site_url,
)
from lycosa.url.rules import Action, Rule, parse_rules
from lycosa.url.scope import Scope, Verdict

__all__ = [
    "LONGEST_HREF",
    "LONGEST_URL",
    "Action",
    "Rule",
    "Scope",
    "Verdict",
    "canonical_key",
    "canonical_keys",
    "canonicalize",
    "host_of",
    "is_dynamic",
    "key_of",
    "parse",
    "parse_rules",
    "refusal",
    "reversed_host_of",
    "site_of",
    "site_url",
    "url_of",
]
