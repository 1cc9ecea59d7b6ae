"""The command `check-site`: finds what is broken on a site that was crawled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from lycosa import __version__
from lycosa._support.extras import require_study
from lycosa._support.safe_text import in_json
from lycosa.cli.amounts import counted, duration_flag, size_flag
from lycosa.cli.analysis.study import told
from lycosa.cli.input.jobs import flag_rules
from lycosa.cli.input.options import directory_argument, flags, json_flag
from lycosa.cli.screen.notices import notice
from lycosa.cli.screen.output import Data, line_on_screen
from lycosa.errors import ConfigError, LycosaError

if TYPE_CHECKING:
    from lycosa.analysis.checks.check import Check
    from lycosa.analysis.checks.run import Checked

FOUND = 8
"""Exit code if a check named by `--fail-on` found something."""
_FORMATS = ("junit", "sarif", "csv", "json")


def _longest(what: str, characters: int) -> Callable[[Any], Any]:
    """Return the flag for the length above which a text is too long."""
    return click.option(
        f"--longest-{what}",
        type=click.IntRange(1),
        default=characters,
        metavar="N",
        help=f"Characters of a {what} (default: {characters}).",
    )


_limit_flags = flags(
    click.option(
        "--large",
        type=size_flag,
        default="1MB",
        metavar="SIZE",
        help="HTML pages above this size are large (default: 1MB).",
    ),
    click.option(
        "--slow",
        type=duration_flag,
        default="3s",
        metavar="TIME",
        help="Answers that take longer are slow (default: 3s).",
    ),
    _longest("title", 60),
    _longest("description", 155),
)
_output_flags = flags(
    click.option(
        "--all", "shows_all", is_flag=True, help="List every finding; by default some of each."
    ),
    click.option(
        "--format",
        "form",
        type=click.Choice(_FORMATS),
        help="Output format for other programs; with -o, the file name is enough (.xml is JUnit).",
    ),
    click.option(
        "-o",
        "--output",
        "target",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Write the findings to this file.",
    ),
    json_flag,
)


class _Output(NamedTuple):
    """Output format and file of the findings."""

    shows_all: bool
    form: str | None
    target: Path | None
    as_json: bool

    def chosen(self) -> str | None:
        """Return the format; None for people at a screen."""
        from lycosa.analysis.checks.formats import SUFFIXES

        if self.as_json and self.form not in (None, "json"):
            raise click.UsageError(f"--json and --format {self.form} exclude each other.")
        form = "json" if self.as_json else self.form
        if form is None and self.target is not None:
            form = SUFFIXES.get(self.target.suffix.lower())
            if form is None:
                known = ", ".join(SUFFIXES)
                raise ConfigError(
                    f"-o {self.target}: the name does not say a format ({known})\n"
                    f"  add --format: {', '.join(_FORMATS)}"
                )
        return form


@click.command("check-site")
@directory_argument
@click.option(
    "--only",
    multiple=True,
    metavar="CHECK",
    help="Run only this check, or the checks of a family (links, redirects, discovery, indexing, "
    "delivery, titles) or severity (error, warning, notice). Separate several by commas, or"
    " repeat the flag.",
)
@click.option(
    "--ignore",
    "ignored",
    multiple=True,
    metavar="PATTERN",
    help="Leave out findings about matching URLs: a domain, the beginning of a URL, or "
    "regex:EXPRESSION.",
)
@click.option(
    "--fail-on",
    multiple=True,
    metavar="CHECK",
    help="End with exit code 8 if one of these checks finds something; any for all of them.",
)
@click.option(
    "--check-outside",
    is_flag=True,
    help=(
        "First request the targets of links that leave the scope, as politely as a crawl. "
        "Answers are kept for a day."
    ),
)
@_limit_flags
@_output_flags
def check_site(
    path: Path,
    only: tuple[str, ...],
    ignored: tuple[str, ...],
    fail_on: tuple[str, ...],
    check_outside: bool,
    **given: Any,
) -> int:
    """Find what is broken on a site that was crawled.

    Lists broken links with their pages and texts, redirect chains and loops, orphans, sitemap
    entries that are not pages, canonical URLs that contradict, noindex by accident, hreflang
    without an answer, mixed content, large and slow pages, titles and descriptions missing, doubled
    or long. Works while the crawl runs, too. It sends no request to the web without
    --check-outside. After `lycosa study` the findings are the table `findings`.

    \b
      lycosa check-site mycrawl
      lycosa check-site mycrawl --only broken,loops --all
      lycosa check-site mycrawl --fail-on broken,loops --format junit -o checks.xml
    """
    require_study("lycosa check-site")
    from lycosa.analysis.checks.check import CheckLimits
    from lycosa.analysis.checks.registry import CHECKS, chosen, failing_on
    from lycosa.analysis.checks.run import check_site as run

    output = _Output(given["shows_all"], given["form"], given["target"], given["as_json"])
    form = output.chosen()
    checks = chosen(only, "--only") if only else list(CHECKS)
    failing = failing_on(fail_on, checks)
    is_ignored = _matcher(ignored)
    limits = CheckLimits(
        given["large"], given["slow"], given["longest_title"], given["longest_description"]
    )
    if check_outside:
        _ask_outside(path)
    with told(form is not None) as tell:
        checked = run(path, checks, limits, ignored=is_ignored, tell=tell)
    _write(checked, output, form, failing, path)
    return FOUND if any(one.kind in failing for one in checked.findings) else 0


def _write(
    checked: Checked, output: _Output, form: str | None, failing: list[str], path: Path
) -> None:
    if form is None:
        from lycosa.cli.screen.site_checks import print_findings

        print_findings(path, checked, shows_all=output.shows_all)
        return
    from lycosa.analysis.checks.formats import written

    named = failing or _errors(checked.checks)
    text = written(form, checked, named, __version__)
    if output.target is None:
        Data().write((in_json(text) if form in ("json", "sarif") else text).encode())
        return
    try:
        output.target.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise LycosaError(f"{output.target}: cannot be written: {error.strerror}") from None
    click.echo(f"{output.target}: {counted(len(checked.findings), 'finding')}", err=True)


def _errors(checks: Any) -> list[str]:
    some: list[Check] = list(checks)
    return [check.name for check in some if check.severity == "error"]


def _matcher(patterns: tuple[str, ...]) -> Callable[[str], bool] | None:
    """Return the function that says of a URL whether a pattern matches it."""
    if not patterns:
        return None
    from lycosa.model.url import canonicalize, key_of
    from lycosa.model.url.rules import parse_rules
    from lycosa.model.url.scope import Scope

    try:
        scope = Scope(parse_rules(flag_rules((), patterns)))
    except ConfigError as error:
        raise ConfigError(str(error).replace("--exclude", "--ignore")) from None

    def is_ignored(url: str) -> bool:
        canonical = canonicalize(url)
        return canonical is not None and scope.judge(key_of(canonical)).key is None

    return is_ignored


def _ask_outside(path: Path) -> None:
    from lycosa.analysis.checks.outside import ask_outside
    from lycosa.runtime.directory import CrawlDirectory

    job = CrawlDirectory.open(path).job()
    if job.extract.links != "all":
        notice(
            f"{path}: the crawl keeps no links out of scope ([extract] links = 'followed')\n"
            "  crawl with --set extract.links=all to check them"
        )
    with line_on_screen() as show:
        asked = ask_outside(
            path,
            job,
            lambda host, seconds: show(f"{host}: waiting {seconds:.1f} s, as a crawl would"),
            lambda done, total: show(f"outside: {done:,} of {total:,} URLs asked"),
        )
    click.echo(f"asked {counted(asked, 'URL')} out of scope", err=True)


COMMANDS = (check_site,)
