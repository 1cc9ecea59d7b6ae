"""The tree that keys form: cuts a key into steps at labels, site, folders and query.

A key is cut after every label of its host, after its site, after every folder and after
the question mark:

    org.example.www:s/video/clips/x.html?page=3
    org. example. www: s/ video/ clips/ x.html? page=3

The part before a cut is a *node*: `org.example.` is one, `org.example.www:s/video/` too.
All keys that begin with a node lie below it, and they stand side by side in key order. A key
may itself be a node, as folders are; then it is the node's *own* URL.

Always true:
  * every node of a key but the last ends in `.`, `:`, `/` or `?`;
  * an address in brackets is one label: `[::1]: 81/ x`.
"""

from __future__ import annotations


def segment_end(key: str, start: int) -> int:
    """Return where the step ends that begins at `start`; the key's length is the last end."""
    slash = key.index("/")
    if start <= slash:
        return _end_in_site(key, start, slash)
    mark = key.find("?", slash)
    if 0 <= mark < start:
        return len(key)
    end = key.find("/", start, mark if mark >= 0 else len(key))
    return (mark if end < 0 else end) + 1 or len(key)


def is_node(prefix: str) -> bool:
    """Return whether a beginning of a key, or a whole key, ends where a step ends.

    The part before the path is taken to end there.
    """
    if "/" not in prefix:
        return True
    mark = prefix.find("?")
    return mark == len(prefix) - 1 if mark >= 0 else prefix[-1] == "/"


def host_node(key: str) -> str:
    """Return the node of a key's host: `org.example.www:`."""
    return key[: key.index(":", key.index("]") if key[0] == "[" else 0) + 1]


def _end_in_site(key: str, start: int, slash: int) -> int:
    if key[0] == "[":
        colon = key.index("]") + 1
        return colon + 1 if start <= colon else slash + 1
    dot = key.find(".", start, slash)
    if dot >= 0:
        return dot + 1
    colon = key.find(":", start, slash)
    return (colon if colon >= 0 else slash) + 1
