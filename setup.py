"""Builds the Cython extensions; everything else stands in pyproject.toml.

`LYCOSA_DEBUG_BUILD=1` compiles with bounds checks and without optimisation.
"""

import os

from Cython.Build import cythonize
from setuptools import Extension, setup

COMPILED = (
    "lycosa._failpoint",
    "lycosa._loop_clock",
    "lycosa.coding._chunks",
    "lycosa.coding.heads._reading",
    "lycosa.extract._fingerprint",
    "lycosa.extract.html._growth",
    "lycosa.extract.html._scan",
    "lycosa.extract.beginnings._look",
    "lycosa.extract.structured.rdfa.walk._walk",
    "lycosa.crawl.answers._link_cache",
    "lycosa.crawl.answers._page_stages",
    "lycosa.crawl.answers._routes",
    "lycosa.crawl.features.novelty._seen",
    "lycosa.crawl.features.topics._evidence",
    "lycosa.crawl.worker._pump",
    "lycosa.crawl.worker._sending",
    "lycosa.extract.topics._softmax",
    "lycosa.fetch._delivery",
    "lycosa.fetch.carriers._exchange",
    "lycosa.fetch.carriers._wires",
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
    "lycosa.links._columns",
    "lycosa.memory._arenas",
    "lycosa.store._appending",
    "lycosa.store.tables._order",
    "lycosa.store.tables._rows",
    "lycosa.store.warc._cdx_lines",
    "lycosa.store.warc._packing",
    "lycosa.store.warc._records",
    "lycosa.store.warc._slots",
    "lycosa.url._ada",
)

debug = os.environ.get("LYCOSA_DEBUG_BUILD") == "1"
directives = {
    "language_level": 3,
    "boundscheck": debug,
    "wraparound": False,
    "embedsignature": True,
}
extensions = [
    Extension(
        name,
        [f"src/{name.replace('.', '/')}.pyx"],
        extra_compile_args=["-O0", "-g"] if debug else ["-O3"],
        define_macros=[] if debug else [("CYTHON_WITHOUT_ASSERTIONS", "1")],
    )
    for name in COMPILED
]

if __name__ == "__main__":
    cores = len(os.sched_getaffinity(0))
    setup(
        ext_modules=cythonize(
            extensions, compiler_directives=directives, nthreads=cores, include_path=["src"]
        ),
        options={"build_ext": {"parallel": cores}},
    )
