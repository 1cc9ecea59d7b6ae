"""The picture of a model of topics: its confusion matrix, and below it its calibration."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lycosa.analysis.charts import Calibration, CalibrationPoint, Confusion
from lycosa.analysis.charts.canvas import PAPER, SIZE, SOFT, Canvas
from lycosa.analysis.report.pdf import pdf_of
from lycosa.errors import LycosaError

WIDTH = 720
SUFFIXES = (".svg", ".pdf")
_HEAD, _BETWEEN, _EDGE = 52.0, 30.0, 16.0


def model_picture(
    title: str,
    sentence: str,
    names: Sequence[str],
    counts: Sequence[Sequence[int]],
    groups: Sequence[tuple[float, float, int]],
) -> str:
    """Draw counts by labelled and guessed topic, and groups of (confidence, accuracy, pages)."""
    confusion = Confusion(title, sentence, names, counts)
    points = [CalibrationPoint(*group) for group in groups]
    calibration = Calibration(title, sentence, points)
    width = max(WIDTH, round(confusion.needed_width))
    first, second = confusion.height(width), calibration.height(width)
    canvas = Canvas(width + 2 * _EDGE, _HEAD + first + _BETWEEN + second + _EDGE)
    canvas.rect(0, 0, canvas.width, canvas.height, PAPER)
    canvas.text(_EDGE, 24, title, size=SIZE + 3, is_bold=True)
    canvas.text(_EDGE, 43, sentence, fill=SOFT)
    confusion.paint(canvas, _EDGE, _HEAD, width)
    calibration.paint(canvas, _EDGE, _HEAD + first + _BETWEEN, width)
    spoken = f"{confusion.description()} {calibration.description()}"
    return canvas.svg(title, spoken, "model")


def require_picture(path: Path) -> None:
    """Refuse a file name whose suffix is not a known format."""
    if path.suffix not in SUFFIXES:
        raise LycosaError(
            f"{path}: pictures are written as {' or '.join(SUFFIXES)}\n"
            f"  choose: --picture {path.with_suffix('.svg')}"
        )


def write_picture(path: Path, svg: str) -> None:
    """Write a picture in the format that its name ends in."""
    require_picture(path)
    try:
        path.write_bytes(svg.encode() if path.suffix == ".svg" else pdf_of(svg))
    except OSError as error:
        raise LycosaError(f"{path}: cannot be written: {error.strerror}") from None
