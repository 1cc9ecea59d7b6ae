"""Tells which pages are in another language than those that the job keeps.

Loaded only for a job with `[extract] languages`, because the detector needs packages of the extra
`study`. The language of a page is the one that a study would find (`lycosa.extract.languages`). A
page whose language cannot be told is kept. A language stands for its relatives as well if it has
the code of them all (`no`: `nb`, `nn`), and a page that says no more than that is not foreign.

Cost: some 0.1 ms a page.
"""

from __future__ import annotations

from importlib.util import find_spec

from lycosa.crawl.answers.page_answer import PageAnswer
from lycosa.crawl.points import Feature
from lycosa.errors import ConfigError
from lycosa.extract.facts import Facts
from lycosa.model.job import Job

PACKAGES = ("numpy", "py3langid")


def require_languages(job: Job) -> None:
    """Refuse a job that filters by language where the detector is missing, or has a wrong code."""
    if not job.extract.languages:
        return
    missing = [package for package in PACKAGES if find_spec(package) is None]
    if missing:
        raise ConfigError(
            f"[extract] languages needs {', '.join(missing)}\n"
            "  install, in the clone of Lycosa: pip install '.[study]'"
        )
    from lycosa.extract.text.language_codes import language_of_tag

    unknown = [code for code in job.extract.languages if language_of_tag(code) is None]
    if unknown:
        raise ConfigError(
            f"[extract] languages: `{unknown[0]}` is not the code of a language\n"
            "  write the code of ISO 639, as `de`, `en` or `pt`"
        )


class LanguageFilter(Feature):
    """Knows the languages that a job keeps; one per worker."""

    def __init__(self, job: Job) -> None:
        require_languages(job)
        from lycosa.extract.text import language_codes as codes
        from lycosa.extract.text import page_language

        self._language_of = page_language.language_of
        self._kin_of = codes.kin_of
        named = (codes.language_of_tag(code) for code in job.extract.languages)
        self._wanted = frozenset(code for code in named if code is not None)
        self._kin_of_wanted = frozenset(map(codes.kin_of, self._wanted))

    def charged(self, answered: PageAnswer) -> None:
        """Tell whether a page is in another language: then only its links count."""
        found = answered.answer.findings
        if found is not None and found.is_foreign is not None:
            answered.is_foreign = found.is_foreign
        else:
            answered.is_foreign = self.is_foreign(answered.facts)

    def is_foreign(self, facts: Facts) -> bool:
        """Return whether a page is in another language than those that are kept."""
        if not facts.content and not facts.language:
            return False
        found = self._language_of(facts.language, facts.content.decode())
        if found is None or found in self._wanted or found in self._kin_of_wanted:
            return False
        return self._kin_of(found) not in self._wanted
