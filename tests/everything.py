"""Run every full count there is, one after another, and keep what each prints in docs/proofs.json.

    python -m tests.everything                 all that is missing, or rests on something that changed
    python -m tests.everything truth hw3       those whose names have all these words
    python -m tests.everything --list          what there is, and what it said

It may be interrupted at any time and goes on where it was. What a count rests on is committed
first, so that the commit in the file is the one that was counted.
"""

import argparse
import ast
import functools
import hashlib
import json
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

import psutil

from autograder.authoring.calibrate import prove
from autograder.course import homework as homeworks

ROOT = Path(__file__).parents[1]
PROOFS = ROOT / "docs" / "proofs.json"
OUTPUT = ROOT / "build" / "proofs"
"""All that a count printed, in a file of its own; git ignores the folder."""
LEVELS = ("bare", "user", "landlock", "root")
# The first is of homeworks with a large set of right values alone.
TRIED_HERE = ("alignment", "leaks")
"""The parts of `make truth` that are about the tool, and no author's to try."""
PYTHON = (sys.executable, "-m")
_STAGES = ("records", "course", "kit", "submission", "program", "sandbox", "marking")
MARKS = (*(f"autograder/{stage}" for stage in _STAGES), ":(glob)autograder/*.py", "constraints.txt")
"""The files that any mark depends on."""


@dataclass(frozen=True)
class Count:
    """One command whose last line is the result.

    Args:
        name: In words.
        command: Is run in the project's folder; status 0 means that all is well.
        rests_on: Files and folders; when one changes, what the count said is out of date.
        variables: Of its environment.
        alone: Nothing else may run beside it.
        code_only: No Markdown that it rests on matters, neither files nor cells.
    """

    name: str
    command: Sequence[str]
    rests_on: Sequence[str]
    variables: Mapping[str, str] = field(default_factory=dict)
    alone: bool = False
    code_only: bool = False


def counts() -> Iterator[Count]:
    """Yield every count: those that may run beside others first, each with what it rests on."""
    hw2 = ["source/hw2_transformer"]
    proving = [*MARKS, "autograder/authoring", "tests/helpers.py"]
    grading = [*MARKS, "autograder/grading", "autograder/store", "autograder/reports", *hw2]
    for name in homeworks.names(ROOT):
        own = [f"source/{name}", f"release/{name}", f"solutions/{name}"]
        check = ("autograder", "check", name, "--full")
        yield Count(f"check --full {name}", (*PYTHON, *check), [*proving, *own])
        staff = ROOT / "source" / name / "staff"
        # A count of nothing proves nothing.
        lacking = {"drawn": "drawn.py", "bands": "models.py"}
        parts = [
            part for part in prove.PARTS if part not in lacking or (staff / lacking[part]).is_file()
        ]
        for part in parts:
            proves = ("autograder", "prove", name, part)
            source = [*proving, f"source/{name}", f"release/{name}", "course.toml"]
            yield Count(f"truth {name} {part}", (*PYTHON, *proves), source, code_only=True)
        for part in TRIED_HERE:
            truth = ("tests.truth", name, part)
            yield Count(f"truth {name} {part}", (*PYTHON, *truth), [*proving, *own, *modules(part)])
    full = {"FULL_COUNTS": "1"}
    jupyter = (*PYTHON, "pytest", "-q", "--nbval-lax", "solutions")
    yield Count("solutions in Jupyter", jupyter, ["solutions", "constraints.txt"])
    fuzz = (*PYTHON, "pytest", "-q", "-m", "fuzzed")
    yield Count("fuzz", fuzz, [*MARKS, "tests/unit", "tests/security"], full)
    killed = (*PYTHON, "pytest", "-q", "tests/security/test_killed.py")
    yield Count("killed graders", killed, [*grading, "tests/security"], full, alone=True)
    server = (*PYTHON, "pytest", "-q", "tests/integration/test_killed_server.py")
    page = [
        "autograder/staff/marking_page",
        "autograder/platforms/nbgrader",
        "tests/integration",
        "tests/toy_course",
    ]
    yield Count("killed marking page", server, [*MARKS, *page], full, alone=True)
    attacks = [*grading, "tests/redteam"]
    for level in LEVELS:
        redteam = (*PYTHON, "tests.redteam", "--level", level)
        yield Count(f"redteam {level}", redteam, attacks, alone=True)
    crowd = (*PYTHON, "tests.redteam.crowd")
    yield Count("redteam crowd", crowd, attacks, alone=True)
    busy = (*crowd, "--orders", "1", "--attacks", "0", "--busy", "4")
    yield Count("redteam busy", busy, attacks, alone=True)
    simulated = (*PYTHON, "pytest", "-q", "tests/platform")
    yield Count(
        "platform",
        simulated,
        [*grading, "autograder/platforms/gradescope", "tests/platform"],
        full,
        alone=True,
    )
    yield Count("tests", ("make", "test", "SHARE="), ["."], alone=True)


def modules(name: str) -> list[str]:
    """Return a module of tests/truth with those that it imports, and the one that starts it."""
    found: dict[str, None] = {"__main__": None}
    waiting = [name]
    while waiting:
        found[module := waiting.pop()] = None
        text = (ROOT / "tests" / "truth" / f"{module}.py").read_text(encoding="utf-8")
        imported = re.findall(r"^from tests\.truth(?:\.(\w+) import|\s+import (.+))", text, re.M)
        names = [one for pair in imported for one in ", ".join(filter(None, pair)).split(", ")]
        waiting += [one for one in names if one not in found]
    return [f"tests/truth/{module}.py" for module in sorted(found)]


def identity(count: Count) -> str:
    """Return a digest of the committed files of a count, without docstrings and comments."""
    left_out = [":!docs/proofs.json", *[":!*.md"] * count.code_only]
    staged = git("ls-files", "-s", "--", *count.rests_on, *left_out)
    files = [(line.split("\t")[1], _content(line, count.code_only)) for line in staged.splitlines()]
    text = json.dumps([list(count.command[1:]), dict(count.variables), files])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@functools.cache
def _content(staged: str, code_only: bool) -> str:
    """Return what identifies a file's content, by a line of `git ls-files -s`."""
    blob, path = staged.split()[1], staged.split("\t")[1]
    if path.endswith(".py"):
        return code(git("cat-file", "blob", blob))
    if code_only and path.endswith(".ipynb"):
        cells = json.loads(git("cat-file", "blob", blob))["cells"]
        return json.dumps([cell for cell in cells if cell["cell_type"] == "code"], sort_keys=True)
    return blob


def code(source: str) -> str:
    """Return a digest of Python without comments and docstrings, so that better words end no proof."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(getattr(node, "body", None), list):
            node.body = [one for one in node.body if not _is_text(one)]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()


def _is_text(node: ast.AST) -> bool:
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Constant):
        return False
    return isinstance(node.value.value, str)


def git(*words: str) -> str:
    """Return what git prints of this project."""
    return subprocess.run(
        ["git", "-c", "safe.directory=*", *words],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def run(count: Count) -> dict[str, Any]:
    """Run a count to its end, and return what is kept of it."""
    OUTPUT.mkdir(parents=True, exist_ok=True)
    path = OUTPUT / f"{count.name.replace(' ', '_')}.txt"
    proof = {"rests_on": identity(count), "commit": git("rev-parse", "--short=10", "HEAD").strip()}
    started = time.monotonic()
    with path.open("w", encoding="utf-8") as output:
        status = subprocess.run(
            count.command,
            cwd=ROOT,
            env={**os.environ, **count.variables},
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        ).returncode
    lines = path.read_text(encoding="utf-8").strip().splitlines() or ["nothing was printed"]
    return {
        "well": status == 0,
        "said": lines[-1].strip(" ="),
        "seconds": round(time.monotonic() - started),
        "date": time.strftime("%Y-%m-%d"),
        "machine": _machine(),
        **proof,
    }


def _machine() -> str:
    memory = psutil.virtual_memory().total / 1e9
    python = platform.python_version()
    return f"{os.cpu_count()} processors, {memory:.0f} GB, {platform.system()}, Python {python}"


def known() -> dict[str, Any]:
    """Return what the file has, by the counts' names."""
    if not PROOFS.is_file():
        return {}
    found: dict[str, Any] = json.loads(PROOFS.read_text(encoding="utf-8"))
    return found


def keep(name: str, proof: Mapping[str, Any]) -> None:
    """Put one proof into the file; the file is whole at every moment."""
    everything = {**known(), name: proof}
    order = [count.name for count in counts()]
    everything = {name: everything[name] for name in order if name in everything}
    beside = PROOFS.with_suffix(".new")
    beside.write_text(json.dumps(everything, indent=2) + "\n", encoding="utf-8")
    beside.replace(PROOFS)


def is_fresh(count: Count) -> bool:
    """Return whether the file has this count for the committed files, and it succeeded."""
    proof = known().get(count.name, {})
    return bool(proof.get("well")) and proof["rests_on"] == identity(count)


def is_old(count: Count) -> bool:
    """Return whether something that a count rests on has changed since it was made; False where git is absent."""
    proof = known().get(count.name)
    try:
        return proof is not None and proof["rests_on"] != identity(count)
    except (OSError, subprocess.CalledProcessError):
        return False


def main() -> int:
    """Run the wanted counts that are missing; return 1 if any of them fails."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("words", nargs="*", help="only counts whose names have all of these")
    parser.add_argument("--list", action="store_true", help="run nothing")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="counts at a time")
    options = parser.parse_args()
    wanted = [c for c in counts() if all(word in c.name for word in options.words)]
    if options.list:
        for count in wanted:
            state = "fresh" if is_fresh(count) else "old" if count.name in known() else "missing"
            print(f"{state:<8} {count.name:<42} {known().get(count.name, {}).get('said', '')}")
        return 0
    if changed := git("status", "--porcelain", "--", ".", ":!docs/proofs.json").splitlines():
        print(f"commit first, so that what is counted has a name: {changed[0].strip()}")
        return 2
    missing = [count for count in wanted if not is_fresh(count)]
    lock, failed = Lock(), []

    def one(count: Count) -> None:
        proof = run(count)
        with lock:
            keep(count.name, proof)
            print(f"{count.name}: {proof['said']} ({proof['seconds']} s)", flush=True)
            if not proof["well"]:
                failed.append(count.name)

    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(one, [count for count in missing if not count.alone]))
    for count in missing:
        if count.alone:
            one(count)
    print(f"{len(wanted)} counts, {len(wanted) - len(missing)} fresh before, {len(failed)} failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
