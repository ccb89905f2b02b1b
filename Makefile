# `make grade` and `make test` work on a fresh machine with Python 3.11+, make and pip.
PYTHON ?= python3
# Set this to PyTorch's CPU index where a plain `pip install torch` would bring gigabytes of CUDA.
TORCH_INDEX ?=
# Tests that run at a time.
TESTS ?= 2
# Empty: every long test, not this commit's share of them.
SHARE ?= --share
# What the tests of a run were skipped for.
export SKIPPED := .venv/skipped
# Where `make docs` writes.
SITE ?= build/docs
READ ?= build/docs-read
BIN := .venv/bin
# Tests start Python hundreds of times: what is compiled once is kept, whatever the shell has set.
unexport PYTHONDONTWRITEBYTECODE
# nbval takes a second and a half to import, in each process; only notebooks need it.
NO_NOTEBOOKS := -p no:nbval
# What grading needs is installed, and with it what all other targets need.
GRADING := .venv/grading
READY := .venv/ready
INSTALL = $(PYTHON) .ci/install.py $(1) -c constraints.txt
# Where nbgrader and otter run when their times are compared with ours.
RIVALS := .venv-bench/ready

# A folder with one source notebook of nbgrader's, and `data/` where it needs one.
GIVEN ?=

.PHONY: grade test check everything truth fuzz redteam platform solutions figures grok bench \
	bench-imported bench-marking bench-desk bench-scans docs clean

grade: $(GRADING)  ## grade the bundled example submissions
	$(BIN)/autograder grade hw2_transformer tests/submissions/hw2_transformer --out graded/examples

test: check  ## every kind of test, of the long ones this commit's share; seven to ten minutes on 2 cores
	$(BIN)/pytest -q -n $(TESTS) --dist worksteal $(NO_NOTEBOOKS) -m slow $(SHARE) --durations=20 \
		--ignore tests/unit  # which has none
	$(BIN)/pytest -q -n $(TESTS) --dist loadfile --nbval-lax $$($(BIN)/python -m tests.turn 6 solutions/*)
	@sort $(SKIPPED) | uniq -c | sort -rn | sed 's/^ *//'

check: $(READY)  ## style, types and the fast tests; a minute and a half on 2 cores
	@: >$(SKIPPED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -q -n $(TESTS) $(NO_NOTEBOOKS) -m "not slow"
	$(BIN)/autograder release --check
	$(BIN)/autograder release --check --course tests/toy_course

everything: $(READY)  ## every full count that is missing or out of date, into docs/proofs.json; hours, and resumes
	$(BIN)/python -m tests.everything -j $(TESTS)

truth: $(READY)  ## marks are true: the contract, mistakes named, mutants caught, right answers kept, no leak
	$(BIN)/autograder check --full
	for name in source/*; do $(BIN)/autograder check $$(basename $$name) --large || exit; done
	$(BIN)/python -m tests.truth

fuzz: $(READY)  ## mutated logs and replies never crash and never earn: the full counts
	FULL_COUNTS=1 $(BIN)/pytest -q -m fuzzed

redteam: $(READY)  ## hostile and odd submissions at four levels: each gets exactly what it deserves
	FULL_COUNTS=1 $(BIN)/pytest -q tests/security/test_killed.py
	$(BIN)/python -m tests.redteam
	$(BIN)/python -m tests.redteam.crowd
	$(BIN)/python -m tests.redteam.crowd --orders 1 --attacks 0 --busy 4

platform: $(READY)  ## Gradescope, simulated in a Debian of its own: everything that goes wrong midway
	FULL_COUNTS=1 $(BIN)/pytest -q tests/platform

solutions: $(READY)  ## release/ and solutions/ from source/, and the example submissions from release/
	$(BIN)/autograder release --execute
	$(BIN)/autograder release --execute --course tests/toy_course
	$(BIN)/python tests/submissions/make.py
	$(BIN)/pytest -q -n $(TESTS) --dist loadfile --nbval-lax solutions

figures: $(READY)  ## the pictures and the reference's pages that are made from code, the labs' tables
	$(BIN)/python -m docs.pages.figures
	$(BIN)/python -m docs.pages.log_page
	$(BIN)/python -m docs.pages.kit_page
	$(BIN)/python -m docs.pages.messages_page
	$(BIN)/python -m docs.pages.journey
	$(BIN)/python -m docs.pages.speed
	$(BIN)/python -m docs.pages.commands
	$(BIN)/python -m docs.pages.course_toml
	$(BIN)/python -m docs.pages.labs

grok: $(READY)  ## the long runs that hw6_grokking shows: a quarter of an hour on two cores
	$(BIN)/python -m tests.benchmarks.grok

bench: $(READY) $(RIVALS)  ## the table of speed, beside nbgrader, otter and the least it costs; hours, QUICK=1 minutes
	$(BIN)/python -m tests.benchmarks.table $(if $(QUICK),--quick)

bench-imported: $(READY)  ## GIVEN=FOLDER, with one notebook of nbgrader's: marks, times and hostile ones beside nbgrader
	@test -n "$(GIVEN)" || { echo "name the folder of one source notebook: make bench-imported GIVEN=FOLDER"; exit 2; }
	$(BIN)/python -m tests.benchmarks.imported $(GIVEN) --hostile 20

bench-marking: $(READY)  ## the marking page in a browser: start, next answer, memory; five minutes
	$(BIN)/python -m tests.benchmarks.marking_page

bench-desk: $(READY)  ## the desk in a browser: start, search, memory; three minutes
	$(BIN)/python -m tests.benchmarks.desk

bench-scans: $(READY)  ## sheets on paper, spoiled and photographed: strips read rightly, wrongly, by a person; half an hour
	$(BIN)/python -m tests.benchmarks.scans

docs: $(READY)  ## the documentation's site, in build/docs/; no network
	$(BIN)/python -m sphinx -q -W --keep-going -j auto -d $(READ) docs $(SITE)
	@echo wrote $(SITE)/index.html

clean:
	rm -rf .venv .venv-bench graded

$(GRADING): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed; name it: make PYTHON=python3.12 grade")'
	@echo "installing what grading needs into .venv: 350 MB to download, then half a minute by uv, two by pip"
	$(if $(TORCH_INDEX),$(call INSTALL,.venv) --index-url $(TORCH_INDEX) torch)
	$(call INSTALL,.venv) -e '.[attention]'
	@# Compiled by somebody who may write the result, which student code may not.
	$(BIN)/python -c 'import torch, matplotlib.pyplot, tqdm'
	@touch $@

$(READY): $(GRADING) docs/constraints.txt
	@echo "installing what tests, documentation, marking and a cluster need: 200 MB, and half a minute by uv"
	$(call INSTALL,.venv) -c docs/constraints.txt -e '.[attention,dev,cluster,docs,mark,pdf,report,scans]'
	@touch $@

$(RIVALS): tests/benchmarks/rivals.txt constraints.txt
	$(if $(TORCH_INDEX),$(call INSTALL,.venv-bench) --index-url $(TORCH_INDEX) torch)
	$(call INSTALL,.venv-bench) torch -r tests/benchmarks/rivals.txt
	@# So that no figure has the compiling of a first import.
	.venv-bench/bin/python -m compileall -q -j 0 .venv-bench/lib >/dev/null || true
	@touch $@
