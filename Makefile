# Lycosa. `make demo` shows it, `make test` checks it; the rest is for those who change it.

PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DATA ?= ../shared/data

# Tests start hundreds of processes: what one has compiled the next one need not.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup demo simulation test tested check checked bench bench-parts bench-scale bench-study bench-lock \
	docs docs-lock figures conformance soak mutants debug-build lock clean

help:
	@echo "make demo         a small web on loopback, crawled as a user would"
	@echo "make simulation   a crawl in virtual time, killed on the way, judged by the referee"
	@echo "make test         everything that must hold, in a few minutes"
	@echo "make check        linters, types and layers alone"
	@echo "make conformance  published test suites; DATA=folder with url/, robots/, rdfa/, microdata/"
	@echo "make docs         the documentation as a site, build/site/index.html; searched without a server"
	@echo "make bench        the race against other crawlers; RACE=--quick, RACE=--profile"
	@echo "make bench-parts  what each part costs"
	@echo "make bench-scale  two workers against one, many known URLs, memory of a long crawl, kills"
	@echo "make figures      pages, URLs and bandwidth over time, by scheduler, with and without mining"
	@echo "make bench-study  what a study of a million pages costs, and near duplicates"
	@echo "make soak         long random runs"
	@echo "make mutants      break the code on purpose and see the tests fail"

setup: $(STAMP)

$(STAMP): requirements/dev.lock pyproject.toml setup.py $(wildcard src/lycosa/*/*.pyx src/lycosa/*/*.pxi src/lycosa/*/*/*.pyx src/lycosa/*/*/*.pxi)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $(STAMP)

demo: setup
	$(BIN)/python -m lycosa.cli.demo

simulation: setup
	$(BIN)/python -m lycosa.crawl.demo

test: setup
	@$(MAKE) --no-print-directory -j 2 checked tested

check: setup checked

checked:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Byte code that is missing is written once: four processes would each compile everything.
$(VENV)/.collected: $(STAMP)
	-$(BIN)/pytest --collect-only --ignore tests/conformance >/dev/null
	touch $@

# Tests wait for processes and sockets, so more of them run side by side than there are cores.
tested: $(VENV)/.collected
	$(BIN)/pytest -n 4 --dist worksteal -m "not conformance and not soak" --ignore tests/conformance

conformance: setup
	LYCOSA_DATA=$(DATA) $(BIN)/pytest tests/conformance -m conformance -s

bench: setup
	$(BIN)/python -m benchmarks.race $(RACE)

bench-parts: setup
	$(BIN)/python benchmarks/url_parsing.py
	$(BIN)/python benchmarks/encoding.py
	$(BIN)/python benchmarks/scanner.py
	$(BIN)/python -m benchmarks.bench_rdfa
	$(BIN)/python benchmarks/client.py
	$(BIN)/python benchmarks/store.py
	$(BIN)/python benchmarks/bench_triples.py
	$(BIN)/python benchmarks/soft_404.py
	$(BIN)/python -m benchmarks.kernel
	$(BIN)/python benchmarks/resume.py
	$(BIN)/python benchmarks/schedulers.py
	$(BIN)/python benchmarks/bench_urltable.py --generated 1000000

bench-scale: setup
	$(BIN)/python -m benchmarks.workers
	$(BIN)/python -m benchmarks.size
	$(BIN)/python benchmarks/memory.py
	$(BIN)/python -m benchmarks.repeats
	$(BIN)/python -m benchmarks.kills

bench-study: setup
	$(BIN)/python -m benchmarks.bench_study
	$(BIN)/python benchmarks/near_duplicates.py

bench-lock: setup
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile --universal --generate-hashes --quiet --no-header \
		--python-version 3.11 requirements/bench.in -o requirements/bench.lock

# In an environment of its own: MkDocs and its theme take 130 MB, and nothing else needs them.
DOCS := .cache/docs-venv

$(DOCS)/.installed: requirements/docs.lock
	$(PYTHON) -m venv --clear $(DOCS)
	$(DOCS)/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/docs.lock
	touch $@

# A link to a page or to a heading that is not there is an error.
docs: $(DOCS)/.installed
	NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/mkdocs build --strict --quiet
	@echo "build/site/index.html: open it in a browser; no server and no network are needed"

docs-lock: setup
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile --universal --generate-hashes --quiet --no-header \
		--python-version 3.11 requirements/docs.in -o requirements/docs.lock

figures: setup
	$(BIN)/python -m benchmarks.figures
	$(BIN)/python -m benchmarks.freshness

soak: setup
	$(BIN)/pytest -n auto -m soak

mutants: setup
	$(BIN)/pytest -n auto tests/integration/test_mutants.py

debug-build: setup
	LYCOSA_DEBUG_BUILD=1 $(BIN)/python setup.py build_ext --inplace --force
	$(BIN)/pytest -n auto tests/unit/url tests/unit/extract tests/unit/frontier tests/unit/coding tests/unit/links tests/unit/store tests/unit/test_arenas.py \
		tests/contract
	$(BIN)/python setup.py build_ext --inplace --force

lock: setup
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile --universal --generate-hashes --extra dev --quiet --no-header \
		--python-version 3.11 pyproject.toml -o requirements/dev.lock
	$(BIN)/uv pip compile --universal --generate-hashes --quiet --no-header \
		--python-version 3.11 pyproject.toml -c requirements/dev.lock -o requirements/run.lock

clean:
	rm -rf $(VENV) .cache build dist src/*.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src -name '*.so' -delete
	find src tests benchmarks -name __pycache__ -prune -exec rm -rf {} +
