"""Measures the CPU cost of one page in the crawler's own code, when fetching costs nothing.

    python -m benchmarks.kernel [--pages 20000] [--one-host-pages 20000] [--repeats 3]
                                [--profile] [--json]

The real worker, frontier, log and journal crawl a made-up web (`pages`) in virtual time: no
pauses, and a transport that hands over prepared bodies (`crawl`). Two kinds of page, each on one
host and on 200: *small* ones (10 links in 2 kB) and pages *like tree A* of the rivals'
measurement (120 links, 35 of them different, in 30 kB); on both one or two links are new, and
with many hosts one link leads to another host. 700 pages are answered between two commits.

The total is CPU time of a run without instruments, the best of several. How it divides
(`stages`) is measured in a run of its own with a stopwatch around public calls, whose own cost
is taken out:

    choose      Partition.next_task, Readiness.take, Log.owner
    scan        scan: the body's links
    resolve     Router.resolve: canonical keys, scope
    store       Store.append
    finish      Partition.finish: the `Fetched` event
    admit       Router.route, Router.admit: distance, partition, Partition.admit
    give back   Readiness.give_back
    decide      the rest of PageAnswers.decide
    pump        the rest of Worker.pump: turns, reservation, the request
    commit      cutting and encoding batches; Log.commit; Store.flush
    harness     the transport and the virtual clock: not Lycosa's
    rest        everything else: callbacks, the inboxes, the clock's loop

Then the parts alone, outside a crawl (`alone`), and with `--profile` the profile of one crawl.
"""
