"""URLs: parsing, one spelling, sortable keys, and the job's rules about them.

An href is resolved against its page and parsed as a browser would (`parse`). It is given
one spelling (`canonicalize`), which merges only spellings that no server can tell apart, or it is
refused with a named reason (`refusal`). From then on it travels as a *key* (`key_of`): the same URL
with its host reversed, so that URLs of one site and one domain sort together; `url_of` turns it
back. The steps from href to key are needed for every link of every page, so they also exist as one
compiled call (`canonical_key`, `canonical_keys`). Last come the job's rules: a `Scope` runs the key
down the list (`parse_rules`), which accepts, rejects or transforms it. The frontier may admit the
result.

    _ada         parses, canonicalizes and keys URLs, by the ada library (compiled)
    canonical    the canonical form, and the reasons for refusing a URL
    key          keys of canonical URLs
    rules        reads the `[[rules]]` tables of a job
    conditions   conditions that a rule can have
    transforms   changes that a rule can make to a URL
    copies       URLs that name another view of a page: session ids, print versions
    ready_lists  lists that a rule can name: session ids, tracking, traps
    scope        decides whether a job wants a URL
    posts        addresses of what plugins post: a URL and a body
    views        fragments that name views of a page
"""

from lycosa.model.url._ada import (
    LONGEST_HREF,
    LONGEST_URL,
    canonical_key,
    canonical_keys,
    parse,
    url_of,
)
from lycosa.model.url.canonical import canonicalize, refusal
from lycosa.model.url.key import (
    host_of,
    is_dynamic,
    key_of,
    reversed_host_of,
    site_of,
    site_url,
)
from lycosa.model.url.rules import Action, Rule, parse_rules
from lycosa.model.url.scope import Scope, Verdict

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
