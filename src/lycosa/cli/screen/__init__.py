"""What a person sees.

panel      a running crawl on a terminal
lines      a running crawl in lines, for logs and pipes
status     where a crawl stands at its last commit
summary    the end of a run: why it ended, what was found, what to type next
findings   what `check` found
prospects  when a page will be visited again
notices    messages on standard error
console    tables and panels
output     the one place that prints: escapes control characters in text from the web
"""
