"""The exceptions of Lycosa, as one tree.

    LycosaError                 the operator or Lycosa made a mistake; exit code 1
    ├── ConfigError             a job has wrong keys or values; exit code 2
    ├── FormatError             stored bytes have a format that we cannot read; exit code 3
    ├── LogError                the log cannot be used; exit code 4
    │   ├── LogUnavailable      the log does not answer now: wait and try again
    │   └── LogGoneBack         the log lacks writes that it has acknowledged; exit code 11
    ├── StoreError              a segment cannot be written or read; exit code 5
    │   ├── Elsewhere           the segment lies in a directory of another machine
    │   └── ObjectsUnavailable  the store of objects does not answer now: try again
    ├── PluginError             a plugin cannot be loaded, or breaks its contract; exit code 6
    ├── QueryError              a query cannot be answered, or triples not exported; exit code 7
    └── Untrusted               settings that the user has not accepted are needed; exit code 9

The web raises none of these: a 404, a robots refusal, a timeout or a bad page is a value of
`lycosa.model.records.Outcome`.

An exception's text says what is wrong, where, and what to do about it. The command line prints it
without a traceback and exits with `exit_code`.
"""


class LycosaError(Exception):
    """The operator or Lycosa made a mistake; the text says which, and how to fix it."""

    exit_code = 1


class ConfigError(LycosaError):
    """The job has an unknown key, a wrong type or an impossible value."""

    exit_code = 2


class FormatError(LycosaError):
    """Stored bytes have a version or shape that this Lycosa does not read."""

    exit_code = 3


class LogError(LycosaError):
    """The log cannot be used: wrong file system, damaged file, wrong job."""

    exit_code = 4


class LogUnavailable(LogError):
    """The log does not answer now, and may have carried out the request or not: wait and repeat."""


class LogGoneBack(LogError):
    """The log lacks acknowledged writes: it was restored from a copy, or its server lost them."""

    exit_code = 11


class StoreError(LycosaError):
    """A segment cannot be written or read."""

    exit_code = 5


class Elsewhere(StoreError):
    """The segment lies in a directory of another machine of the cluster."""


class ObjectsUnavailable(StoreError):
    """The store of objects does not answer now, or has failed for this time: try again."""


class PluginError(LycosaError):
    """A plugin cannot be loaded, or breaks its contract; the text names it."""

    exit_code = 6


class QueryError(LycosaError):
    """A query cannot be answered, or a triple store cannot be used."""

    exit_code = 7


class Untrusted(LycosaError):
    """A command needs operator settings that the user has neither typed nor accepted."""

    exit_code = 9
