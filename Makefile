# `make run` starts the dashboard, `make test` checks everything a change must pass.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN_READY := $(VENV)/.ready-to-run
TEST_READY := $(VENV)/.ready-to-test
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.PHONY: help run test check lint types imports deps coverage clean

help:
	@echo "make run    start the dashboard (HOST, PORT, DEMO_PASSWORD and STATECORE_VAR may be set)"
	@echo "make check  lint, types and the tests that need no database, in a minute"
	@echo "make test   everything a change must pass"
	@echo "make clean  remove what was built; data in var/ stays"

$(VENV)/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
		|| { echo "error: Python 3.11 or newer is needed as $(PYTHON); set PYTHON to one"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null \
		|| { echo "error: Python's venv is missing: install it (Debian: apt-get install python3-venv)"; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(RUN_READY): requirements.txt | $(VENV)/pyvenv.cfg
	@echo "Installing what it takes to run; the next start takes seconds."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(TEST_READY): requirements.txt requirements-dev.txt | $(VENV)/pyvenv.cfg
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@ $(RUN_READY)

run: $(RUN_READY)
	@exec $(BIN)/python manage.py serve

# The programs that some tests drive. As root on Debian they are installed, else named.
deps:
	@.ci/programs

lint: $(TEST_READY)
	@$(BIN)/ruff check --quiet --output-format=concise .
	@$(BIN)/ruff format --quiet --check .

types: $(TEST_READY)
	@$(BIN)/mypy --no-error-summary

imports: $(TEST_READY)
	@$(BIN)/lint-imports --no-logo > $(VENV)/imports.log || { cat $(VENV)/imports.log; exit 1; }

check: lint types imports
	@$(BIN)/python -m pytest -n auto -q tests/unit tests/architecture $(wildcard tests/conformance) -k "not postgres"

test: deps lint types imports
	@.ci/tests $(BIN)

clean:
	@rm -rf $(VENV) build dist .coverage .coverage.* .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
