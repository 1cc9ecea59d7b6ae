"""The section of a job about search forms."""

from __future__ import annotations

from lycosa.model.job.keys import Record, key


class Forms(Record):
    """Trying search forms, to find pages that only a query leads to."""

    search: bool = key(
        False,
        "Fill in forms that are sent by GET, with values of their lists and with words of the "
        "site, as long as that leads to new pages. Forms that are sent by POST are never filled"
        " in.",
    )
    most_fields: int = key(
        6,
        "Forms with more fields than this are left alone; hidden fields do not count.",
        unit="fields",
        least=1,
        most=50,
    )
    site_requests: int = key(200, "Most queries for one site.", unit="requests", least=1)
    form_requests: int = key(100, "Most queries for one form.", unit="requests", least=1)
    least_new: float = key(
        0.2,
        "A text field is given up when its last twelve queries have led to fewer new pages each.",
        unit="pages",
        least=0.0,
    )
