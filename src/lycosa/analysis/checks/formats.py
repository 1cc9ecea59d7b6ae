"""Findings in the formats of other programs: JUnit XML, SARIF, CSV, JSON.

junit  one suite for each check; a finding is a failed test case if its check fails the run,
otherwise the suite passes and lists its findings as output
sarif  SARIF 2.1.0 (OASIS): checks are rules, findings are results
csv    one row a finding, safe to open in a spreadsheet
json   everything, with the meaning of the checks
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Collection, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from lycosa._support.safe_text import cell
from lycosa.analysis.checks.check import Check, Finding
from lycosa.analysis.checks.run import Checked

FORMATS = ("junit", "sarif", "csv", "json")
SUFFIXES = {".xml": "junit", ".sarif": "sarif", ".csv": "csv", ".json": "json"}
"""Formats by the suffix of a file name."""
_LEVELS = {"error": "error", "warning": "warning", "notice": "note"}
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NEXT = " → "


def written(form: str, checked: Checked, failing: Collection[str], version: str) -> str:
    """Return the findings in a format; `failing` are the checks that are to fail the run."""
    if form == "junit":
        return _junit(checked, failing)
    if form == "sarif":
        return _json(_sarif(checked, version))
    return _csv(checked.findings) if form == "csv" else _json(fields(checked))


def sentence(finding: Finding) -> str:
    """Describe a finding in one line."""
    parts = [finding.detail]
    if finding.target_url:
        parts.append(finding.target_url)
    if finding.text:
        parts.append(f"“{finding.text}”")
    if finding.hops:
        parts.append(_NEXT.join(finding.hops))
    return ": ".join([parts[0], " ".join(parts[1:])]) if parts[1:] else parts[0]


def fields(checked: Checked) -> dict[str, Any]:
    """Return everything as values of JSON."""
    counts = {check.name: len(checked.of(check)) for check in checked.checks}
    return {
        "pages": checked.pages,
        "ignored": checked.ignored,
        "left_out": dict(checked.left_out),
        "checks": [
            {
                "name": check.name,
                "family": check.family,
                "severity": check.severity,
                "title": check.title,
                "meaning": check.meaning,
                "mend": check.mend,
                "findings": counts[check.name],
            }
            for check in checked.checks
        ],
        "findings": [finding._asdict() for finding in checked.findings],
    }


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _csv(findings: Sequence[Finding]) -> str:
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(Finding._fields)
    for finding in findings:
        writer.writerow([*map(_cell, finding[:-1]), _cell(_NEXT.join(finding.hops or ()))])
    return file.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, str):
        return cell(value.replace("\r", " "))  # some readers treat these characters as line ends
    return "" if value is None else value


def _junit(checked: Checked, failing: Collection[str]) -> str:
    suites = [_suite(check, checked.of(check), check.name in failing) for check in checked.checks]
    tests = sum(count for count, _, _ in suites)
    failures = sum(count for _, count, _ in suites)
    head = f'<testsuites name="lycosa check-site" tests="{tests}" failures="{failures}"'
    body = "".join(text for _, _, text in suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head} errors="0">\n{body}</testsuites>\n'


def _suite(check: Check, findings: Sequence[Finding], fails: bool) -> tuple[int, int, str]:
    """Return a suite with the numbers of its test cases and failures."""
    if fails and findings:
        cases = "".join(
            f"    <testcase classname={_attribute(check.name)} name={_attribute(one.url)}"
            f' time="0">\n      <failure type={_attribute(check.severity)}'
            f" message={_attribute(sentence(one))}>{_text(check.mend)}</failure>\n"
            "    </testcase>\n"
            for one in findings
        )
        tests, failures = len(findings), len(findings)
    else:
        listed = "\n".join(f"{one.url}: {sentence(one)}" for one in findings)
        output = f"<system-out>{_text(listed)}</system-out>" if findings else ""
        cases = (
            f"    <testcase classname={_attribute(check.name)} name={_attribute(check.title)}"
            f' time="0">{output}</testcase>\n'
        )
        tests, failures = 1, 0
    head = f'  <testsuite name={_attribute(check.name)} tests="{tests}" failures="{failures}"'
    return tests, failures, f'{head} errors="0" skipped="0" time="0">\n{cases}  </testsuite>\n'


def _attribute(text: str) -> str:
    return quoteattr(_NO_XML.sub("\ufffd", text))


def _text(text: str) -> str:
    return escape(_NO_XML.sub("\ufffd", text))


def _sarif(checked: Checked, version: str) -> dict[str, Any]:
    places = {check.name: place for place, check in enumerate(checked.checks)}
    driver = {
        "name": "lycosa",
        "version": version,
        "rules": [_rule(check) for check in checked.checks],
    }
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "results": [_result(one, places[one.kind]) for one in checked.findings],
            }
        ],
    }


def _rule(check: Check) -> dict[str, Any]:
    return {
        "id": check.name,
        "name": check.title,
        "shortDescription": {"text": check.title},
        "fullDescription": {"text": check.meaning},
        "help": {"text": check.mend},
        "defaultConfiguration": {"level": _LEVELS[check.severity]},
        "properties": {"tags": [check.family]},
    }


def _result(finding: Finding, place: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.kind,
        "ruleIndex": place,
        "level": _LEVELS[finding.severity],
        "message": {"text": sentence(finding)},
        "locations": [_location(finding.url)],
    }
    others = finding.hops or ([finding.target_url] if finding.target_url else [])
    if others:
        result["relatedLocations"] = [
            {"id": number, **_location(url)} for number, url in enumerate(others, 1)
        ]
    return result


def _location(url: str) -> dict[str, Any]:
    return {"physicalLocation": {"artifactLocation": {"uri": url}}}
