# Two commands: `make demo` shows what it does, `make test` shows that it does it right. Both install what they need.
PYTHON ?= 3.11
VENV := $(if $(filter 3.11,$(PYTHON)),.venv,.venv-$(PYTHON))
BIN := $(VENV)/bin

# pyenv's shims hide the versions that are not chosen; ask for its interpreter by name where there is one.
interpreter = $(or $(lastword $(wildcard $(HOME)/.pyenv/versions/$(1).*/bin/python)),$(1))

UV := $(or $(shell command -v uv 2>/dev/null),.venv-uv/bin/uv)

# A file's tests stay together, since what they share is made once a file.
WORKERS ?= auto
PYTEST = $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadfile

.PHONY: setup demo test test-all test-share lint format kernels judges gui-test fuzz benchmark docs pictures site messages extension wheel fitting-kernels packages requirements clean

setup: $(VENV)/.installed

.venv-uv/bin/uv: requirements/uv.txt
	python3 -m venv .venv-uv
	.venv-uv/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt
	@touch $@

$(VENV)/.installed: requirements/dev.txt pyproject.toml $(filter .venv-uv/bin/uv,$(UV))
	$(UV) venv --quiet --clear --python $(call interpreter,$(PYTHON)) $(VENV)
	$(UV) pip sync --quiet --python $(VENV) --require-hashes requirements/dev.txt
	$(UV) pip install --quiet --python $(VENV) --no-deps --no-build-isolation --editable .
	@touch $@

demo: setup
	$(BIN)/limberjack demo

# Five minutes on two cores, once the kernels are compiled. TESTS chooses, such as TESTS="tests/core -k conformance".
test: setup
	$(PYTEST) -m "not slow and not judges" $(TESTS)

# Everything: also processes and clusters, every command of the pages, all types with all features, the judges.
test-all: setup
	$(PYTEST) $(TESTS)

# What one run of CI takes of the tests with MARKS: one of five groups, then what recent commits affect, nearest first,
# as far as BUDGET [s] allows. Five commits in a row take all groups.
GROUP ?= $(shell expr $$(git rev-list --count HEAD) % 5)
BUDGET ?= 300
MARKS ?= slow or judges
SHARE = --dist loadgroup --no-loadscope-reorder --group $(GROUP) --since recent --budget $(BUDGET)

test-share: setup
	$(BIN)/python -m pytest --numprocesses $(WORKERS) $(SHARE) -m "$(MARKS)" $(TESTS)

lint: setup .venv-lint/.installed
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports --no-cache
	.venv-lint/bin/basedpyright --pythonpath .venv-lint/bin/python

# Apart, since its stubs of bpy would hide the real one; of Python 3.11 whatever PYTHON says, since that is the oldest.
.venv-lint/.installed: requirements/lint.txt $(filter .venv-uv/bin/uv,$(UV))
	$(UV) venv --quiet --clear --python $(call interpreter,3.11) .venv-lint
	$(UV) pip sync --quiet --python .venv-lint --require-hashes requirements/lint.txt
	@touch $@

# The kernels compiled ahead of time, for this machine and, with PLATFORMS empty, for all that have a zip: native/build.py.
PLATFORMS ?=

kernels: setup .venv-zig/.installed
	$(BIN)/python -m native.build $(PLATFORMS)

# zig links for other systems than this one; it is needed for nothing else.
.venv-zig/.installed: requirements/zig.txt $(filter .venv-uv/bin/uv,$(UV))
	$(UV) venv --quiet --clear --python $(call interpreter,3.11) .venv-zig
	$(UV) pip sync --quiet --python .venv-zig --require-hashes requirements/zig.txt
	@touch $@

# Other engines that judge ours; the tests marked `judges` then stop skipping.
judges: .judges/.installed

.judges/.installed: $(VENV)/.installed requirements/judges.txt requirements/older_usd.txt tests/judges/install.sh
	tests/judges/install.sh $(UV)
	@touch $@

# A real Blender with a window, driven by simulated mouse and keys; screenshots in out/gui.
gui-test:
	python3 tests/gui/run.py

# Strange files for each reader, COUNT of them, and what was read for the writers: some 10 minutes on two cores. What
# fails is saved in out/fuzz, as found and as small as it could be made. `make test` runs the first 1500.
COUNT ?= 100000

fuzz: setup
	$(BIN)/python tests/fuzz/run.py --count $(COUNT)

format: setup
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

# Pages that follow from the code; a test holds them against it.
docs: setup
	$(BIN)/python docs/make_joints.py
	$(BIN)/python docs/make_features.py
	$(BIN)/python docs/make_api.py

# The pictures of the pages: two of the real window, and renders of the samples.
pictures: setup
	$(BIN)/python docs/make_pictures.py

# Every text of the add-on that can be translated, into addon/locale/messages.json; a test holds it against the code.
messages: setup
	$(BIN)/python docs/make_messages.py

# Ratios against other engines, in one run; JSON=1 prints one JSON object as the last line.
benchmark: setup
	-@$(MAKE) --no-print-directory judges
	$(BIN)/python benchmarks/run.py $(if $(JSON),--json)

# The zips to install in Blender, into dist/: one for any platform, and those that bring compiled kernels along.
extension: fitting-kernels
	$(BIN)/python .ci/build_extension.py

# The Python package, into dist/: a wheel for each platform that kernels are compiled for.
wheel: fitting-kernels
	$(BIN)/python .ci/build_wheels.py

# Libraries of these sources for PLATFORMS. What cannot be compiled here is left out of zips and wheels, which say so.
fitting-kernels: setup
	-@$(BIN)/python .ci/staging.py $(PLATFORMS) || $(MAKE) --no-print-directory kernels

# The documentation site in out/site, the same pages and a reference from the docstrings. A warning is an error.
site: .venv-site/.installed
	.venv-site/bin/sphinx-build -W --keep-going -q -b html -d out/site-cache -c docs/site . out/site
	.venv-site/bin/python docs/site/links.py out/site

.venv-site/.installed: requirements/site.txt pyproject.toml $(filter .venv-uv/bin/uv,$(UV))
	$(UV) venv --quiet --clear --python $(call interpreter,3.11) .venv-site
	$(UV) pip sync --quiet --python .venv-site --require-hashes requirements/site.txt
	$(UV) pip install --quiet --python .venv-site --no-deps --no-build-isolation --editable .
	@touch $@

# Installs, uses and removes what both make for this platform, in clean Blenders. ARGS="--group 2" tries a fifth of it.
packages: extension wheel .venv-blender-3.11/.installed .venv-blender-3.13/.installed
	$(BIN)/python tests/packages/run.py $(ARGS)

.venv-blender-%/.installed: requirements/blender.txt $(filter .venv-uv/bin/uv,$(UV))
	$(UV) venv --quiet --clear --python $(call interpreter,$*) .venv-blender-$*
	$(UV) pip sync --quiet --python .venv-blender-$* --require-hashes requirements/blender.txt
	@touch $@

PIN := pip compile --quiet --universal --generate-hashes --no-header --python-version 3.11

requirements: $(filter .venv-uv/bin/uv,$(UV))
	$(UV) $(PIN) --extra fast --extra pieces --extra plots --extra batch --extra usd --extra blender pyproject.toml requirements/dev.in -o requirements/dev.txt
	$(UV) $(PIN) --extra blender --constraints requirements/dev.txt pyproject.toml -o requirements/blender.txt
	$(UV) $(PIN) --no-deps --constraints requirements/dev.txt requirements/bundled.in -o requirements/bundled.txt
	$(UV) $(PIN) --extra fast --constraints requirements/dev.txt pyproject.toml requirements/site.in -o requirements/site.txt
	$(UV) $(PIN) requirements/zig.in -o requirements/zig.txt
	$(UV) $(PIN) requirements/lint.in -o requirements/lint.txt
	$(UV) $(PIN) requirements/judges.in -o requirements/judges.txt
	$(UV) $(PIN) requirements/older_usd.in -o requirements/older_usd.txt
	$(UV) $(PIN) requirements/uv.in -o requirements/uv.txt

clean:
	rm -rf .venv .venv-* .judges out build dist core/kernels *.egg-info
