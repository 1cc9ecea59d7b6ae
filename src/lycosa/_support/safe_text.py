"""Makes text from the web safe to print on a terminal, or to open in a spreadsheet.
A title can hold characters that a terminal obeys (colours, the cursor, its title), that reverse
the direction of the following text (after U+202E `gpj.exe` is shown as `exe.jpg`), or that are
invisible. Each of them is replaced by its number: `⟨U+202E⟩`.

A title may also read `=HYPERLINK(...)`, which a spreadsheet that opens a CSV file would compute. So
a text that begins with `=`, `+`, `-` or `@` (or their full-width forms), a tab, a line end or NUL
gets a leading apostrophe, which tells a spreadsheet that it is text (OWASP, CSV Injection;
CWE-1236). In some countries spreadsheets split lines at semicolons or tabs instead of commas, so
text after one of these counts as a beginning too. Numbers (`-5`, `+1.5e3`) and a lone `-` stay.

Command lines that a person types are made here, too.
"""

from __future__ import annotations

import re
import shlex

# The patterns are strings: `re` compiles them at first use, and most texts are ASCII.
_INVISIBLE = (
    "[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff"
    "\U000e0000-\U000e0fff]"
)

# Joiners and variation selectors are left: Persian, Hindi and emoji are written with them.
_UNRULY = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff"
    "\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]"
)

# `re` understands these expressions, and so does RE2 in DuckDB and Arrow.
NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]"
FORMULA = r"""((?:^|[;\t\r\n])[ "]*)([=+\-@＝＋－＠])"""
INVISIBLE_FIRST = r"^([\t\r\n\x00])"


def command(name: str, path: object, *rest: str) -> str:
    """Return a command line that can be typed as it is; `path` may be the address of a log."""
    if name == "resume" and "://" in str(path):
        return shlex.join(["lycosa", "join", str(path), "-o", "DIR", *rest])
    return shlex.join(["lycosa", *name.split(), str(path), *rest])


def visible(text: str) -> str:
    """Replace characters that are invisible, or move other text, by their numbers."""
    return re.sub(_INVISIBLE, _number, text)


def on_screen(text: str) -> str:
    """Replace characters that control a terminal or move its cursor by their numbers.

    Line ends and tabs stay.
    """
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return re.sub(_UNRULY, _number, text.replace("\r\n", "\n"))


def in_json(text: str) -> str:
    """Return the same JSON with such characters as JSON escapes."""
    return re.sub(_UNRULY, _json_escape, text)


def _number(found: re.Match[str]) -> str:
    return f"⟨U+{ord(found[0]):04X}⟩"


def _json_escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[place : place + 4]}" for place in range(0, len(units), 4))


def cell(text: str) -> str:
    """Return a text as it may stand in a cell."""
    if re.fullmatch(NUMBER, text):
        return text
    return re.sub(INVISIBLE_FIRST, r"'\1", re.sub(FORMULA, r"\1'\2", text))


def cell_in_sql(column: str) -> str:
    """Return the expression that does the same to a column of text in DuckDB."""
    formula, first, number = (
        pattern.replace("'", "''") for pattern in (FORMULA, INVISIBLE_FIRST, NUMBER)
    )
    is_plain = (  # most texts are plain, and one search is quicker than two replacements
        f"not regexp_matches({column}, '{formula}|{first}')"
        f" or regexp_full_match({column}, '{number}')"
    )
    return (
        f"case when {is_plain} then {column} else regexp_replace("
        rf"regexp_replace({column}, '{formula}', '\1''\2', 'g'), '{first}', '''\1') end"
    )
