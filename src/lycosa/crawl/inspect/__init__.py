"""Answer an operator's questions about a crawl, and change a crawl that does not run.

Questions read the log and the sealed files, so they also work while a crawl runs. Changes take the
crawl's lock and write events, as a worker would.

    audit           checks every request against the politeness rules
    request_record  reads the record of every request, for the audit
    steered         what the operator's orders demanded at each moment, for the audit
    other_records   reads what other machines have uploaded, for the audit
    explain         says where a URL was found, why it waits, and when it is due
    refused_links   says why a crawl does not know a URL: which rule refuses it
    prospects       estimates how often a page changes and what a revisit is worth
    topics          says what a URL is about, or may be about
    speakers        reads which pages speak for a URL, and what they are about
    prediction      recomputes what links said of a URL, feature by feature
    content         reads the newest answer for a URL from the archive
    empty_crawl     says why a crawl kept no page
    owners_page     writes the page that `--contact` can point to
    edits           adds seeds, retries failed URLs, blocks hosts, begins a cycle
    deletions       gives back the room of pages that are gone
"""
