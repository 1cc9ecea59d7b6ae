"""Makes CSV cells safe to open in a spreadsheet.

A title may read `=HYPERLINK(...)`, and a spreadsheet that opens the file would compute it. A text
that begins with `=`, `+`, `-` or `@` (or their full-width forms), a tab, a line end or NUL gets a
leading apostrophe, which tells a spreadsheet that it is text (OWASP, CSV Injection; CWE-1236).
In some countries spreadsheets split lines at semicolons or tabs instead of commas, so text
after one of these counts as a beginning too. Numbers (`-5`, `+1.5e3`) and a lone `-` stay as
they are.

`re` understands the expressions below, and so does RE2 in DuckDB and Arrow.
"""

from __future__ import annotations

import re

NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]"
FORMULA = r"""((?:^|[;\t\r\n])[ "]*)([=+\-@＝＋－＠])"""
INVISIBLE_FIRST = r"^([\t\r\n\x00])"

_NUMBER = re.compile(NUMBER)
_FORMULA = re.compile(FORMULA)
_INVISIBLE_FIRST = re.compile(INVISIBLE_FIRST)


def cell(text: str) -> str:
    """Return a text as it may stand in a cell."""
    if _NUMBER.fullmatch(text):
        return text
    return _INVISIBLE_FIRST.sub(r"'\1", _FORMULA.sub(r"\1'\2", text))


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
