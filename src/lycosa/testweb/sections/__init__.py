"""The sections of a generated web: one habit of a site each.

A host of a generated web has several sections, each in a folder of its own. Most are frozen records
whose fields say how large they are and how they vary.

    numbered   the common part of sections with numbered pages
    tree       a tree of given depth and width
    thicket    a random graph with the degrees of the web
    news       pages that change at known rates
    bulletins  pages with rates of change of their own, unevenly linked
    press      newspaper articles with media, files and structured data
    archive    an archive by date, which looks like a trap and is none
    catalogue  a page for every name, with hardly a word of its own
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
