"""Reads the search forms of a page: forms that are sent by GET and change nothing.

A form is left out if it has a field for a password, a file or a mail address, or if its address or
its fields speak of logging out, buying, subscribing and the like: even by GET some servers act.

The address of a form is also a link, which only a job with `[forms] search` follows:
`acting_addresses` names those that it leaves alone, by the same words.

Any bytes give forms or none; nothing here raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple
from urllib.parse import urljoin

from lxml import etree

from lycosa.extract.text.charset import to_utf8

LARGEST_BYTES = 2_000_000
"""Larger pages are not searched for forms."""
MOST_FORMS = 10
MOST_OPTIONS = 200
"""Most values of a list that are tried: the first ones."""

_FREE = frozenset({"", "text", "search"})
_DROPPED = frozenset({"submit", "button", "image", "reset", "checkbox"})
"""Types of fields that a browser sends only after a click."""
_ACTING_KINDS = frozenset({"password", "file", "email", "tel"})
_ACTS = re.compile(
    r"log-?(in|out|off)|sign-?(in|out|up)|pass(word|wd)|subscri|newsletter|e-?mail|cart|basket"
    r"|checkout|order|buy|pay|delete|remove|vote|comment|captcha|upload|register|contact|phone",
    re.IGNORECASE,
)


class Field(NamedTuple):
    """A field with the values that it can have."""

    name: str
    default: str
    values: tuple[str, ...] = ()
    """The values of a list or of radio buttons; none for free text."""
    is_free: bool = False
    is_hidden: bool = False
    hints: tuple[str, ...] = ()
    """The page's hints for a free text: suggestions, an example, its label."""


class Form(NamedTuple):
    """A form that is sent by GET."""

    action: str
    """The absolute URL that it is sent to, without query and fragment."""
    fields: tuple[Field, ...]
    captions: tuple[str, ...] = ()
    """The texts of its buttons."""

    @property
    def shown(self) -> int:
        """The number of fields that a reader sees."""
        return sum(not field.is_hidden for field in self.fields)


def forms_of(body: bytes, content_type: str | None, url: str) -> list[Form]:
    """Return the search forms of a page, each once."""
    root = _tree(body, content_type)
    if root is None:
        return []
    base = next((one.get("href", "") for one in root.iter("base") if one.get("href")), "")
    found: dict[Form, None] = {}
    for element in root.iter("form"):
        form = _form(element, _joined(url, base))
        if form is not None:
            found[form] = None
        if len(found) >= MOST_FORMS:
            break
    return list(found)


def headings_of(body: bytes, content_type: str | None) -> str:
    """Return the title and the headings of a page with forms, "" of any other."""
    root = _tree(body, content_type)
    if root is None:
        return ""
    return " ".join(_text(one) for one in root.iter("h1", "h2", "h3", "title"))


def acting_addresses(hrefs: Iterable[str], body: bytes, content_type: str | None) -> set[str]:
    """Return the addresses of forms, as the page writes them, that must not be requested.

    Their path, or a field of a form that is sent there, names an action.
    """
    acting = {href for href in hrefs if _ACTS.search(_path(href))}
    root = _tree(body, content_type)
    if root is None:
        return acting
    for element in root.iter("form"):
        if any(map(_is_acting, element.iter("input", "select", "textarea"))):
            buttons = element.xpath(".//*[@formaction]")
            addresses = [element.get("action"), *(one.get("formaction") for one in buttons)]
            acting.update((address or "").strip() for address in addresses)
    return acting


def _tree(body: bytes, content_type: str | None) -> Any:
    """Return the elements of a page with forms, None for any other."""
    if len(body) > LARGEST_BYTES or (b"<form" not in body and b"<FORM" not in body):
        return None
    try:
        parser = etree.HTMLParser(encoding="utf-8", recover=True, no_network=True)
        return etree.fromstring(to_utf8(body, content_type)[0], parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def _path(href: str) -> str:
    return href.partition("#")[0].partition("?")[0]


def _is_acting(field: Any) -> bool:
    """Tell whether a field is one of a form that changes something."""
    kind = (field.get("type") or "").strip().lower()
    return kind in _ACTING_KINDS or bool(_ACTS.search(field.get("name") or ""))


def _form(element: Any, base: str) -> Form | None:
    # Only GET is safe: a form that posts may change something there (RFC 9110, 9.2.1).
    if (element.get("method") or "get").strip().lower() != "get":
        return None
    path = _path(_joined(base, (element.get("action") or "").strip()))
    if not path.startswith(("http://", "https://")) or _ACTS.search(path):
        return None
    fields: dict[str, Field] = {}
    for one in element.iter("input", "select", "textarea"):
        name, kind = one.get("name") or "", (one.get("type") or "").strip().lower()
        if _is_acting(one):
            return None
        if not name or one.get("disabled") is not None:
            continue
        field = _field(one, name, kind, fields.get(name))
        if field is not None:
            fields[name] = field
    # A form with nothing to vary is a plain link.
    if not any(field.is_free or len(field.values) > 1 for field in fields.values()):
        return None
    return Form(path, tuple(fields.values()), _captions(element))


def _captions(form: Any) -> tuple[str, ...]:
    buttons = form.xpath(".//input[@type='submit']/@value")
    return tuple(map(str, buttons)) + tuple(map(_text, form.iter("button")))


def _hints(element: Any) -> tuple[str, ...]:
    """Return the hints for a free text: suggested values first, then its names."""
    root, name, suggested = element.getroottree(), element.get("id"), element.get("list")
    options = root.xpath("//datalist[@id=$list]//option", list=suggested) if suggested else ()
    labels = root.xpath("//label[@for=$name]", name=name) if name else []
    found = [_value(one) for one in options][:MOST_OPTIONS]
    found += [element.get(key) or "" for key in ("placeholder", "title", "aria-label")]
    found += [_text(one) for one in (*labels, *element.iterancestors("label"))]
    return tuple(hint for hint in found if hint)


def _field(element: Any, name: str, kind: str, before: Field | None) -> Field | None:
    if element.tag == "textarea":
        return Field(name, "", is_free=True, hints=_hints(element))
    if element.tag == "select":
        options = [(_value(one), one.get("selected") is not None) for one in element.iter("option")]
        values = tuple(dict.fromkeys(value for value, _ in options if value))[:MOST_OPTIONS]
        chosen = [value for value, is_chosen in options if is_chosen]
        first = options[0][0] if options else ""
        return Field(name, chosen[0] if chosen else first, values)
    if kind in _DROPPED:
        return None
    value = element.get("value") or ""
    # Buttons of one name are one field with several values.
    if kind == "radio":
        values = (*(before.values if before else ()), value)
        default = value if element.get("checked") is not None else before.default if before else ""
        return Field(name, default, values)
    if kind in _FREE:
        return Field(name, value, is_free=True, hints=_hints(element))
    return Field(name, value, is_hidden=kind == "hidden")


def _value(option: Any) -> str:
    value = option.get("value")
    return str(value) if value is not None else _text(option)


def _text(element: Any) -> str:
    return " ".join("".join(element.itertext()).split())


def _joined(base: str, reference: str) -> str:
    try:
        return urljoin(base, reference)
    except ValueError:
        return base
