"""Figures as SVG, drawn by ourselves: no library, no script, no font.

    canvas    an SVG document in the making: shapes, text, what readers of screens are told
    axes      round numbers for axes, straight and logarithmic
    bars      one bar for each thing, with its name and its number
    columns   a histogram
    scatter   points on two logarithmic axes, and a fitted line
    shares    one bar that is cut into parts
    bow_tie   the picture of that name

Each figure is a frozen record that can be drawn at any width. Text has the size that it has on the
screen, so a figure for a telephone is another drawing and not a smaller one.

Always true: the colours can be told apart by those who see fewer of them (Okabe and Ito), and
no figure says by colour alone what it says.
"""

from lycosa.report.charts.bars import Bar, Bars
from lycosa.report.charts.bow_tie import BowTie
from lycosa.report.charts.canvas import Figure
from lycosa.report.charts.columns import Column, Columns, Mark
from lycosa.report.charts.scatter import Axis, Line, Scatter, Series
from lycosa.report.charts.shares import Part, Shares

__all__ = [
    "Axis",
    "Bar",
    "Bars",
    "BowTie",
    "Column",
    "Columns",
    "Figure",
    "Line",
    "Mark",
    "Part",
    "Scatter",
    "Series",
    "Shares",
]
