# Every target brings its own set-up: a checkout, Python 3.11 or newer and make are enough. `make help` lists them.

PREPARE := sh deploy/build/prepare.sh
PYTHON_ := .venv/bin/python
BIN := .venv/bin
ROOMS := games refusals wire serving services clients deploy bench tests
# Given on the command line: ONCE=1, VARIANT=v and FRESH=1 for run, SEED=n, VARIANT=v and DEALS=n for sim, ONLY=name for bench.
RUN_FLAGS := $(if $(ONCE),--once) $(if $(FRESH),--fresh) $(if $(filter command%,$(origin VARIANT)),--variant $(VARIANT))

export PYTHON
# Whatever the shell says: without kept bytecode each process of a run compiles all it imports, for seconds.
unexport PYTHONDONTWRITEBYTECODE
.DEFAULT_GOAL := help
.PHONY: help setup run stop test check checks format lint types arrows wire pages manifests fast-tests bench sim packages lock release-wire clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: ## make .venv, install the locks, compile the stubs, install the tree
	@$(if $(PREPARED),:,$(PREPARE) all)

run: ## start everything on this machine, show deals, serve until Ctrl-C [ONCE=1: stop after the show] [VARIANT=v: show one game] [FRESH=1: forget old state]
	@$(PREPARE) local
	@$(PYTHON_) deploy/build/foreground.py deploy.local.run $(RUN_FLAGS)

stop: ## stop what `make run` started
	@$(PREPARE) local
	@$(PYTHON_) -m deploy.local.stop

test: setup checks ## everything: the checks, then all tests, with real stores and processes
	@$(PYTHON_) -m tests.whole

check: setup checks fast-tests ## format, lint, types, arrows, wire, pages, manifests and the fast tests; seconds

# Two at a time; the types take as long as all the others.
checks: setup
	@$(MAKE) --no-print-directory -j 2 PREPARED=1 types lint arrows wire pages manifests

format: setup ## put code and made pages into the form that `make check` asks for
	@$(BIN)/ruff format $(ROOMS)
	@$(BIN)/ruff check --fix $(ROOMS)
	@$(PYTHON_) -m deploy.build.pages

lint: setup
	@echo "check: form and lint (ruff)"
	@$(BIN)/ruff format --check --quiet $(ROOMS) || { echo "check: run 'make format'" >&2; exit 1; }
	@$(BIN)/ruff check --quiet --output-format concise $(ROOMS)

types: setup
	@echo "check: types (mypy --strict)"
	@$(BIN)/mypy --no-error-summary

arrows: setup
	@echo "check: which way imports point (import-linter)"
	@$(BIN)/lint-imports > .venv/.arrows 2>&1 || { cat .venv/.arrows; exit 1; }

wire: setup
	@echo "check: the wire (buf lint; buf breaking against protos/released.binpb)"
	@$(BIN)/buf lint
	@$(BIN)/buf breaking --against protos/released.binpb

pages: setup
	@echo "check: generated pages and links"
	@$(PYTHON_) -m deploy.build.pages --check

manifests: setup
	@echo "check: manifests, compose file and Dockerfile against the schemas and the code (kustomize, hadolint)"
	@$(PYTHON_) -m deploy.k8s.check

fast-tests: setup
	@$(BIN)/pytest -q -m "fast and not slow" -n 2 --dist worksteal

bench: setup ## measure; a table on the screen, figures in bench/results.json [ONLY=name]
	@$(PYTHON_) -m bench $(if $(ONLY),--only $(ONLY))

sim: setup ## replay simulated runs: SEED=n [VARIANT=bloody6: one variant] [DEALS=2000]
	@$(PYTHON_) -m tests.sim.run --seed $(or $(SEED),1) $(if $(VARIANT),--variant $(VARIANT)) $(if $(DEALS),--deals $(DEALS))

packages: setup ## build the packages for other teams into dist/: cardroom-rules, cardroom-client
	@$(PYTHON_) -m deploy.packages.build

lock: setup ## make the locks in requirements/ anew from pyproject.toml [UPGRADE=1: newest releases]
	@$(PYTHON_) -m deploy.build.lock $(if $(UPGRADE),--upgrade)

release-wire: setup ## take the wire as it stands for released: protos/released.binpb (needs a Wire entry in CHANGELOG.md)
	@$(PYTHON_) -m deploy.build.release_wire

clean: ## remove what the build made (.venv, generated/, caches); state of `make run` stays
	@rm -rf .venv generated build dist cardroom.egg-info .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
