"""Look before the first mark: are these submissions of this homework, and is the grader right here?

What the instructor's own notebook loses on this machine, everybody may lose.
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
"""Submissions that are looked at, and bytes of each: what is larger is so by its outputs."""
_RESULT = {files.LOG, files.RESULTS, files.EXECUTED}


def refuse_results(paths: Sequence[Path], out: Path) -> None:
    """Raise UserError where a path has results of a grader, or where results would lie in it."""
    if {one.name for one in _inside(opening.given(out.resolve()))} >= _RESULT:
        raise UserError(
            f"--out {one_line(out)} has the results of one submission; give the folder above it"
        )
    for path in filter(Path.is_dir, paths):
        if out.resolve().is_relative_to(path.resolve()):
            raise UserError(
                f"--out {one_line(out)} lies in {one_line(path)}, whose files are read as "
                "submissions; choose a folder beside it"
            )
        top = _inside(opening.given(path))
        folders = [{one.name for one in inside} for inside in (top, *map(_inside, top)) if inside]
        graded = [names for names in folders if names >= _RESULT]
        # One student cannot make a class look like this.
        if (folders and folders[0] >= _RESULT) or 2 * len(graded) > len(folders):
            raise UserError(
                f"{one_line(path)} has results of `autograder grade` and no submissions; give the "
                "folder that was graded, or judge these again with `autograder regrade`"
            )


def _inside(folder: Listed) -> list[Listed]:
    """Return what a folder has; nothing where that cannot be seen, which others complain of."""
    with contextlib.suppress(OSError):
        return folder.inside()
    return []


def refuse_others(root: Path, found: Sequence[Found], chosen: Homework) -> None:
    """Raise UserError where most submissions have no answer of a homework, and those of another."""
    own = answers(chosen.cells)
    sample = found[:: max(1, len(found) // SAMPLE)][:SAMPLE]
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
            f"{times} of the {len(sample)} submissions that were looked at answer {name}, and nothing of "
            f"{chosen.name}; grade them with `autograder grade {name}`"
        )


def _fits(defined: frozenset[str], names: frozenset[str]) -> bool:
    """Whether half of a homework's functions are there, or half of its graded cells."""
    ids = frozenset(name for name in names if name.startswith(f"{_GRADE_ID} "))
    return any(part and 2 * len(defined & part) >= len(part) for part in (ids, names - ids))


def answers(cells: Sequence[Cell]) -> frozenset[str]:
    """Return the names that the answers among some cells define, and nbgrader's names of graded cells."""
    own = (cell for cell in cells if cell.role == "answer" and cell.type == "code")
    ids = (f"{_GRADE_ID} {cell.grade_id}" for cell in cells if cell.points is not None)
    return frozenset(ids).union(*(defined_names(cell.source) for cell in own))


_GRADE_ID = "grade_id"
_GRADED = re.compile(r'"grade_id":\s*"([^"]{1,200})"')
_DEFINES = re.compile(r"\b(?:def|class)\s+(\w+)|\b(\w+)\s*=(?!=)")


def _defined(item: Found) -> frozenset[str] | None:
    """Return whatever a file may define, and its grade_ids; None where it is a log, or cannot be read."""
    if item.path.name.endswith(".json"):
        return None
    with contextlib.suppress(UserError, OSError):
        text = archives.beginning(item.path, BEGINNING).decode(errors="ignore").replace("\\n", "\n")
        names = {name for pair in _DEFINES.findall(text) for name in pair if name}
        return frozenset(names | {f"{_GRADE_ID} {id}" for id in _GRADED.findall(text)})
    return None


def losses(task: Task, grader: Grader) -> str:
    """Return what the instructor's notebook loses on this machine, in one line; "" for nothing.

    It runs again only when something has changed that could change its marks.
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
        f"the instructor's notebook does not earn everything on this machine ({', '.join(lost)}), "
        f"so students may lose the same undeservedly; {folder / files.REPORT} shows why"
    )
