"""The command `shell`: a Python prompt with a page, to try selectors on."""

from __future__ import annotations

import html
import linecache
import sys
import tempfile
import traceback
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lycosa.cli.check import ask_flags, job_flags
from lycosa.cli.input.jobs import build_job
from lycosa.cli.input.own_machine import opened_at
from lycosa.cli.input.places import open_crawl
from lycosa.cli.input.seeds import with_scheme
from lycosa.cli.screen.notices import Session, notice
from lycosa.crawl.status.words import outcome_in_words
from lycosa.errors import LycosaError
from lycosa.model.job import Job, read_job
from lycosa.model.records import Outcome

if TYPE_CHECKING:
    from lycosa.features.plugins.pages import SeenPage
    from lycosa.operate.checking.looking import Look, PageOfFile, PagesOfCrawl, PagesOfWeb

    Source = PagesOfWeb | PagesOfCrawl | PageOfFile

_BANNER = """\
  page.css('h1::text').get()   select by CSS (::text, ::attr(href)); page.xpath(...) by XPath
  page.title, .text, .links    read by Lycosa; also .url, .status, .headers, .body
  fetch(url)                   {fetch}
  view()                       show the page in the browser, without scripts and network
Ctrl-D ends the shell."""
_OF_WEB = "ask for another page, under the same rules; it becomes `page`"
_OF_CRAWL = "take another page of the crawl; it becomes `page`"
_CODE = "<-c>"
_FRAME = """\
<!doctype html>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
style-src 'unsafe-inline'; img-src data:; font-src data:; form-action 'none'">
<title>{title}</title>
<style>html, body, iframe {{ margin: 0; border: 0; width: 100%; height: 100% }}</style>
<iframe sandbox srcdoc="{page}"></iframe>
"""
"""The page in a frame that cannot run scripts, and that asks for nothing."""


@click.command()
@click.argument("words", metavar="URL | DIR URL | FILE", nargs=-1, required=True)
@click.option("-c", "code", metavar="CODE", help="Run this code instead of a prompt.")
@click.option("--url", "base", metavar="URL", help="The URL of the page in the file.")
@click.option("--content-type", metavar="TYPE", help="The content type of the file.")
@job_flags
@ask_flags
@click.pass_obj
def shell(
    session: Session,
    /,
    words: tuple[str, ...],
    code: str | None,
    base: str | None,
    content_type: str | None,
    **given: Any,
) -> int:
    """Open a Python prompt with a page, to try selectors on it.

    A URL is fetched as in a crawl: first the site's robots file, then, if that allows it and
    after the pause, the page; redirects are followed likewise. With a crawl directory the page
    comes from the crawl, and nothing is asked for. The prompt is IPython where that is
    installed. CODE, or what standard input gives when it is not a terminal, is run without a
    prompt, and the value of an expression is printed.

    \b
      lycosa shell https://example.org/ --contact you@example.org
      lycosa shell mycrawl https://example.org/ -c "page.css('a::attr(href)').getall()"
      lycosa shell page.html --url https://example.org/a
    """
    job = build_job(read_job(given["config_file"]) if given["config_file"] else Job(), given)
    source, url = _source(session, words, job, (base, content_type))
    try:
        return _Shell(source, url, is_of_crawl=len(words) == 2).run(code)
    finally:
        source.close()


def _source(
    session: Session, words: tuple[str, ...], job: Job, file: tuple[str | None, str | None]
) -> tuple[Source, str]:
    """Return where pages come from, and the URL of the first."""
    from lycosa.operate.checking import looking

    if len(words) > 2:
        raise click.UsageError("Give one URL, a crawl directory and a URL, or a file.")
    if len(words) == 2:
        return looking.PagesOfCrawl(open_crawl(session, Path(words[0]))), with_scheme(words[1])
    (word,) = words
    path, (base, content_type) = Path(word), file
    if path.is_dir():
        raise click.UsageError(f"Name a page of the crawl, too: lycosa shell {word} URL")
    if path.is_file():
        url = base or "https://example.org/"
        return looking.PageOfFile(path, url, content_type, job), url
    if base or content_type:
        raise click.UsageError(f"--url and --content-type describe a file; {word} is not a file.")

    def waiting(host: str, seconds: float) -> None:
        if seconds >= 0.1:
            notice(f"{host}: waiting {seconds:.1f} s, as a crawl would")

    url = with_scheme(word)
    return looking.PagesOfWeb(opened_at(job, url), waiting), url


class _Shell:
    """The names that code finds, and the ways to run it."""

    def __init__(self, source: Source, url: str, *, is_of_crawl: bool) -> None:
        self._source = source
        self._banner = _BANNER.format(fetch=_OF_CRAWL if is_of_crawl else _OF_WEB)
        self.names: dict[str, Any] = {"fetch": self.fetch, "view": self.view, "page": None}
        self._first = url

    def run(self, code: str | None) -> int:
        """Take the first page, then run code or a prompt; returns the exit code."""
        self.fetch(self._first)
        if code is None and not sys.stdin.isatty():
            code = sys.stdin.read()
        if code is not None:
            return run_code(code, self.names)
        self.names["fetch"] = self._fetch_or_say
        interact(self.names, self._banner)
        return 0

    def fetch(self, url: str) -> SeenPage:
        """Take a page; it becomes `page`."""
        found = self._source.look(url)
        self._say(found)
        self.names["page"] = found.page
        return found.page

    def _fetch_or_say(self, url: str) -> SeenPage | None:
        """Take a page at the prompt, where a message is enough when there is none."""
        try:
            return self.fetch(url)
        except LycosaError as error:
            notice(str(error))
            return None

    def view(self, page: SeenPage | None = None) -> str:
        """Show a page in the browser, `page` if none is given; returns the file that it is in."""
        shown: SeenPage = page or self.names["page"]
        # The file stays: a browser may read it after the shell has ended.
        file = Path(tempfile.mkdtemp(prefix="lycosa-shell-")) / "page.html"
        file.write_text(framed(shown), encoding="utf-8")
        if not webbrowser.open(file.as_uri()):
            notice(f"no browser could be started; the page is in {file}")
        return str(file)

    def _say(self, found: Look) -> None:
        for url in found.passed:
            notice(f"{url} redirects")
        page = found.page
        notice(f"{page.url}: {page.status} {page.content_type}, {len(page.body):,} bytes")
        if found.outcome is not Outcome.KEPT:
            notice(f"  a crawl would not keep it: {outcome_in_words(found.outcome)}")


def framed(page: SeenPage) -> str:
    """Return a document that shows a page without running or asking for anything."""
    from lycosa.extract.text.charset import to_utf8

    content_type = next((v for n, v in page.headers if n.lower() == "content-type"), None)
    body = to_utf8(page.body, content_type)[0].decode("utf-8", "replace")
    return _FRAME.format(title=html.escape(page.url), page=html.escape(body))


def run_code(code: str, names: dict[str, Any]) -> int:
    """Run code, print the value if it is an expression; returns the exit code."""
    linecache.cache[_CODE] = (len(code), None, code.splitlines(keepends=True), _CODE)
    try:
        value = _value_of(code, names)
    except LycosaError:
        raise
    except Exception as error:
        # the frames above those of the code are ours and say nothing to its author
        at = error.__traceback__
        while at is not None and at.tb_frame.f_code.co_filename != _CODE:
            at = at.tb_next
        notice("".join(traceback.format_exception(type(error), error, at)).rstrip())
        return 1
    if value is not None:
        click.echo(value if isinstance(value, str) else repr(value))
    return 0


def _value_of(code: str, names: dict[str, Any]) -> object:
    compiled = None
    with suppress(SyntaxError):
        compiled = compile(code.strip(), _CODE, "eval")
    if compiled is None:
        exec(compile(code, _CODE, "exec"), names)
        return None
    result: object = eval(compiled, names)
    return result


def interact(names: dict[str, Any], banner: str) -> None:
    """Read and run lines until the user leaves: in IPython where it is installed."""
    prompt: Callable[[dict[str, Any], str], None]
    prompt = _ipython if find_spec("IPython") is not None else _python
    prompt(names, banner)


def _ipython(names: dict[str, Any], banner: str) -> None:
    import IPython

    notice(banner)
    IPython.start_ipython(argv=[], user_ns=names, display_banner=False)


def _python(names: dict[str, Any], banner: str) -> None:
    import code

    with suppress(ImportError):  # a Python may be built without
        import readline
        import rlcompleter

        readline.set_completer(rlcompleter.Completer(names).complete)
        readline.parse_and_bind("tab: complete")
    code.interact(banner, local=names, exitmsg="")


COMMANDS = (shell,)
