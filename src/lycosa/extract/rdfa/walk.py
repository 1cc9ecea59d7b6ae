"""The walk over a document's markup, compiled: `walk` writes the triples of a page.

_walk  the walk; its head lists the `.pxi` files it is made of, in the order to read them
"""

from __future__ import annotations

from lycosa.extract.rdfa._walk import walk

__all__ = ["walk"]
