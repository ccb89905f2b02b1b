"""Checks before grading: do the submissions fit the homework, and does the grader work here?

Everybody may lose the points that the instructor's own notebook loses on this machine.
"""

import contextlib
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from autograder.course import homework, known_answers
from autograder.course.cells import defined_names
from autograder.grading.grader import Grader, Task
from autograder.marking.mark import number
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.records.homework import Cell, Homework
from autograder.store import files
from autograder.submission import archives, opening
from autograder.submission.discover import Found
from autograder.submission.opening import Listed

FOLDER = ".instructor"
SAMPLE, BEGINNING = 20, 5_000_000
"""The number of submissions to look at, and the most bytes of each: only outputs make files
larger."""
_RESULT = {files.LOG, files.RESULTS, files.EXECUTED}


def refuse_results(paths: Sequence[Path], out: Path) -> None:
    """Raise UserError if a path contains a grader's results, or would contain this run's."""
    if {one.name for one in _inside(opening.given(out.resolve()))} >= _RESULT:
        raise UserError(
            f"--out {one_line(out)} has the results of one submission; give the folder "
            "that contains it"
        )
    for path in filter(Path.is_dir, paths):
        if out.resolve().is_relative_to(path.resolve()):
            raise UserError(
                f"--out {one_line(out)} is inside {one_line(path)}, whose files are read "
                "as submissions; choose a folder elsewhere"
            )
        top = _inside(opening.given(path))
        folders = [{one.name for one in inside} for inside in (top, *map(_inside, top)) if inside]
        graded = [names for names in folders if names >= _RESULT]
        # A single student cannot make a class look like this.
        if (folders and folders[0] >= _RESULT) or 2 * len(graded) > len(folders):
            raise UserError(
                f"{one_line(path)} has results of `autograder grade` but no submissions; "
                "give the folder that was graded, or mark these again with `autograder "
                "regrade`"
            )


def _inside(folder: Listed) -> list[Listed]:
    """Return a folder's entries; none if it cannot be listed, which other code reports."""
    with contextlib.suppress(OSError):
        return folder.inside()
    return []


def refuse_others(root: Path, found: Sequence[Found], chosen: Homework) -> None:
    """Raise UserError if most submissions answer a different homework."""
    own = answers(chosen.cells)
    sample = found[:: max(1, -(-len(found) // SAMPLE))]
    seen = [_defined(item) for item in sample]
    strange = [defined for defined in seen if defined is not None and not defined & own]
    if 2 * len(strange) <= len(sample):
        return
    others = {
        name: answers(homework.read_cells(root / "release" / name / f"{name}.ipynb")) - own
        for name in homework.names(root)
        if name != chosen.name and (root / "release" / name / f"{name}.ipynb").is_file()
    }
    looks_like = Counter(
        name for defined in strange for name, names in others.items() if _fits(defined, names)
    )
    name, times = next(iter(looks_like.most_common(1)), ("", 0))
    if 2 * times > len(sample):
        raise UserError(
            f"{times} of the {len(sample)} submissions checked belong to {name}, not "
            f"{chosen.name}; grade them with `autograder grade {name}`"
        )


def _fits(defined: frozenset[str], names: frozenset[str]) -> bool:
    """Return whether half of a homework's functions or of its graded cells are present."""
    ids = frozenset(name for name in names if name.startswith(f"{_GRADE_ID} "))
    return any(part and 2 * len(defined & part) >= len(part) for part in (ids, names - ids))


def answers(cells: Sequence[Cell]) -> frozenset[str]:
    """Return the names that the answers in some cells define, and nbgrader's names of graded cells."""
    own = (cell for cell in cells if cell.role == "answer" and cell.type == "code")
    ids = (f"{_GRADE_ID} {cell.grade_id}" for cell in cells if cell.points is not None)
    return frozenset(ids).union(*(defined_names(cell.source) for cell in own))


_GRADE_ID = "grade_id"
_GRADED = re.compile(r'"grade_id":\s*"([^"]{1,200})"')
_DEFINES = re.compile(r"\b(?:def|class)\s+(\w+)|\b(\w+)\s*=(?!=)")


def _defined(item: Found) -> frozenset[str] | None:
    """Return all names a file may define, and its grade_ids; None for logs and unreadable files."""
    if item.path.name.endswith(".json"):
        return None
    with contextlib.suppress(UserError, OSError):
        text = archives.beginning(item.path, BEGINNING).decode(errors="ignore").replace("\\n", "\n")
        names = {name for pair in _DEFINES.findall(text) for name in pair if name}
        return frozenset(names | {f"{_GRADE_ID} {id}" for id in _GRADED.findall(text)})
    return None


def losses(task: Task, grader: Grader) -> str:
    """Return the points that the instructor's notebook loses on this machine, in one line, or "".

    It runs again only if something that affects its marks has changed.
    """
    submission = known_answers.instructor(task.root, grader.homework)
    folder = task.out / FOLDER / submission.id.student
    files.make_folder(folder.parent)
    grade = grader.grade_ours(submission, folder)
    lost = [
        f"{mark.question} {number(mark.earned or 0.0)} of {number(mark.points)}"
        for mark in grade.marks
        if not mark.by_hand and (mark.earned or 0.0) < mark.points
    ]
    if not lost:
        return ""
    return (
        "the instructor's notebook does not earn full marks on this machine "
        f"({', '.join(lost)}), so students may lose the same points undeservedly; "
        f"{folder / files.REPORT} shows why"
    )
