"""Builds the Cython extensions; everything else stands in pyproject.toml.

`LYCOSA_DEBUG_BUILD=1` compiles with bounds checks and without optimisation.
"""

import os

from Cython.Build import cythonize
from setuptools import Extension, setup

debug = os.environ.get("LYCOSA_DEBUG_BUILD") == "1"
directives = {
    "language_level": 3,
    "boundscheck": debug,
    "wraparound": False,
    "embedsignature": True,
}
extensions = [
    Extension(
        "lycosa.url._ada",
        ["src/lycosa/url/_ada.pyx"],
        extra_compile_args=["-O0", "-g"] if debug else ["-O2"],
    ),
    Extension(
        "lycosa.links._columns",
        ["src/lycosa/links/_columns.pyx"],
        extra_compile_args=["-O0", "-g"] if debug else ["-O3"],
    ),
    Extension(
        "lycosa.coding.heads._reading",
        ["src/lycosa/coding/heads/_reading.pyx"],
        extra_compile_args=["-O0", "-g"] if debug else ["-O3"],
    ),
    Extension(
        "lycosa.frontier.schedulers._queues",
        ["src/lycosa/frontier/schedulers/_queues.pyx"],
        extra_compile_args=["-O0", "-g"] if debug else ["-O3"],
    ),
    Extension(
        "lycosa.extract.beginnings._look",
        ["src/lycosa/extract/beginnings/_look.pyx"],
        extra_compile_args=["-O0", "-g"] if debug else ["-O3"],
    ),
    Extension(
        "lycosa.extract._fingerprint",
        ["src/lycosa/extract/_fingerprint.pyx"],
        extra_compile_args=["-O0", "-g"] if debug else ["-O3"],
    ),
    Extension(
        "lycosa.extract.rdfa._walk",
        ["src/lycosa/extract/rdfa/_walk.pyx"],
        extra_compile_args=["-O0", "-g"] if debug else ["-O3"],
    ),
    Extension(
        "lycosa.extract._scan",
        ["src/lycosa/extract/_scan.pyx"],
        extra_compile_args=["-O0", "-g"] if debug else ["-O3"],
    ),
    Extension(
        "lycosa.frontier.urltable._table",
        ["src/lycosa/frontier/urltable/_table.pyx"],
        extra_compile_args=["-O0", "-g"] if debug else ["-O3"],
        define_macros=[] if debug else [("CYTHON_WITHOUT_ASSERTIONS", "1")],
    ),
]

setup(ext_modules=cythonize(extensions, compiler_directives=directives))
