"""The sections of a generated web: one habit of a site each.

A host of a generated web has several sections, each in a folder of its own. Most are frozen records
whose fields say how large they are and how they vary.

    tree       a tree of given depth and width
    thicket    a random graph with the degrees of the web
    news       pages that change at known rates
    bulletins  pages with rates of change of their own, unevenly linked
    press      newspaper articles with media, files and structured data
    archive    an archive by date, and a catalogue, which look like traps and are none
    series     numbered, dated and counted pages, some of them unlinked
    hidden     unlinked pages that their neighbours reveal
    sitemaps   pages that only a sitemap names
    copies     copies of pages, and error pages with status 200
    withered   an old folder with many dead links
    errors     every status and failure
    moves      redirects, refreshes and canonical links
    vault      pages that robots files are about
    traps      endless places: calendar, maze, sessions, rooms
"""

from lycosa_testweb.sections.archive import Archive, Catalogue
from lycosa_testweb.sections.bulletins import Bulletins
from lycosa_testweb.sections.copies import Copies, Ghosts
from lycosa_testweb.sections.errors import Errors
from lycosa_testweb.sections.hidden import Hidden
from lycosa_testweb.sections.moves import Moves
from lycosa_testweb.sections.news import News
from lycosa_testweb.sections.press import Press
from lycosa_testweb.sections.series import Cellar, Kind, Series
from lycosa_testweb.sections.sitemaps import Sitemaps
from lycosa_testweb.sections.thicket import Thicket
from lycosa_testweb.sections.traps import Calendar, Maze, Rooms, Sessions
from lycosa_testweb.sections.tree import Tree
from lycosa_testweb.sections.vault import Vault
from lycosa_testweb.sections.withered import Withered

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
