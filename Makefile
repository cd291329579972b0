# make demo    a recording, transcribed as it plays          make lint    every check of the sources
# make test    every test and check (below 25 minutes)       make format  make the sources look as lint wants
# make test-cpp | test-python | test-asan | test-tsan        make bench   delays under load
# make docs    the documentation as a site, in build/site   make wheel   dist/*.whl
# make release VERSION=1.2.0 [DRY_RUN=1]   checks, changelog, tag
# make model CORPUS=calls.jsonl            a model of your own recordings (recipes/README.md)
# Everything lands in .venv, build and dist; `make clean` removes them.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= $(shell tools/find_python.sh)
JOBS ?= $(shell nproc)
BIN := .venv/bin
STAMPS := build/stamps
CMAKE = cmake -S . -G Ninja -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python -DCOSYVOICE_TESTS=ON
CTEST = ctest -j $(JOBS) --timeout 900 --output-on-failure --test-dir
CPP_SOURCES := $(shell find src include cmake -type f) CMakeLists.txt
CPP_TESTS := $(shell find tests/cpp tests/fuzz -type f)
PY_LINTED := python tests/python tools examples recipes deploy benchmarks
CXX_FORMATTED := $(shell find src include tests/cpp tests/fuzz examples benchmarks -name '*.cc' -o -name '*.c' -o -name '*.h')

# The list of the package's files: a new one must be told to the editable installation.
$(shell mkdir -p $(STAMPS) && find python -name '*.py' | sort > $(STAMPS)/files.new && \
  { cmp -s $(STAMPS)/files.new $(STAMPS)/files || cp $(STAMPS)/files.new $(STAMPS)/files; })

.PHONY: help demo test test-cpp test-asan test-tsan fuzz test-python lint format stubs bench docs install wheel release model clean

help:
	@head -7 Makefile

demo: $(STAMPS)/install
	$(BIN)/cosyvoice demo

install: $(STAMPS)/install

bench: $(STAMPS)/install
	$(BIN)/cosyvoice bench

docs: $(STAMPS)/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

test: lint test-cpp test-tsan test-asan test-python

test-cpp: build/py/tests-built
	$(CTEST) build/py

# OpenVINO's thread pool gives false alarms, so the race detector sees the stages with a stand-in network.
test-tsan: build/tsan/built
	TSAN_OPTIONS=halt_on_error=1 $(CTEST) build/tsan

test-asan: build/asan/built
	ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1 $(CTEST) build/asan

# Damaged language models, new ones with each SEED, until either limit is reached.
FUZZ_SECONDS ?= 600
FUZZ_INPUTS ?= 1000000
SEED ?= 1
fuzz: build/asan/built
	UBSAN_OPTIONS=print_stacktrace=1 build/asan/tests/fuzz/fuzz_lm $(FUZZ_SECONDS) $(FUZZ_INPUTS) $(SEED)

test-python: $(STAMPS)/install $(STAMPS)/dev $(STAMPS)/docs $(STAMPS)/system-tests
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile

lint: $(STAMPS)/install $(STAMPS)/dev
	$(BIN)/ruff check $(PY_LINTED)
	$(BIN)/ruff format --check $(PY_LINTED)
	$(BIN)/mypy
	@echo clang-format; $(BIN)/clang-format --dry-run -Werror $(CXX_FORMATTED)
	$(BIN)/python tools/check_layers.py
	$(BIN)/python tools/check_no_print.py
	$(BIN)/python tools/make_stubs.py --check
	$(BIN)/python tools/make_config_reference.py --check
	$(BIN)/python tools/make_model_reference.py --check

format: $(STAMPS)/dev
	$(BIN)/ruff check --fix $(PY_LINTED)
	$(BIN)/ruff format $(PY_LINTED)
	@echo clang-format; $(BIN)/clang-format -i $(CXX_FORMATTED)

stubs: $(STAMPS)/install
	$(BIN)/python tools/make_stubs.py
	$(BIN)/python tools/make_config_reference.py
	$(BIN)/python tools/make_model_reference.py

wheel: $(STAMPS)/install $(STAMPS)/dev
	$(BIN)/python tools/make_wheel.py dist

release: $(STAMPS)/install $(STAMPS)/dev
	$(BIN)/python -m pip install --quiet --requirement requirements/release.txt
	$(BIN)/python tools/release.py $(VERSION) $(if $(DRY_RUN),--dry-run)

# Recipes have packages of their own, torch among them; RECIPES_PYTHON names a Python that has them already.
RECIPES_PYTHON ?= $(CURDIR)/build/recipes/bin/python

model: $(if $(filter $(CURDIR)/build/recipes/%,$(RECIPES_PYTHON)),$(STAMPS)/recipes)
	$(MAKE) -C recipes model PYTHON=$(RECIPES_PYTHON) CORPUS="$(abspath $(CORPUS))" DEV="$(abspath $(DEV))"

$(STAMPS)/recipes: recipes/requirements.txt $(STAMPS)/system
	$(PYTHON) -m venv build/recipes
	build/recipes/bin/python -m pip install --quiet --requirement recipes/requirements.txt
	touch $@

clean:
	rm -rf build .venv dist

# The Python package's own build has the library's objects already.
build/py/tests-built: $(STAMPS)/install $(CPP_TESTS)
	cmake -B build/py -DCOSYVOICE_TESTS=ON
	cmake --build build/py -j $(JOBS)
	touch $@

build/asan/built: $(CPP_SOURCES) $(CPP_TESTS) $(STAMPS)/run
	$(CMAKE) -B build/asan -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS=-O1 -DCOSYVOICE_SANITIZE=address
	cmake --build build/asan -j $(JOBS)
	touch $@

build/tsan/built: $(CPP_SOURCES) $(CPP_TESTS) $(STAMPS)/run
	$(CMAKE) -B build/tsan -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS=-O1 -DCOSYVOICE_SANITIZE=thread
	cmake --build build/tsan -j $(JOBS)
	touch $@

$(STAMPS)/install: $(CPP_SOURCES) $(STAMPS)/files $(STAMPS)/run pyproject.toml
	$(BIN)/python -m pip install --quiet --no-build-isolation --no-deps --editable .
	touch $@

$(STAMPS)/dev: requirements/dev.txt $(STAMPS)/run
	$(BIN)/python -m pip install --quiet --requirement requirements/dev.txt
	touch $@

$(STAMPS)/docs: requirements/docs.txt requirements/dev.txt $(STAMPS)/run
	$(BIN)/python -m pip install --quiet --requirement requirements/docs.txt
	touch $@

$(STAMPS)/run: requirements/run.txt $(STAMPS)/system
	test -x $(BIN)/python || { rm -rf .venv build/py; $(PYTHON) -m venv .venv; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements/run.txt
	touch $@

$(STAMPS)/system: tools/system_packages.sh
	tools/system_packages.sh
	touch $@

$(STAMPS)/system-tests: tools/system_packages.sh
	tools/system_packages.sh --tests
	touch $@
