"""Control of a crawl that runs: what its operator orders, and what it shows of itself.

An order is a numbered note in the crawl's log. So it is durable when it is accepted, a resumed
crawl knows it, and a crawl whose log is in a server needs nothing more. The process that leads a
crawl looks for the next number four times a second, and its workers apply what is new.

    orders     the records: what can be ordered, and what all orders together put in force
    desk       gives an order: checks it against the job and notes it under the next number
    applying   a worker's part: applies orders to its partitions, each once
    decisions  the events by which an order changes a partition: block, unblock, retry, bring back
    live_job   the job that a worker goes by while the operator changes it
    watch      looks for new orders, for the process that leads a crawl
    preview    counts for which URLs of the queue a rule holds
    refused    finds the links that a rule has refused while it held
    live       `live.json`: the crawl at this moment, for programs that look once a second
    metrics    the figures of such a moment, in the format of Prometheus

Always true:
  * an order has effect once on each partition: its events and `OrderApplied` are one commit;
  * orders are applied in the order of their numbers, on every partition;
  * no order loosens robots rules, pauses below the job's own, the address guard, contact, plugins
    or paths.
"""
