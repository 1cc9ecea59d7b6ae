"""The way of a link: from a reference in a page to a URL of a partition.

raw_links     links as a page gives them, and reasons for which some are not followed
router        links: canonical, in scope, near enough, to their partition
_routes       the usual way of a page's links; compiled
_link_cache   what references resolve to, remembered, because pages repeat their links; compiled
known_copies  leads links to other views of a page (session ids) to the view that is kept
raised_depth  reads links of known pages again when a limit of depth was raised
"""
