"""Guesses the intended flag, even if another program's flag was typed.

click proposes what resembles a flag by its letters: for `--level 3` that was `--help`. People who
know wget, HTTrack or Scrapy type their flags; for these the message names ours.
"""

from __future__ import annotations

import difflib

import click

OTHER_FLAGS = {
    **dict.fromkeys(("--level", "--max-depth", "--maxdepth", "--hops", "-l"), "--depth"),
    **dict.fromkeys(
        ("--limit", "--pages", "--max-urls", "--max-documents", "-n", "--number"), "--max-pages"
    ),
    **dict.fromkeys(("--quota", "-Q", "--max-size"), "--max-bytes"),
    **dict.fromkeys(("--timeout", "--max-time", "--duration"), "--time"),
    **dict.fromkeys(("--wait", "-w", "--sleep", "--pause", "--download-delay"), "--delay"),
    **dict.fromkeys(("--limit-rate", "--rate"), "--bandwidth"),
    **dict.fromkeys(("--email", "--mail", "--from"), "--contact"),
    **dict.fromkeys(("--threads", "--concurrency", "--parallel", "-c"), "--connections"),
    **dict.fromkeys(("--processes", "--jobs", "-j"), "--workers"),
    **dict.fromkeys(("--domains", "--domain", "-D", "--accept", "--allow", "-A"), "--include"),
    **dict.fromkeys(("--reject", "-R", "--deny", "--ignore"), "--exclude"),
    **dict.fromkeys(("--page-requisites", "-p", "--images", "--assets"), "--requisites"),
    **dict.fromkeys(("--pdf", "--pdfs", "--office"), "--documents"),
    **dict.fromkeys(("--input-file", "-i", "--seed-file", "--urls"), "--seeds"),
    **dict.fromkeys(("--out", "--dir", "--directory", "--output-dir", "-d", "-P"), "--output"),
    **dict.fromkeys(("--job", "--conf", "--settings"), "--config"),
    **dict.fromkeys(("--silent", "-s"), "--quiet"),
    **dict.fromkeys(("--localhost", "--private"), "--allow-private"),
}
"""Flags of other programs, with ours."""

_INSTEAD = {
    **dict.fromkeys(("--user-agent", "-U", "--agent"), "--set fetch.agent=NAME, and --contact"),
    **dict.fromkeys(("--proxy",), "--set fetch.proxy=http://host:port"),
    **dict.fromkeys(("--header", "-H"), "--set 'fetch.headers=[\"* Name: value\"]'"),
    **dict.fromkeys(("--cookies", "--load-cookies"), "--set fetch.cookies=true"),
    **dict.fromkeys(("--tries", "-t", "--retries"), "--set fetch.retries=N"),
    **dict.fromkeys(("--types", "--content-types"), "--set 'fetch.content_types=*/*'"),
    **dict.fromkeys(("--no-check-certificate", "-k", "--insecure"), "--set fetch.ca_file=FILE"),
    **dict.fromkeys(("--no-robots", "--ignore-robots", "--robots"), ""),
}
"""Flags for which Lycosa has a key: the text to type instead; "" if there is no such feature."""

_NEVER = "Robots rules are always obeyed; no flag turns them off."


def explained(error: click.NoSuchOption) -> click.UsageError:
    """Return the error about an unknown flag, with the flag that was probably meant."""
    name, known = error.option_name, set[str]()
    if error.ctx is not None:
        parameters = error.ctx.command.get_params(error.ctx)
        known = {flag for one in parameters for flag in one.opts if flag.startswith("-")}
    if name in _INSTEAD and "--set" in known:
        text = f"Use {_INSTEAD[name]}" if _INSTEAD[name] else _NEVER
    else:
        meant = OTHER_FLAGS.get(name, "")
        if meant not in known:
            near = difflib.get_close_matches(name, known - {"--help", "-h"}, 1, 0.7)
            meant = near[0] if near else ""
        text = f"Did you mean {meant}?" if meant else ""
    return click.UsageError(f"No such option: {name}{f'  {text}' if text else ''}", error.ctx)
