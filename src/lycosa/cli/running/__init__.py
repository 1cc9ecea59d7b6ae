"""Commands that run a crawl, and change one.

crawl  `crawl`, `resume`, `revisit`: run a crawl
join   `join`: help in a crawl that another machine has begun
steer  `pause`, `stop`, `set`, `exclude`, `include`, `orders`: steer a crawl that runs
edit   `add`, `retry`, `block`, `unblock`, `forget`: change a crawl
move   `move`: move a crawl's log to a server, or back
trust  `trust`: show and accept the operator settings of a crawl directory
"""
