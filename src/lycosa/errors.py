"""Every exception of Lycosa, as one tree.

    LycosaError                 the operator or we made a mistake; exit code 1
    ├── ConfigError             the job cannot mean what it says; exit code 2
    ├── FormatError             stored bytes are of a format we cannot read; exit code 3
    ├── LogError                the log cannot be used as asked; exit code 4
    ├── StoreError              a segment cannot be written or read; exit code 5
    ├── PluginError             a plugin cannot be used, or orders the crawl wrongly; exit code 6
    └── QueryError              a question cannot be answered, or triples not handed on; exit code 7

What the web does to us (404, a robots refusal, a timeout, a bad page) is never an
exception: it is a value of `lycosa.records.Outcome`.

The text of an exception says what is wrong, where, and what to do about it. The
command line prints it without a traceback and exits with `exit_code`.
"""


class LycosaError(Exception):
    """The operator or we made a mistake; the text says which and how to mend it."""

    exit_code = 1


class ConfigError(LycosaError):
    """The job has an unknown key, a wrong type or an impossible value."""

    exit_code = 2


class FormatError(LycosaError):
    """Stored bytes are of a version or shape that this Lycosa does not read."""

    exit_code = 3


class LogError(LycosaError):
    """The log cannot be used as asked: wrong file system, damaged file, wrong job."""

    exit_code = 4


class StoreError(LycosaError):
    """A segment cannot be written or read."""

    exit_code = 5


class PluginError(LycosaError):
    """A plugin cannot be used as it is; the text names it."""

    exit_code = 6


class QueryError(LycosaError):
    """A question cannot be asked or answered, or a triple store cannot be used as asked."""

    exit_code = 7
