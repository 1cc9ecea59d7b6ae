"""Control of a crawl that runs: the operator's orders, and the crawl's report of itself.

An order is a numbered note in the crawl's log. It is therefore durable when it is accepted, and a
resumed crawl knows it. A crawl whose log is in a server needs no further channel. The process that
leads a crawl looks for the next number four times a second, and its workers apply the new orders.

    orders     records of all kinds of order, and the settings that all orders put in force
    desk       gives an order: checks it against the job and notes it under the next number
    applying   a worker's part: applies orders to its partitions, each once
    decisions  events by which an order changes a partition: block, unblock, retry, bring back
    live_job   the job that a worker follows while the operator changes it
    watch      looks for new orders, for the process that leads a crawl
    preview    counts the URLs in the queue that match a rule
    refused    finds the links that a rule refused while it was in force
    live       `live.json`: the state of the crawl, for programs that look once a second
    metrics    the same figures in the format of Prometheus

Always true:
  * an order takes effect once on each partition: its events and `OrderApplied` are one commit;
  * orders are applied in the order of their numbers, on every partition;
  * no order loosens robots rules, the address guard, contact, plugins or paths, and none but that
    of `lycosa cluster set` sets pauses below the job's own.
"""
