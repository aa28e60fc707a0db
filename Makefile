# All set-up of respmark; `make help` lists the targets. What set-up does and where: docs/setup.md.
PYTHON ?= python3
ARGS ?=

HARNESS := env PYTHON='$(PYTHON)' sh harness/install.sh
# `exec`, so that a signal to make reaches the program itself and not a shell before it. Tools that set-up brought,
# because the machine has none that will do, come first.
WITH_TOOLS := exec env PATH="$(CURDIR)/.build/bin:$$PATH"
RESPMARK := $(WITH_TOOLS) .build/harness/bin/respmark
# Nothing honest is refused, however a server counts: what is not measured is unsupported, or not on this machine.
EVERY := $(RESPMARK) run every --rounds 1 --laps 3 --slice-s 0.05 --warmup-limit-s 0.05
TOOL := cd harness && $(WITH_TOOLS) ../.build/harness/bin/python -m tools

MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help harness setup bench bench-docker test test-unit test-full test-docker lint audit fidelity overhead differences readme publish site dist lock clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(firstword $(MAKEFILE_LIST)) | awk -F '\t' '{ printf "  make %-12s %s\n", $$1, $$2 }'
	@echo 'ARGS="…" goes to respmark as it is:  make bench ARGS="--client redis-py --rounds 5"'
	@echo 'PYTHON=… names another Python (3.11 or later):  make bench PYTHON=python3.12'

harness: # the harness, with what its tests and linters need
	@$(HARNESS) requirements-dev.txt

setup: ## install and build what is missing or has changed: every language, every client
	@$(HARNESS)
	@$(RESPMARK) setup

bench: ## measure every client here (suite quick), and print the tables; sets up what it measures
	@$(HARNESS)
	@$(RESPMARK) run quick $(ARGS)

bench-docker: ## the same in containers: needs Docker, and no language but Python (docs/containers.md)
	@$(HARNESS)
	@$(RESPMARK) run quick --via docker $(ARGS)

test-unit: harness # what starts nothing: no language, half a minute
	@$(WITH_TOOLS) .build/harness/bin/python -m pytest harness/tests -m unit -n 2 -q $(ARGS)

test: harness ## set up, then every test that a change can break, of every language here
	@$(TOOL).checks test

test-docker: harness ## build every image, then measure a client of every language in its container; needs Docker
	@exec .build/harness/bin/python -m pytest harness/tests/docker -m 'docker and not full' -v $(ARGS)

test-full: harness ## what `make test` leaves out: every case of conformance, other servers, TLS, containers (needs Docker)
	@$(RESPMARK) setup
	@rm -rf .build/every
	@code=0; \
	($(WITH_TOOLS) .build/harness/bin/python -m pytest harness/tests -m full -v $(ARGS)) || code=1; \
	for server in redis@6.2 valkey@9.1 spawned-tls; do \
	    ($(EVERY) --server $$server --out .build/every/$$server) || code=1; \
	done; \
	($(RESPMARK) conform) || code=1; \
	exit $$code

lint: harness ## set up, then run every linter
	@$(TOOL).checks lint

audit: harness ## set up, then look every dependency up in databases of known vulnerabilities
	@$(TOOL).checks audit

fidelity: setup ## compare the suite with bare loops, and with programs written from the libraries' READMEs
	@cd harness && $(WITH_TOOLS) ../.build/harness/bin/python -m bench.fidelity $(ARGS)

overhead: setup ## what the measured loop costs in each runner, with a client that does nothing
	@$(WITH_TOOLS) .build/harness/bin/python harness/bench/overhead.py $(ARGS)

differences: harness ## write docs/differences.md from what clients' and runners' files say
	@$(TOOL).differences

readme: harness ## write the README's figures and picture, and docs/post.md, from the published runs' files; the table of metrics
	@$(TOOL).readme

publish: harness ## measure the published runs, hours on a quiet machine (docs/publishing.md); then `make readme`
	@$(TOOL).publish $(ARGS)

site: harness ## build the documentation as a site in .build/site/html; a broken link fails
	@$(TOOL).site

dist: harness ## build wheel and sdist, and their bill of materials (CycloneDX), in .build/dist
	@rm -rf .build/dist
	@.build/harness/bin/uv build --quiet --out-dir .build/dist harness
	@.build/harness/bin/uv tool run --quiet --from cyclonedx-bom==7.5.0 cyclonedx-py requirements harness/requirements.txt \
	    --pyproject harness/pyproject.toml --output-file .build/dist/respmark.cdx.json
	@ls .build/dist

lock: harness ## renew the pins of the harness and of the Python clients
	@UV="$(CURDIR)/.build/harness/bin/uv" && compile() { "$$UV" pip compile --quiet --upgrade --universal \
	    --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url "$$@"; } && \
	cd harness && compile pyproject.toml --extra pictures -o requirements.txt && \
	compile pyproject.toml --extra pictures --extra dev -c requirements.txt -o requirements-dev.txt && \
	cd ../python && compile requirements-dev.in -o requirements-dev.txt
	@$(RESPMARK) setup python --lock

clean: ## remove what set-up, tests and linters made; never results
	@rm -rf .build java/*/target
	@find . \( -path ./.git -o -path ./results \) -prune -o -type d \( -name __pycache__ -o -name '*.egg-info' \
	    -o -name .hypothesis -o -name .import_linter_cache -o -name .mypy_cache -o -name .pytest_cache \
	    -o -name .ruff_cache \) -prune -exec rm -rf {} +
