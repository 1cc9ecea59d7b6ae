"""The command line: reads what a person types, runs one command, and fills the screen.

start      the first module that runs, before anything large is loaded
main       reads the arguments, and turns what happens into an exit code
groups     commands that have commands: loaded on demand, near misses guessed
commands   one module for each family of commands
input      from flags, files and standard input to jobs and questions
screen     panels, tables and lines; text from the web cannot play tricks on a terminal
amounts    sizes and times as people write them, in both directions
reference  makes docs/reference/commands.md out of `--help`
demo       `make demo`: a small web on loopback, crawled as a user would
"""
