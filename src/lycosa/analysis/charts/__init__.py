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
    model_picture  confusion and calibration of a model of topics

Always true: the colours can be told apart by colour-blind readers (Okabe and Ito), and
no figure says anything by colour alone.
"""

from lycosa.analysis.charts.bars import Bar, Bars
from lycosa.analysis.charts.bow_tie import BowTie
from lycosa.analysis.charts.calibration import Calibration, CalibrationPoint
from lycosa.analysis.charts.canvas import Figure
from lycosa.analysis.charts.chance import AgainstChance
from lycosa.analysis.charts.columns import Column, Columns, Mark
from lycosa.analysis.charts.confusion import Confusion
from lycosa.analysis.charts.curves import Band, Curve, Curves
from lycosa.analysis.charts.scatter import Axis, Line, Scatter, Series
from lycosa.analysis.charts.shares import Part, Shares

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
