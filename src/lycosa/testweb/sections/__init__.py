"""The habits that sites can have, one section each."""

from lycosa.testweb.sections.archive import Archive
from lycosa.testweb.sections.bulletins import Bulletins
from lycosa.testweb.sections.catalogue import Catalogue
from lycosa.testweb.sections.copies import Copies, Ghosts
from lycosa.testweb.sections.errors import Errors
from lycosa.testweb.sections.hidden import Hidden
from lycosa.testweb.sections.moves import Moves
from lycosa.testweb.sections.news import News
from lycosa.testweb.sections.press import Press
from lycosa.testweb.sections.series import Cellar, Kind, Series
from lycosa.testweb.sections.sitemaps import Sitemaps
from lycosa.testweb.sections.thicket import Thicket
from lycosa.testweb.sections.traps import Calendar, Maze, Rooms, Sessions
from lycosa.testweb.sections.tree import Tree
from lycosa.testweb.sections.vault import Vault
from lycosa.testweb.sections.withered import Withered

__all__ = [
    "Archive",
    "Bulletins",
    "Calendar",
    "Catalogue",
    "Cellar",
    "Copies",
    "Errors",
    "Ghosts",
    "Hidden",
    "Kind",
    "Maze",
    "Moves",
    "News",
    "Press",
    "Rooms",
    "Series",
    "Sessions",
    "Sitemaps",
    "Thicket",
    "Tree",
    "Vault",
    "Withered",
]
