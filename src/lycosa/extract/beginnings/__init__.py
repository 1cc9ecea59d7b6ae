"""A quick look at the first bytes of a page, for what is asked of every page.

    label       the character set that it declares, in one of the two usual ways
    is_sitemap  whether it is a sitemap

Nearly every page says the first in the same words, and none of a thousand is the second. So the
quick look is compiled (`_look`); the same in plain Python (`plain`) says what it has to do, and
a test holds the one against the other. What is unusual is read by the rules: `extract.charset`.
"""

from __future__ import annotations

from lycosa.extract.beginnings._look import is_sitemap, label

__all__ = ["PRESCAN_BYTES", "is_sitemap", "label"]

PRESCAN_BYTES = 1024
"""Within so many bytes a page declares its character set (HTML standard, 13.2.3.2)."""
