# `make demo` and `make test` each do their whole set-up first: Python 3.11 or later and make are all they need.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# All that needs Spark runs in one process; there it waits half of the time, so there are three, whatever the cores.
PROCESSES := --numprocesses=3 --dist=loadgroup

.PHONY: demo test lint types unit test-long test-random bench site clean

demo: $(READY)
	$(BIN)/holdsfor demo

test: lint types unit

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell *.md docs examples benchmarks holdsfor tests/README.md

types: $(READY)
	$(BIN)/mypy

# Where Python is told to leave no compiled modules, each of the many processes of the tests would compile them all anew.
unit: export PYTHONDONTWRITEBYTECODE =

# On a fresh checkout one process compiles the kernels; else each of those below would, and Spark's workers too.
unit: $(READY)
	$(BIN)/python -c 'from holdsfor.spark.shipping import load_kernels; load_kernels()'
	$(BIN)/python -m pytest $(PROCESSES) -m 'not slow'

# All tests, those marked slow too, with twenty times the examples for each law.
test-long: lint types
	$(BIN)/python -m pytest --hypothesis-profile=long

# What only chance finds: 2,000 random programs against the naive evaluator, 2,000 random streams in every report,
# 100,000 damaged rule files, 2,000 descriptions with many stages on every host (the same command goes on with these).
# HOLDSFOR_SEED and HOLDSFOR_FUZZ_FROM begin elsewhere. About four hours of one core.
test-random: $(READY)
	HOLDSFOR_PROGRAMS=2000 HOLDSFOR_STREAMS=2000 $(BIN)/python -m pytest tests/laws -m "not spark"
	HOLDSFOR_FUZZ=100000 $(BIN)/python -m pytest tests/language/test_fuzz.py
	$(BIN)/python -m tests.laws.run_shapes out/shapes.jsonl

bench: $(READY)
	$(BIN)/python -m benchmarks

site: $(READY)
	$(BIN)/python -m mkdocs build --strict --quiet

# Made again whenever pyproject.toml changes; a half-made environment has no .ready and is made anew.
$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "Holdsfor needs Python 3.11 or later, and '$(PYTHON)' is not. Name one: make PYTHON=python3.11 $(MAKECMDGOALS)" >&2; exit 1; }
	rm -rf $(VENV)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
