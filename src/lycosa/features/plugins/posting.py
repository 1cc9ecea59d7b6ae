"""Reads what a hook hands to `page.post`: a URL or a form, and fields or a body.

Of a form that was selected, its address and its fields as the page has them are taken, as a browser
would send them without a click: no buttons, no boxes that are not checked, no files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

import msgspec

from lycosa.features.plugins.following import targets_of
from lycosa.model.url.posts import FORM, JSON, Body

Field = tuple[str, str]

_NOT_SENT = frozenset({"submit", "image", "button", "reset", "file"})


def posting_of(target: object, data: object, json: object, content_type: str) -> tuple[str, Body]:
    """Return the URL, as the hook or the form has it, and the body; errors for what has none."""
    url, fields = _place_of(target)
    if json is not None:
        if data is not None or fields:
            raise ValueError("either fields or JSON are posted, not both")
        return url, Body(msgspec.json.encode(json), content_type or JSON)
    if isinstance(data, str | bytes):
        if fields:
            raise ValueError("the fields of a form are given as a dict")
        content = data.encode() if isinstance(data, str) else data
        return url, Body(content, _valid(content_type or FORM))
    if content_type and content_type != FORM:
        raise ValueError(f"fields are posted as a form, not as {content_type:.100}")
    given = list(_pairs(data))
    names = {name for name, _ in given}
    sent = [*(pair for pair in fields if pair[0] not in names), *given]
    return url, Body(urlencode(sent).encode())


def _valid(content_type: str) -> str:
    if not content_type.isascii() or not content_type.isprintable() or "/" not in content_type:
        raise ValueError(f"{content_type!r:.100} is not a content type")
    return content_type


def _place_of(target: object) -> tuple[str, list[Field]]:
    """Return an address, and the fields of a form."""
    root = _form_of(target)
    if root is not None:
        return str(root.get("action") or "").strip(), list(_fields_of(root))
    found = list(targets_of(target))
    if len(found) != 1:
        raise ValueError(f"one URL or form is posted to, not {len(found)}")
    return found[0].url, []


def _form_of(target: Any) -> Any:
    """Return the element `form` that was selected, or None."""
    if not isinstance(target, str) and not hasattr(target, "root") and hasattr(target, "xpath"):
        some = list(target)  # a list of selectors, as `page.css` gives it
        if not some:
            raise ValueError("no form was selected: nothing on the page matches")
        target = some[0]
    root = getattr(target, "root", None)
    return root if getattr(root, "tag", None) == "form" else None


def _fields_of(form: Any) -> Iterator[Field]:
    for one in form.iter("input", "textarea", "select"):
        name = one.get("name")
        if not name or one.get("disabled") is not None:
            continue
        kind = (one.get("type") or "text").strip().lower()
        if one.tag == "textarea":
            yield name, "".join(one.itertext())
        elif one.tag == "select":
            yield from ((name, value) for value in _chosen(one))
        elif kind in ("checkbox", "radio"):
            if one.get("checked") is not None:
                yield name, one.get("value", "on")
        elif kind not in _NOT_SENT:
            yield name, one.get("value") or ""


def _chosen(select: Any) -> list[str]:
    """Return the values of a list that are chosen: the first, if none is and one must be."""
    options = list(select.iter("option"))
    chosen = [one for one in options if one.get("selected") is not None]
    if select.get("multiple") is None:
        chosen = chosen[-1:] or options[:1]
    return [one.get("value", "".join(one.itertext()).strip()) for one in chosen]


def _pairs(data: object) -> Iterator[Field]:
    if data is None:
        return
    given: Iterable[Any] = data.items() if isinstance(data, Mapping) else _listed(data)
    for pair in given:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise TypeError(f"a field is a name and a value, not {pair!r:.100}")
        name, value = pair
        if value is None:
            continue
        for one in value if isinstance(value, list | tuple) else [value]:
            if not isinstance(one, str | int | float) or not isinstance(name, str):
                raise TypeError(f"the field {name!r:.100} cannot be posted with {one!r:.100}")
            yield name, str(one)


def _listed(data: object) -> Iterable[Any]:
    if not isinstance(data, Iterable):
        raise TypeError(f"fields are a dict or pairs, not {data!r:.100}")
    return data
