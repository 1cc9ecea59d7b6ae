"""Figures of the report as SVG, drawn without library, script or font.

Each figure is a frozen record that can be drawn at any width. Text keeps its size on the
screen, so a figure for a telephone is another drawing and not a smaller one.

    canvas   an SVG document under construction: shapes, text, texts for screen readers
    axes     round numbers for linear and logarithmic axes
    bars     horizontal bars with names and numbers
    columns  histograms
    scatter  points on two logarithmic axes, with fitted lines
    shares   one bar cut into parts
    bow_tie  the bow tie of a graph
    curves   shares over a number that grows, with a band
    grid     cells of topics by topics, for the two that follow
    chance       which topics link to which, against chance
    confusion    which topics a model takes for which others
    calibration  whether a model is right as often as it says

Always true: the colours can be told apart by colour-blind readers (Okabe and Ito), and
no figure says anything by colour alone.
"""

from lycosa.report.charts.bars import Bar, Bars
from lycosa.report.charts.bow_tie import BowTie
from lycosa.report.charts.calibration import Calibration, CalibrationPoint
from lycosa.report.charts.canvas import Figure
from lycosa.report.charts.chance import AgainstChance
from lycosa.report.charts.columns import Column, Columns, Mark
from lycosa.report.charts.confusion import Confusion
from lycosa.report.charts.curves import Band, Curve, Curves
from lycosa.report.charts.scatter import Axis, Line, Scatter, Series
from lycosa.report.charts.shares import Part, Shares

__all__ = [
    "AgainstChance",
    "Axis",
    "Band",
    "Bar",
    "Bars",
    "BowTie",
    "Calibration",
    "CalibrationPoint",
    "Column",
    "Columns",
    "Confusion",
    "Curve",
    "Curves",
    "Figure",
    "Line",
    "Mark",
    "Part",
    "Scatter",
    "Series",
    "Shares",
]
