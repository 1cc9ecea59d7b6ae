"""Docstrings and comments are plain English: every sentence has a noun or a verb at its head."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "lycosa"

# A package, a folder of one, or a module goes in here as soon as its sentences are plain.
FINISHED: tuple[str, ...] = (
    "__init__.py",
    "__main__.py",
    "amounts.py",
    "api",
    "beneath.py",
    "channel.py",
    "cli",
    "clock.py",
    "cluster",
    "config",
    "crawl/__init__.py",
    "crawl/apart",
    "crawl/checking",
    "crawl/control",
    "crawl/copying",
    "crawl/directory.py",
    "crawl/ending.py",
    "crawl/inspect",
    "crawl/job_file.py",
    "crawl/lock.py",
    "crawl/log_file.py",
    "crawl/logs",
    "crawl/member",
    "crawl/notifying.py",
    "crawl/ports.py",
    "crawl/processes",
    "crawl/recovery",
    "crawl/seeds.py",
    "crawl/simulation",
    "crawl/status",
    "crawl/steady_clock.py",
    "crawl/takeover.py",
    "crawl/verify",
    "decoders.py",
    "errors.py",
    "extract",
    "failpoints.py",
    "graph",
    "lean_arrow.py",
    "log",
    "loop.py",
    "marks.py",
    "objects",
    "plugins",
    "query",
    "records",
    "render",
    "report",
    "sandbox.py",
    "serve",
    "sparse.py",
    "spreadsheets.py",
    "study",
    "terminal_text.py",
    "testweb",
    "topics",
    "trust",
    "tuples.py",
    "url",
)

# Other people edit these folders.
UNFINISHED: tuple[str, ...] = ("extract/html",)

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


def _comments(text: str) -> Iterator[tuple[int, str]]:
    """Yield every comment of a module with its line; lines that follow each other are joined."""
    since = line = 0
    comment = ""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT:
            continue
        if token.start[0] != line + 1:
            yield since, comment
            since, comment = token.start[0], ""
        line = token.start[0]
        comment = f"{comment} {token.string.lstrip('#: ')}".strip()
    yield since, comment


def _sentences(text: str) -> list[str]:
    """Cut a text at blank lines, at the items of a list, and after every sentence."""
    parts = re.split(r"\n\s*\n|\n\s*[*-] ", f"\n{text}")
    joined = [" ".join(part.split()) for part in parts]
    return [sentence for part in joined for sentence in re.split(r"(?<=[.!?])\s+", part)]


def _is_finished(name: str) -> bool:
    return any(name == one or name.startswith(f"{one}/") for one in FINISHED) and not any(
        name.startswith(f"{one}/") for one in UNFINISHED
    )


def _offenders() -> Iterator[str]:
    for path in sorted(SOURCE.rglob("*.py")):
        name = str(path.relative_to(SOURCE))
        if not _is_finished(name):
            continue
        text = path.read_text()
        for line, words in [*_docstrings(text), *_comments(text)]:
            for sentence in _sentences(words):
                if OPENING.match(sentence) or INSIDE.search(sentence):
                    yield f"src/lycosa/{name}:{line}: {sentence}"


def test_sentences_of_finished_folders_have_a_noun_or_a_verb_at_their_head() -> None:
    offenders = list(_offenders())
    assert not offenders, f"{len(offenders)} sentences\n" + "\n".join(offenders)


def test_the_rule_knows_a_bad_sentence_from_a_good_one() -> None:
    bad = ["What is written.", "Write it. Who reads it waits.", "Two:\n  * One that waits"]
    bad += ["This is no page.", "Read it anew."]
    good = ["There is no page.", "It is no longer read.", "Write what is given.", "One-way road."]
    for texts, expected in ((bad, True), (good, False)):
        for text in texts:
            found = any(OPENING.match(one) or INSIDE.search(one) for one in _sentences(text))
            assert found is expected, text
