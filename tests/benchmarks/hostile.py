"""Attacks of the red team in a notebook that was imported, among right submissions."""

import json
import tempfile
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from tests.benchmarks import mutated
from tests.redteam import attack
from tests.redteam.__main__ import LIMITS, ROOT, left_files, left_processes
from tests.redteam.__main__ import snapshot as files

RIGHT = 10
ATTACKS = (
    *("results/writes_results", "results/forged_outcomes", "results/signals"),
    *("reading/links_to_secrets", "resources/memory", "resources/endless_loop"),
    *("results/exits_at_the_end", "resources/forks", "results/outlives"),
    *("reading/proc", "resources/removed_files", "kernel/patched_run_cell"),
    *("resources/allocated_space", "reading/memory_of_others", "resources/shared_memory"),
    *("comparison/patched_builtins", "results/floods_the_grader", "reading/disk"),
    *("resources/tree_of_files", "kernel/import_hooks", "resources/stops_itself"),
    *("resources/fast_forks", "results/at_exit", "resources/spinning_sessions"),
)
"""Host files, other submissions, later runs, crashes, loops, memory and forged outputs."""
WATCHED = ("autograder", "source", "release", "solutions", "tests", "course.toml")
"""What of this project, and all of the temporary folder, must not change."""


def make(folder: Path, number: int, *, release: Path, written: Mapping[str, str]) -> None:
    """Write hostile submissions and right ones; their names put them in turn.

    Every second attack is a cell above all others, the others are one below all others; all of
    them have right answers.

    Raises:
        ValueError: there are not so many attacks.
    """
    if number > len(ATTACKS):
        raise ValueError(f"there are {len(ATTACKS)} attacks")
    folder.mkdir(parents=True)
    for place, name in enumerate(islice(ATTACKS, number)):
        where = "first" if place % 2 else "last"
        text = mutated.filled(release, written, **{where: _source(name)})
        (folder / f"{place:02}-{name.replace('/', '_')}.ipynb").write_text(text, encoding="utf-8")
    for place in range(RIGHT):
        text = mutated.filled(release, written, last=f"{place}")
        after = place * number // RIGHT
        (folder / f"{after:02}-right-{place}.ipynb").write_text(text, encoding="utf-8")


def _source(name: str) -> str:
    """Return the code that an attack adds to a notebook of this course."""
    (one,) = [found for found in attack.attacks() if found.name == name]
    known = {cell["id"] for cell in attack.right()["cells"]}
    with tempfile.TemporaryDirectory() as folder:
        cells = json.loads(one.submission(Path(folder)).read_text(encoding="utf-8"))["cells"]
    return "\n".join(attack.text(cell) for cell in cells if cell["id"] not in known)


def shorten(spec: Path) -> None:
    """Give a homework the red team's limits: an attack ends sooner."""
    names = "from dataclasses import replace\nfrom autograder.records.homework import Limits"
    limits = f"HOMEWORK = replace(HOMEWORK, limits={LIMITS!r})"
    spec.write_text(f"{spec.read_text()}\n{names}\n{limits}\n")


def snapshot(folder: Path, *, without: Path) -> dict[str, str]:
    """Return what every file is that must stay as it is, by its path."""

    def skipped(path: Path) -> bool:
        made = {"__pycache__", ".ipynb_checkpoints", ".mypy_cache", ".ruff_cache"}
        return path.is_relative_to(without) or bool(made & {*path.parts})

    found = files(folder, skipped)
    for name in WATCHED:
        place = ROOT / name
        inside = files(place, skipped) if place.is_dir() else files(place.parent, _not(place))
        found |= {f"{name}/{path}": what for path, what in inside.items()}
    for path in Path.home().iterdir():
        if path.is_file():
            found[str(path)] = f"{path.stat().st_mode:o} {path.stat().st_mtime_ns}"
    return found


def _not(only: Path) -> object:
    return lambda path: path != only


def told(
    marks: Mapping[str, Mapping[str, float | None]],
    before: Mapping[str, str],
    after: Mapping[str, str],
) -> Iterator[str]:
    """Say what each attack and each right submission earned, and what changed."""
    of_right = {name: given for name, given in marks.items() if "-right-" in name}
    most = max(of_right.values(), key=_sum, default={})
    for name, given in sorted(marks.items()):
        if name not in of_right:
            yield f"{name}: {_sum(given):g} of {_sum(most):g}"
    lost = [name for name, given in of_right.items() if given != most]
    yield (
        f"{len(of_right)} right submissions beside {len(marks) - len(of_right)} hostile ones: "
        + (
            f"these lost marks: {', '.join(lost)}"
            if lost
            else f"each has its {_sum(most):g} points"
        )
    )
    changes = sorted({path for path, _ in before.items() ^ after.items()})
    changes += [str(path) for path in left_files()]
    changes += [" ".join(line)[:80] for line in left_processes()]
    yield f"outside the results: {'; '.join(changes) or 'no file changed, no process left'}"


def _sum(marks: Mapping[str, float | None]) -> float:
    return sum(points or 0.0 for points in marks.values())
