"""The notes on methods and the references at the end of a report."""

from __future__ import annotations

NOTES = (
    "A page is a URL that was kept, as it was at its last visit. Links are those by which a reader"
    " gets from one page to another; each counts once, and none to the page itself. A link to a"
    " URL that redirects is a link to the page at the end of the redirects.",
    "A site is a scheme, a host and a port. Depth is the number of links from the nearest seed.",
    "PageRank (Brin and Page 1998) follows a link with probability 0.85; pages without links pass"
    " their value on to all. Hubs and authorities are Kleinberg’s (1999).",
    "The bow tie is that of Broder et al. (2000): the core, SCC, is the largest set of pages that"
    " all reach each other.",
    "Power laws are fitted as by Clauset, Shalizi and Newman (2009): the most likely exponent for"
    " the values from a minimum on, which is chosen so that the distance of Kolmogorov and"
    " Smirnov (KS) between fitted and observed distribution is smallest. For degrees and pages of a"
    " site the law is the discrete one, for PageRank the continuous one. That a power law fits"
    " does not say that no other law would fit better.",
    "Near duplicates have fingerprints of 64 bits of their text that differ in at most six bits"
    " (Manku, Jain and Das Sarma 2007); nearness is passed on within a set.",
    "Ages are by the header Last-Modified, where it is not later than the fetch. A month has 30"
    " days, a year twelve of these months.",
    "Links that are out of scope are counted as refused and not recorded one by one; images,"
    " styles, scripts, sound and film are recorded if the job fetches page requisites.",
)
REFERENCES = (
    "S. Brin, L. Page: The anatomy of a large-scale hypertextual Web search engine. WWW 1998.",
    "J. Kleinberg: Authoritative sources in a hyperlinked environment. Journal of the ACM 46,"
    " 1999.",
    "A. Broder et al.: Graph structure in the Web. Computer Networks 33, 2000.",
    "G. Manku, A. Jain, A. Das Sarma: Detecting near-duplicates for web crawling. WWW 2007.",
    "A. Clauset, C. Shalizi, M. Newman: Power-law distributions in empirical data. SIAM Review 51,"
    " 2009.",
)
