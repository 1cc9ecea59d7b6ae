"""What Lycosa makes of one URL, one robots file, one page or one scope decision, and why.

A crawl decides a million things a minute and keeps only what it decided. Here the same
decisions are made one at a time, by the same code, with the reasons written down:

  * `urls`    the way from a reference to its canonical form, step by step;
  * `robots`  a verdict with the line that decided it, from a file or from a site;
  * `pages`   what a body says of itself, and what becomes of its links;
  * `scopes`  the rules, in their order, up to the one that decides;
  * `asking`  the way to a site for those who ask about an address: by the transport of a
    crawl, under its guard, its pauses and the site's robots file;
  * `batch`   all of it for programs: lines of JSON in, lines of JSON out.

Nothing here writes to a crawl directory or keeps what it fetched.
"""
