"""What an operator asks of a crawl, and changes in one that is at rest.

audit      holds the record of every request against the politeness rules
explain    why a URL is where it is: found where, why it waits, when it is due
prospects  what is known of a page's changes, and what a revisit is worth
content    what a URL gave, out of the archive
edits      more seeds, another try, a blocked host
"""
