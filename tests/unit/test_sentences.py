"""Docstrings, comments and messages are plain English, with a noun or a verb at every head."""

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from offenders import none_of

SOURCE = Path(__file__).parents[2] / "src"

# "One worker runs" has a noun as its subject, "One that runs" has none.
OPENING = re.compile(
    r"(?:What|Who|Whom|Whoever|Whose|Whatever|Those|That which|Nobody|Somebody"
    r"|One(?= (?:that|who|whose|which|with|without|for|to|in|of|is|has|can|may|must)\b)"
    r"|So (?:long|many|much|often|far))\b(?!-)"
)
# "There is no page" is English, "this is no page" is not.
INSIDE = re.compile(
    r"(?<!here )\b(?:is|are|was|be) no (?!longer\b|more\b|less\b|later\b|earlier\b)(?=\w)"
    r"|(?<!`)\banew\b"
)


def _docstrings(text: str) -> Iterator[tuple[int, str]]:
    """Yield every docstring of a module, and those of attributes, with their lines."""
    for node in ast.walk(ast.parse(text)):
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else ():
            match statement:
                case ast.Expr(value=ast.Constant(value=str(words))):
                    yield statement.lineno, words


def _messages(text: str) -> Iterator[tuple[int, str]]:
    """Yield the texts of errors that a module raises, and the help texts of flags."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Raise(exc=ast.Call(args=texts)) | ast.keyword(arg="help", value=texts):
                for said in texts if isinstance(texts, list) else [texts]:
                    yield from ((said.lineno, words) for words in _words_of(said))


def _words_of(said: ast.expr) -> Iterator[str]:
    match said:
        case ast.Constant(value=str(words)):
            yield words
        case ast.JoinedStr(values=parts):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "…" for part in parts
            )


def _comments(text: str) -> Iterator[tuple[int, str]]:
    """Yield every comment of a module with its line; lines that follow each other are joined."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    comments = ((one.start[0], one.string) for one in tokens if one.type == tokenize.COMMENT)
    yield from _joined(comments)


def _joined(comments: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    since = line = 0
    joined = ""
    for number, comment in comments:
        if number != line + 1:
            yield since, joined
            since, joined = number, ""
        line = number
        joined = f"{joined} {comment.lstrip('#: ')}".strip()
    yield since, joined


def _of_cython(text: str) -> Iterator[tuple[int, str]]:
    """Yield docstrings and comments of a module that `ast` cannot read."""
    for found in re.finditer(r'"""(.*?)"""', text, re.DOTALL):
        yield text.count("\n", 0, found.start()) + 1, found[1]
    code = re.sub(r'""".*?"""', lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL)
    code = re.sub(r'"(?:[^"\\\n]|\\.)*"', "0", code)
    lines = enumerate(code.splitlines(), 1)
    yield from _joined((number, line[line.index("#") :]) for number, line in lines if "#" in line)


def _sentences(text: str) -> list[str]:
    """Cut a text at blank lines, at the items of a list, and after every sentence."""
    parts = re.split(r"\n\s*\n|\n\s*[*-] ", f"\n{text}")
    joined = [" ".join(part.split()) for part in parts]
    return [sentence for part in joined for sentence in re.split(r"(?<=[.!?])\s+", part)]


def _offenders() -> Iterator[str]:
    for path in sorted(SOURCE.rglob("*.p*")):
        if path.suffix not in (".py", ".pyx", ".pxi", ".pxd", ".pyi"):
            continue
        text = path.read_text()
        found = _of_cython(text)
        if path.suffix == ".py":
            found = chain(_docstrings(text), _comments(text), _messages(text))
        for line, words in found:
            for sentence in _sentences(words):
                if OPENING.match(sentence) or INSIDE.search(sentence):
                    yield f"{path.relative_to(SOURCE.parent)}:{line}: {sentence}"


def test_sentences_have_a_noun_or_a_verb_at_their_head() -> None:
    none_of(_offenders())


def test_the_rule_knows_a_bad_sentence_from_a_good_one() -> None:
    bad = ["What is written.", "Write it. Who reads it waits.", "Two:\n  * One that waits"]
    bad += ["This is no page.", "Read it anew."]
    good = ["There is no page.", "It is no longer read.", "Write what is given.", "One-way road."]
    for texts, expected in ((bad, True), (good, False)):
        for text in texts:
            found = any(OPENING.match(one) or INSIDE.search(one) for one in _sentences(text))
            assert found is expected, text
