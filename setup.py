"""Builds the Cython extensions; everything else stands in pyproject.toml.

`LYCOSA_DEBUG_BUILD=1` compiles with bounds checks and without optimisation.
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
    "lycosa.crawl.answers._link_cache",
    "lycosa.crawl.answers._page_stages",
    "lycosa.crawl.answers._routes",
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
