"""Types of the compiled module; what it does is told in `agenda.pyx`."""

from collections.abc import Callable

Action = Callable[[int, float], object]

NEVER: float
NEAR_SECONDS: int
FAR_SECONDS: int
BOX_SECONDS: int

class Agenda:
    def note(self, moment: float, action: Action, subject: int) -> None: ...
    def run(self, now: float) -> None: ...
    def sample(self, most: int) -> list[tuple[float, object, int]]: ...
    def next_moment(self) -> float | None: ...
    def __len__(self) -> int: ...
