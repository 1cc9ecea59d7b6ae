"""Matches users' regular expressions in bounded time.

Python's `re` backtracks: `(a+)+$` takes twice as long for every further letter, and strangers
choose the letters. So expressions are matched by RE2, whose time grows linearly with the text and
which for that reason has neither look-around nor back-references. Crawls begun before this change
may use expressions that only `re` understands; these are matched in a process that is killed when
it takes too long. docs/decisions/0033-linear-expressions.md explains the choice, with figures.

    expression  the interface of a compiled expression, and the exception `TooSlow`
    linear      compiles an expression for RE2, or explains what to write instead
    killable    matches with `re` in a process that can be killed

Neither of the two engines is imported before the first expression is compiled.
"""

from __future__ import annotations

from lycosa.regex.expression import Expression as Expression
from lycosa.regex.expression import TooSlow as TooSlow


def compile_expression(text: str, *, may_be_slow: bool = False) -> Expression:
    """Compile an expression, or raise ValueError with what is wrong and the remedy.

    `may_be_slow` is for older crawls: expressions that only `re` understands are then matched in
    a process of their own, and their methods may raise `TooSlow`.
    """
    from lycosa.regex.linear import NotLinear, compile_linear

    try:
        return compile_linear(text)
    except NotLinear:
        if not may_be_slow:
            raise
    from lycosa.regex.killable import KillableExpression

    return KillableExpression(text)
