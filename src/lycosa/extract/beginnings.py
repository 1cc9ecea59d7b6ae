"""A quick look at the first bytes of every page: its declared charset, and whether it is a sitemap.

Nearly every page declares its charset in one of two spellings, and hardly any page is a sitemap. So
two compiled functions, `label` and `is_sitemap`, answer the usual case; `extract.text.charset`
reads unusual declarations by the full rules.

    _look      the two functions (compiled)
"""

from __future__ import annotations

from lycosa.extract._look import is_sitemap, label

__all__ = ["PRESCAN_BYTES", "is_sitemap", "label"]

PRESCAN_BYTES = 1024
"""A page declares its character set within this number of bytes (HTML standard, 13.2.3.2)."""
