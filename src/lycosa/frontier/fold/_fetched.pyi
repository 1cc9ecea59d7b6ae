"""Types of the compiled module; what it does is told in `_fetched.pyx`."""

from lycosa.frontier.fold.holdings import Holdings
from lycosa.model.records import Fetched

class FetchedFold:
    def __init__(self, state: Holdings) -> None: ...
    def apply(self, event: Fetched) -> None: ...
