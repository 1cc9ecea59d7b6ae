"""A cluster of real processes, each on a machine of its own, under one fault after the other.

    run         one crawl under faults: begins it, injects, waits for the end, judges
    network     network namespaces, one for each machine, on a bridge; cuts, in one direction too
    machine     a member with its disk, its clock and its process
    stores      where sealed segments go: a shared folder, or an S3 service behind a proxy
    faults      the faults, chosen by a seed, each with its end
    judging     what the log, the directories and the referee say in the end
    broken.c    preloaded into members: makes their disks slow and their wall clocks jump

    unshare --net --mount --pid --fork --kill-child --mount-proc python -m soak.run --seed 1

`benchmarks.cluster_soak` runs it for several seeds. Everything needs root, and is gone with the
process: namespaces, mounts and children.
"""
