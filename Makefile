# Lycosa. `make demo` shows it, `make test` checks it; the rest is for those who change it.

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DATA ?= ../shared/data

# Tests start hundreds of processes: what one has compiled the next one need not.
unexport PYTHONDONTWRITEBYTECODE

# The newest supported Python of this machine is taken; PYTHON=path names another one.
export PYTHON INSTALL

.PHONY: help setup audit-dependencies demo cluster-demo simulation test tested test-all test-times check checked package fresh bench budget bench-parts bench-scale bench-study bench-lock \
	docs docs-lock reference figures conformance soak mutants debug-build asan lock clean

help:
	@echo "make demo         a small web on loopback, crawled as a user would"
	@echo "make cluster-demo three servers and three members on loopback; one is killed, another joins"
	@echo "make simulation   a crawl in virtual time, killed on the way, judged by the referee"
	@echo "make test         linters, and the tests that answer in five minutes on two cores"
	@echo "make test-all     make test, then the slow tests: PostgreSQL, NATS, S3, Chromium, typed examples, long crawls"
	@echo "make test-times   wall and processor time by test file; TESTS=folder, SLOW=yes for the slow tests"
	@echo "make check        linters, types and layers alone"
	@echo "make audit-dependencies  known weaknesses of the locked packages; needs the network"
	@echo "make package      a wheel in dist/, installed alone and tried"
	@echo "make fresh        demo, test and package on a bare Debian 12 and 13, in a chroot; DEBIAN=trixie"
	@echo "make conformance  published test suites; DATA=folder with url/, robots/, rdfa/, microdata/"
	@echo "make docs         the documentation as a site, build/site/index.html; searched without a server"
	@echo "make reference    the pages on keys, commands, Python and packages, made from the code"
	@echo "make bench        the race against other crawlers; RACE=--quick, RACE=--profile"
	@echo "make budget       what a page costs, in calls, allocations, system calls and instructions"
	@echo "make bench-parts  what each part costs"
	@echo "make bench-scale  two workers against one, many known URLs, memory of a long crawl, kills"
	@echo "make figures      the papers' figures and tables, repeated and written: docs/figures.md; FIGURE=--list, FIGURE=name"
	@echo "make bench-study  what a study of a million pages costs, and near duplicates"
	@echo "make soak         make asan, and then long random runs"
	@echo "make asan         the compiled parts under AddressSanitizer, on a build of their own, and their tests; TESTS=folder"
	@echo "make mutants      break the code on purpose and see the tests fail"
	@echo
	@echo "What is missing is installed from the distribution where that may be done: INSTALL=no only tells."
	@echo "PYTHON=python3.11 names the interpreter (3.11, 3.12, 3.13); the newest that is there otherwise."

setup: $(STAMP)

# Another interpreter than the one that made the environment: it is made anew.
VERSION := -c 'import sys; print(sys.version_info[:2])'
ifdef PYTHON
ifneq ($(shell $(PYTHON) $(VERSION) 2>/dev/null),$(shell $(BIN)/python $(VERSION) 2>/dev/null))
.PHONY: $(STAMP)
endif
endif

# Python compiles a module when it is first imported; pip would compile all of them, which took a third of its time.
$(STAMP): requirements/dev.lock pyproject.toml setup.py $(shell find src/lycosa -name '*.pyx' -o -name '*.pxi' -o -name '*.pxd')
	sh tools/prerequisites.sh venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r requirements/dev.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $(STAMP)

demo: setup
	$(BIN)/python -m tools.demo

cluster-demo: setup
	$(BIN)/python -m tools.cluster_demo

simulation: setup
	$(BIN)/python -m tools.simulate $(SIMULATION)

test: setup
	@sh tools/prerequisites.sh test
	@$(MAKE) --no-print-directory -j 2 checked tested

check: setup checked

checked:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Byte code that is missing is written once: five processes would each compile everything.
$(VENV)/.collected: $(STAMP)
	-$(BIN)/pytest --collect-only --ignore tests/conformance >/dev/null
	touch $@

# Which tests are slow: tests/tiers.py. No test is in both tiers.
FIRST := not slow and not soak and not conformance
REST := slow and not soak and not conformance

# Tests wait for processes and sockets, so more of them run side by side than there are cores.
tested: $(VENV)/.collected
	$(BIN)/pytest -n 5 --dist worksteal -m "$(FIRST)" --ignore tests/conformance

test-all: test
	@sh tools/prerequisites.sh test-all
	$(BIN)/pytest -n 5 --dist worksteal -m "$(REST)" --ignore tests/conformance

TESTS ?= tests
test-times: $(VENV)/.collected
	$(BIN)/pytest -n 2 --dist loadfile --times -m "$(if $(SLOW),$(REST),$(FIRST))" --ignore tests/conformance $(TESTS)

# A wheel in dist/, installed alone, without any extra, and tried there.
TRIED := .cache/package
package: setup
	rm -rf dist build/lib* build/bdist* $(TRIED)
	$(BIN)/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .
	$(BIN)/python -m venv $(TRIED)
	$(TRIED)/bin/pip install --quiet --require-hashes -r requirements/run.lock
	$(TRIED)/bin/pip install --quiet --no-deps --no-index dist/lycosa-*.whl
	$(TRIED)/bin/lycosa --version
	@$(MAKE) --no-print-directory BIN=$(TRIED)/bin SIMULATION="--hosts 20 --hours 0.2 --kills 2" simulation

fresh:
	sh tools/fresh.sh $(DEBIAN)

conformance: setup
	LYCOSA_DATA=$(DATA) $(BIN)/pytest tests/conformance -m conformance -s

bench: setup
	$(BIN)/python -m benchmarks.race $(RACE)

# Instructions are counted by valgrind; how busy the machine is changes its minutes, not its counts.
JOBS ?= plain hosts tls data
budget: setup
	@sh tools/prerequisites.sh soak
	$(BIN)/python -m benchmarks.budget --instructions $(JOBS)

bench-parts: setup
	$(BIN)/python benchmarks/url_parsing.py
	$(BIN)/python benchmarks/encoding.py
	$(BIN)/python -m benchmarks.scanner
	$(BIN)/python -m benchmarks.bench_rdfa
	$(BIN)/python benchmarks/client.py
	$(BIN)/python benchmarks/store.py
	$(BIN)/python benchmarks/bench_triples.py
	$(BIN)/python benchmarks/soft_404.py
	$(BIN)/python -m benchmarks.kernel
	$(BIN)/python benchmarks/resume.py
	$(BIN)/python benchmarks/schedulers.py
	$(BIN)/python -m benchmarks.bench_urltable --generated 1000000

bench-scale: setup
	$(BIN)/python -m benchmarks.workers
	$(BIN)/python -m benchmarks.size
	$(BIN)/python benchmarks/memory.py
	$(BIN)/python -m benchmarks.repeats
	$(BIN)/python -m benchmarks.kills
	$(BIN)/python -m benchmarks.logs

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
	sh tools/prerequisites.sh venv $(DOCS)
	$(DOCS)/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/docs.lock
	touch $@

# A link to a page or to a heading that is not there is an error, and so is a script, style or picture of another host.
docs: $(DOCS)/.installed
	NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/mkdocs build --strict
	@! grep -rE --include='*.html' '<(script|link|img)[^>]*(src|href)="https?:' build/site
	@echo "build/site/index.html: open it in a browser; no server and no network are needed"

# Needs the advisories of the Python Package Index.
audit-dependencies:
	sh tools/prerequisites.sh venv .cache/audit-venv
	.cache/audit-venv/bin/pip install --quiet --disable-pip-version-check pip-audit
	for lock in requirements/*.lock; do \
		.cache/audit-venv/bin/pip-audit --strict --no-deps --disable-pip --progress-spinner off -r $$lock || exit 1; \
	done

# The pages of the reference that are made from the code.
reference: setup
	$(BIN)/python -c "from lycosa.model.job import reference; print(reference(), end='')" > docs/reference/configuration.md
	$(BIN)/python -c "from tools.commands_reference import reference; print(reference(), end='')" > docs/reference/commands.md
	$(BIN)/python -c "from tools.api_reference import reference; print(reference(), end='')" > docs/reference/api.md
	$(BIN)/python tools/packages.py > docs/reference/packages.md

docs-lock: setup
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile --universal --generate-hashes --quiet --no-header \
		--python-version 3.11 requirements/docs.in -o requirements/docs.lock

figures: setup
	$(BIN)/python -m benchmarks.figures $(FIGURE)

soak: asan
	@sh tools/prerequisites.sh soak
	$(BIN)/pytest -n auto -m soak
	$(BIN)/pytest -n auto -m "hypothesis and not soak and not conformance" --hypothesis-profile long

mutants: setup
	$(BIN)/pytest -n auto -m "" tests/integration/test_mutants.py tests/integration/test_twin_mutants.py

debug-build: setup
	LYCOSA_DEBUG_BUILD=1 $(BIN)/python setup.py build_ext --inplace --force
	$(BIN)/pytest -n auto tests/unit/model tests/unit/extract tests/unit/frontier tests/unit/fetch/coding tests/unit/storage tests/unit/_support/test_arenas.py \
		tests/contract
	$(BIN)/python setup.py build_ext --inplace --force

# On a build of its own: memory beyond its bounds, or used after its release, ends the test.
asan: setup
	sh tools/sanitized.sh $(BIN)/python $(if $(filter command line,$(origin TESTS)),$(TESTS))

lock: setup
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile --universal --generate-hashes --extra dev --quiet --no-header \
		--python-version 3.11 pyproject.toml -o requirements/dev.lock
	$(BIN)/uv pip compile --universal --generate-hashes --quiet --no-header \
		--python-version 3.11 pyproject.toml -c requirements/dev.lock -o requirements/run.lock
	$(BIN)/uv pip compile --universal --generate-hashes --extra cluster --extra proxy --extra s3 --extra study --quiet --no-header \
		--python-version 3.11 pyproject.toml -c requirements/dev.lock -o requirements/cluster.lock

clean:
	rm -rf $(VENV) .cache build dist src/*.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src -name '*.so' -delete
	find src tests benchmarks -name __pycache__ -prune -exec rm -rf {} +
