# One target per task. Each first installs and builds what it needs; a repeated call finds nothing to do.
.PHONY: demo test test-all test-rest check lint format bench bench-nodes fuzz tsan trials vm boards docs deb clean setup
.DEFAULT_GOAL := setup

BIN := .venv/bin
DONE = @echo 'done; to call it: export PATH="$(CURDIR)/$(BIN):$$PATH", then: wirespeed --help'

setup:
	@tools/setup.sh
	$(DONE)

demo:
	@tools/setup.sh
	@$(BIN)/wirespeed demo
	$(DONE)

test:
	@tools/setup.sh test
	@$(BIN)/python tools/run-tests.py test

# make test, then the longer tests: guests, long trials, Ray, full tables, property tests at full depth.
test-all:
	@tools/setup.sh test
	@$(BIN)/python tools/run-tests.py all

# The part of test-all that test does not run.
test-rest:
	@tools/setup.sh test
	@$(BIN)/python tools/run-tests.py rest

# The quick part of lint and test, for work in progress. CI runs both completely.
check:
	@tools/setup.sh test lint
	@tools/check.sh

lint:
	@tools/setup.sh --configure lint
	@$(BIN)/python tools/lint.py

format:
	@tools/setup.sh --configure lint
	$(BIN)/ruff check --fix --quiet
	$(BIN)/ruff format --quiet
	git ls-files -z 'native/*.c' 'native/*.h' | xargs -0 clang-format -i

bench:
	@tools/setup.sh bench
	@$(BIN)/python bench/pacing.py
	@$(BIN)/python bench/workers.py
	@build/native/bench/bench_memif
	@build/native/bench/bench_generator_memif
	@$(BIN)/python bench/memif.py --json bench/results/memif.json

bench-nodes:
	@tools/setup.sh bench
	@build/native/bench/bench_nodes
	@$(BIN)/python bench/instructions.py
	@build/native/bench/bench_generator
	@build/native/bench/bench_flow_set
	@build/native/bench/bench_flow_set 16777216 tcp
	@build/native/bench/bench_graph
	@build/native/bench/bench_fib
	@build/native/bench/bench_port

fuzz:
	@tools/setup.sh test
	@tools/fuzz.sh 60

# make tsan ARGS="5000 7": CONTRIBUTING.md
tsan:
	@tools/setup.sh test
	@tools/tsan.sh $(ARGS)

# make trials ARGS="--short", ARGS="--only labs", ARGS="--packets": docs/develop/trials.md
trials:
	@tools/setup.sh test
	@tools/trials.sh $(ARGS)

# In guests: router and generator on the drivers of real NICs, guests as routers, and a guest with a bond of Linux.
vm:
	@tools/setup.sh test
	@$(BIN)/python tests/vm/nic_bench.py
	@$(BIN)/pytest -q -s tests/vm/whole.py tests/vm/linux_bond.py

# The JSON of Grafana's boards, from telemetry/grafana.
boards:
	@tools/setup.sh boards
	@$(BIN)/python -m telemetry.grafana.generate

# The site in build-site/html: the pages of docs/, and those that are generated from the code. Broken links are errors.
docs:
	@tools/setup.sh docs
	@$(BIN)/python -m manual site build-site
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet -f build-site/mkdocs.yml
	@echo "build-site/html/index.html"

# Debian packages in build-deb/, installed and started in a clean tree.
deb:
	@tools/deb.sh

clean:
	rm -rf build build-asan-best build-asan-levels build-fuzz build-sanitized build-tsan build-site build-deb build-trees .venv
