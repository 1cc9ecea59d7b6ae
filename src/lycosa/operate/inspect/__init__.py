"""Answer an operator's questions about a crawl, and change a crawl that is not running.

Questions read the log and the sealed files, so they also work while a crawl runs. Changes take the
crawl's lock and write events, as a worker would.

    audit           checks every request against the politeness rules
    request_record  reads the record of every request, for the audit
    steered         settings that the operator's orders put in force at each moment, for the audit
    other_records   reads what other machines have uploaded, for the audit
    explain         explains where a URL was found, why it waits, and when it is due
    refused_links   explains why a crawl does not know a URL: the rule that refuses it
    prospects       estimates how often a page changes and what a revisit is worth
    topics          names the topic of a URL, or its likely topic
    speakers        reads the pages that link to a URL, and their topics
    prediction      recomputes the evidence of links for a URL, feature by feature
    content         reads the newest answer for a URL from the archive
    empty_crawl     explains why a crawl kept no page
    owners_page     writes the page that `--contact` can point to
    edits           adds seeds, retries failed URLs, blocks hosts, begins a cycle
    deletions       frees the space of pages that are gone
"""
