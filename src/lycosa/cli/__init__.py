"""The command line: what a person types, and what the screen says.

`main` reads the arguments, runs one command and turns whatever happens into an exit code.
The commands stand together by what they do to a crawl: `crawling` runs one, `changing`
alters one that is at rest, `looking` only reads, `studying` computes and asks, `around` needs
none. `options` and `jobs` turn flags into a job, `amounts` reads and writes sizes and times,
`progress` and `summary` draw, `messages` keeps the log file.

Nothing is decided here: a command asks `lycosa.crawl` and prints the answer. People get
text, programs get JSON (`--json`) on standard output; progress and notices go to standard
error. Parts that only some commands need are imported by those, so that `--help` is quick.
"""
