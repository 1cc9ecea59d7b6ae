"""Reads the form of a login: its hidden fields, and whether a page shows it again.

Any bytes give a form or none; nothing here raises.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from lycosa.extract.text.charset import to_utf8
from lycosa.model.records import Answer

LARGEST_BYTES = 2_000_000
"""Larger pages are not searched for the form."""


def hidden_fields(answer: Answer, given: Collection[str]) -> list[tuple[str, str]] | None:
    """Return the hidden fields of the form that has the first of the fields given; None if none."""
    for form in _forms(answer):
        fields = _fields(form)
        if {name for name, _, _ in fields}.issuperset(list(given)[:1]):
            return [
                (name, value)
                for name, kind, value in fields
                if kind == "hidden" and name and name not in given
            ]
    return None


def shows_form(answer: Answer, given: Collection[str]) -> bool:
    """Return whether a page has the form of the login, with its field for the password.

    A form to change the password has other fields beside it, so the first field given counts, too.
    """
    for form in _forms(answer):
        fields = _fields(form)
        has_password = any(kind == "password" and name in given for name, kind, _ in fields)
        if has_password and {name for name, _, _ in fields}.issuperset(list(given)[:1]):
            return True
    return False


def _forms(answer: Answer) -> Iterator[Any]:
    body = answer.body
    if not body or len(body) > LARGEST_BYTES or b"<form" not in body.lower():
        return
    from lxml import etree

    markup = to_utf8(body, answer.header("content-type"))[0]
    try:
        root = etree.fromstring(markup, etree.HTMLParser(encoding="utf-8", no_network=True))
    except (etree.XMLSyntaxError, ValueError):
        return
    if root is not None:
        yield from root.iter("form")


def _fields(form: Any) -> list[tuple[str, str, str]]:
    """Return name, type and value of the fields of a form."""
    return [
        (one.get("name") or "", (one.get("type") or "").strip().lower(), one.get("value") or "")
        for one in form.iter("input", "button")
    ]
