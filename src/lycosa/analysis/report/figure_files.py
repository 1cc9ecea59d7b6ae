"""Figures of a report as files: SVG and PDF for documents, data and scripts for gnuplot.

    \\includegraphics{figures/sites-1.pdf}         in LaTeX
    gnuplot sites-1.gp                            redraws sites-1.plot.pdf after your changes

Every figure has the name of its section and its number there. A `.dat` file has a line for each
point; text from the web in it is quoted, and has no quotes, backslashes and line ends of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lycosa._support.safe_text import visible
from lycosa.analysis.charts import (
    AgainstChance,
    Bars,
    BowTie,
    Columns,
    Curves,
    Figure,
    Scatter,
    Shares,
)
from lycosa.analysis.report.page import ContentsEntry
from lycosa.analysis.report.pdf import pdf_of

WIDTH = 720
_HEAD = 'set terminal pdfcairo size 16cm,9cm\nset output "{name}.plot.pdf"\nset title "{title}"\n'


def figure_files(entries: Sequence[ContentsEntry]) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of the files of all figures."""
    for entry in entries:
        for number, figure in enumerate(entry.shown.figures, 1):
            name = f"{entry.section.name}-{number}"
            svg = figure.draw(WIDTH, name)
            yield f"{name}.svg", svg.encode()
            yield f"{name}.pdf", pdf_of(svg)
            data, script = _plot(figure, name)
            yield f"{name}.dat", data.encode()
            yield f"{name}.gp", script.encode()


def _plot(figure: Figure, name: str) -> tuple[str, str]:
    """Return data and script of a figure."""
    head = _HEAD.format(name=name, title=_quoted(figure.title))
    if isinstance(figure, Scatter):
        return _points(figure), head + _lines(figure, name)
    if isinstance(figure, Curves):
        return _curves(figure), head + _drawn_curves(figure, name)
    if isinstance(figure, AgainstChance):
        return _matrix(figure), head + _heat_map(figure, name)
    pairs, axes = _pairs(figure)
    data = "".join(f'"{_quoted(each)}" {value:g}\n' for each, value in pairs)
    return data, (
        f"{head}{axes}set style data histograms\nset style fill solid 0.8\nset key off\n"
        "set yrange [0:*]\nset xtics rotate by -45 noenhanced\n"
        f'plot "{name}.dat" using 2:xtic(1) linecolor rgb "#0072b2"\n'
    )


def _pairs(figure: Figure) -> tuple[list[tuple[str, float]], str]:
    """Return names with values, and the texts of the axes."""
    match figure:
        case Columns():
            axes = f'set xlabel "{_quoted(figure.across)}"\nset ylabel "{_quoted(figure.up)}"\n'
            return [(column.name, column.value) for column in figure.columns], axes
        case Bars():
            return [(bar.name, bar.value) for bar in figure.bars], ""
        case Shares():
            return [(part.name, part.value) for part in figure.parts], ""
        case BowTie():
            return list(figure.parts.items()), ""
    return [], ""


def _points(figure: Scatter) -> str:
    """Return the points of all series and lines, in blocks that gnuplot counts by `index`."""
    drawn = [(each.name, each.points) for each in figure.series]
    drawn += [(each.name, each.points) for each in figure.lines]
    blocks = [
        f'# "{_quoted(name)}"\n' + "".join(f"{x:.9g} {y:.9g}\n" for x, y in points)
        for name, points in drawn
    ]
    return "\n\n".join(blocks)


def _lines(figure: Scatter, name: str) -> str:
    kinds = [(each.name, each.colour, "points pointtype 7") for each in figure.series]
    kinds += [(each.name, each.colour, "lines linewidth 2") for each in figure.lines]
    plots = ", \\\n  ".join(
        f'"{name}.dat" index {place} with {kind} linecolor rgb "{colour}" title "{_quoted(text)}"'
        for place, (text, colour, kind) in enumerate(kinds)
    )
    return (
        f'set logscale xy\nset xlabel "{_quoted(figure.across.text)}"\n'
        f'set ylabel "{_quoted(figure.up.text)}"\nplot {plots}\n'
    )


def _curves(figure: Curves) -> str:
    """Return band and curves, in blocks that gnuplot counts by `index`."""
    blocks = [
        f'# "{_quoted(each.name)}"\n' + "".join(f"{x:.9g} {y:.9g}\n" for x, y in each.points)
        for each in figure.curves
    ]
    if figure.band is not None:
        edges = "".join(f"{x:.9g} {low:.9g} {high:.9g}\n" for x, low, high in figure.band.edges)
        blocks.insert(0, f'# "{_quoted(figure.band.name)}"\n{edges}')
    return "\n\n".join(blocks)


def _drawn_curves(figure: Curves, name: str) -> str:
    kinds = [
        (each.name, f"1:2 with lines linewidth {each.width:g}", each.colour)
        for each in figure.curves
    ]
    if figure.band is not None:
        kinds.insert(0, (figure.band.name, "1:2:3 with filledcurves", figure.band.colour))
    plots = ", \\\n  ".join(
        f'"{name}.dat" index {place} using {kind} linecolor rgb "{colour}" title "{_quoted(text)}"'
        for place, (text, kind, colour) in enumerate(kinds)
    )
    return (
        f'set xlabel "{_quoted(figure.across)}"\nset ylabel "{_quoted(figure.up)}"\n'
        f"set yrange [0:*]\nplot {plots}\n"
    )


def _matrix(figure: AgainstChance) -> str:
    """Return a line for each cell: names of row and column, their numbers, and the ratio."""
    return "".join(
        f'"{_quoted(source)}" "{_quoted(target)}" {row} {column}'
        f" {'NaN' if ratio is None else format(ratio, '.9g')}\n"
        for row, (source, ratios) in enumerate(zip(figure.names, figure.ratios, strict=True), 1)
        for column, (target, ratio) in enumerate(zip(figure.names, ratios, strict=True), 1)
    )


def _heat_map(figure: AgainstChance, name: str) -> str:
    most = len(figure.names) + 0.5
    return (
        f'set xlabel "linked"\nset ylabel "linking"\nset xrange [0.5:{most}]\n'
        f"set yrange [{most}:0.5]\nset xtics rotate by -45 noenhanced\nset ytics noenhanced\n"
        f'plot "{name}.dat" using 4:3:5:xtic(2):ytic(1) with image notitle\n'
    )


def _quoted(text: str) -> str:
    """Return a text as it may stand between gnuplot's double quotes."""
    return visible(text).replace("\\", "/").replace('"', "'").replace("`", "'")
