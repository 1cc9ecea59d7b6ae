"""Builds the Cython extensions; everything else stands in pyproject.toml.

`LYCOSA_DEBUG_BUILD=1` compiles with bounds checks and without optimisation.
"""

import os

from Cython.Build import cythonize
from setuptools import Extension, setup

COMPILED = (
    "lycosa.coding.heads._reading",
    "lycosa.extract._fingerprint",
    "lycosa.extract.html._growth",
    "lycosa.extract.html._scan",
    "lycosa.extract.beginnings._look",
    "lycosa.extract.structured.rdfa.walk._walk",
    "lycosa.crawl.topics._evidence",
    "lycosa.extract.topics._softmax",
    "lycosa.frontier.schedulers._queues",
    "lycosa.frontier.schedulers._topic_queues",
    "lycosa.frontier.urltable._table",
    "lycosa.links._columns",
    "lycosa.memory._arenas",
    "lycosa.store.warc._packing",
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

cores = len(os.sched_getaffinity(0))
setup(
    ext_modules=cythonize(extensions, compiler_directives=directives, nthreads=cores),
    options={"build_ext": {"parallel": cores}},
)
