"""Topics in a crawl: what pages are about, what URLs may be about, and whose turn it is.

of_job       the model of a job: read, checked against the job, copied into the crawl directory
feature      what acts at the points of the spine
classifier   says what a page is about: an event, and columns of the table `pages`
seed_topics  topics that a list of seeds names
predictor    says what a URL may be about: its queue, and its position there
evidence     what links say of URLs, in eight bytes each: the contract, and why a position
_evidence    the same, compiled
budgets      how many pages are kept from the queues of a topic, over all workers
allocator    whose turn it is: a topic, then a partition
"""
