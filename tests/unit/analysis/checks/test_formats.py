"""Findings as files of other programs: nothing that a page says breaks the format."""

from __future__ import annotations

import csv
import io
import json

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from lycosa.analysis.checks.check import Finding
from lycosa.analysis.checks.formats import written
from lycosa.analysis.checks.registry import BY_NAME
from lycosa.analysis.checks.run import Checked

TEXTS = st.text(max_size=30)
FINDINGS = st.builds(
    Finding,
    st.just("broken"),
    st.just("error"),
    TEXTS,
    st.none() | TEXTS,
    st.none() | st.integers(0, 999),
    st.none() | TEXTS,
    TEXTS,
    st.none() | st.lists(TEXTS, max_size=3),
)


@given(st.lists(FINDINGS, max_size=4))
def test_any_text_gives_a_file_that_can_be_read(findings: list[Finding]) -> None:
    checked = Checked(7, [BY_NAME["broken"], BY_NAME["loops"]], findings, 0)
    root = etree.fromstring(written("junit", checked, ["broken"], "1").encode("utf-8", "replace"))
    assert root.get("failures") == str(len(findings))
    assert len(root.findall(".//failure")) == len(findings)
    listed = etree.fromstring(written("junit", checked, [], "1").encode("utf-8", "replace"))
    assert listed.get("failures") == "0" and listed.get("tests") == "2"
    assert json.loads(written("json", checked, (), "1"))["findings"] == [
        one._asdict() for one in findings
    ]
    results = json.loads(written("sarif", checked, (), "1"))["runs"][0]["results"]
    assert len(results) == len(findings)
    rows = list(csv.reader(io.StringIO(written("csv", checked, (), "1"), newline="")))
    assert [len(row) for row in rows] == [len(Finding._fields)] * (len(findings) + 1)
