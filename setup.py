"""Builds the Cython extensions; everything else stands in pyproject.toml.

`LYCOSA_DEBUG_BUILD=1` compiles with bounds checks and without optimisation. `LYCOSA_SANITIZE=1`
adds AddressSanitizer, and overwrites memory that is used again when it is released; its C files
lie in `.cache`, since they are not the usual ones.
"""

import os

from Cython.Build import cythonize
from setuptools import Extension, setup

COMPILED = (
    "lycosa._support._failpoint",
    "lycosa.model._loop_clock",
    "lycosa.fetch.coding._chunks",
    "lycosa.fetch.coding._reading",
    "lycosa.extract.text._fingerprint",
    "lycosa.extract.html._growth",
    "lycosa.extract.html._scan",
    "lycosa.extract._look",
    "lycosa.extract.rdfa._walk",
    "lycosa.crawl.answers._page_stages",
    "lycosa.crawl.links._link_cache",
    "lycosa.crawl.links._routes",
    "lycosa.features.novelty._seen",
    "lycosa.features.topics._evidence",
    "lycosa.crawl.worker._pump",
    "lycosa.crawl.worker._sending",
    "lycosa.extract.topics._softmax",
    "lycosa.fetch._delivery",
    "lycosa.fetch.http._exchange",
    "lycosa.fetch.http._wires",
    "lycosa.frontier._page_steps",
    "lycosa.frontier.fold._admitted",
    "lycosa.frontier.fold._fetched",
    "lycosa.frontier.readiness.addresses",
    "lycosa.frontier.readiness.agenda",
    "lycosa.frontier.readiness.hosts",
    "lycosa.frontier.readiness.sites",
    "lycosa.frontier.schedulers._queues",
    "lycosa.frontier.schedulers._topic_queues",
    "lycosa.frontier.urltable._table",
    "lycosa.model.links._columns",
    "lycosa.model.links._pagination",
    "lycosa._support.memory._arenas",
    "lycosa.storage.archive._appending",
    "lycosa.storage.tables._order",
    "lycosa.storage.tables._rows",
    "lycosa.storage.warc._cdx_lines",
    "lycosa.storage.warc._packing",
    "lycosa.storage.warc._records",
    "lycosa.storage.warc._slots",
    "lycosa.model.url._ada",
)

sanitized = os.environ.get("LYCOSA_SANITIZE") == "1"
debug = sanitized or os.environ.get("LYCOSA_DEBUG_BUILD") == "1"
directives = {
    "language_level": 3,
    "boundscheck": debug,
    "wraparound": False,
    "embedsignature": True,
}
arguments = ["-O0", "-g"] if debug else ["-O3"]
macros = [] if debug else [("CYTHON_WITHOUT_ASSERTIONS", "1")]
links = []
if sanitized:
    arguments = ["-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address"]
    # An object from a freelist is never given back to `malloc`: a late look would not be seen.
    macros = [("LYCOSA_SANITIZED", "1"), ("CYTHON_USE_FREELISTS", "0")]
    links = ["-fsanitize=address"]
extensions = [
    Extension(
        name,
        [f"src/{name.replace('.', '/')}.pyx"],
        extra_compile_args=arguments,
        extra_link_args=links,
        define_macros=macros,
    )
    for name in COMPILED
]

if __name__ == "__main__":
    cores = len(os.sched_getaffinity(0))
    setup(
        ext_modules=cythonize(
            extensions,
            compiler_directives=directives,
            nthreads=cores,
            include_path=["src"],
            build_dir=".cache/asan/c" if sanitized else None,
        ),
        options={"build_ext": {"parallel": cores}},
    )
