"""Types of the compiled module; what it does is told in `_admitted.pyx`."""

from lycosa.frontier.fold.holdings import Holdings
from lycosa.model.records import Admitted

class AdmittedFold:
    def __init__(self, state: Holdings) -> None: ...
    def apply(self, event: Admitted) -> None: ...
