"""Types of the compiled module; what it does is told in `_scan.pyx`."""

from lycosa.extract.facts import Facts

def gather(
    body: bytes, *, is_xml: bool, most_links: int, wants_requisites: bool, agent: str
) -> Facts: ...
def is_plain(body: bytes) -> bool: ...
