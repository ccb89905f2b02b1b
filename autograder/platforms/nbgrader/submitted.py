"""The files in submitted/STUDENT/HOMEWORK/, as nbgrader collects them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from autograder.course.people import People
from autograder.platforms.nbgrader import exchange
from autograder.records.codec import one_line
from autograder.submission.archives import Entry, Upload, Where, by_folder, items_below
from autograder.submission.platform import Given, Platform, Shares

SUBMITTED = "submitted"


def refuse_course(given: Given) -> Shares | None:
    """Complain about a whole course; return None for anything else."""
    path = given.top.path
    if not (given.homework and all((path / name).is_dir() for name in ("source", SUBMITTED))):
        return None
    inside = one_line(path / SUBMITTED)
    complaints = [f"{one_line(path)}: this is an nbgrader course; give {inside}"]
    return [], complaints


def student(path: Path, homework: str) -> str:
    """Return the owner of a file in submitted/STUDENT/HOMEWORK/, or "" for one elsewhere."""
    match path.parts:
        case (*_, name, student, folder, _) if (name, folder) == (SUBMITTED, homework):
            return student
    return ""


def arranged(given: Given) -> Shares | None:
    """Return the submissions below any of these folders; none without a homework's name."""
    if not given.homework:
        return None
    top, found, homework = given.top.path, given.found, given.homework
    full = top.resolve()
    name = full.name if full.is_dir() else full.stem
    if full.parent.parent.name == SUBMITTED and name == homework:
        return [_taken(full.parent.name, one_line(top), items_below(found))], []
    where: Where = ()
    folders = by_folder(found)
    if _is_student(folders, homework) or (full.parent.name == SUBMITTED and full.is_dir()):
        return _of_students({name: items_below(found)}, homework, one_line(full.parent), People())
    if given.alone and set(folders) == {SUBMITTED} and not found.get(()):
        name, where = SUBMITTED, (SUBMITTED,)
        folders = by_folder(found, where)
    have = sum(any(i.where[:1] == (homework,) for i in items) for items in folders.values())
    if (name == SUBMITTED and (have or not found.get(where))) or (
        given.alone and 2 * have > len(folders)
    ):
        shares, complaints = _of_students(folders, homework, one_line(top), given.roster)
        for file in found.get(where, ()):
            if file.name.endswith(".ipynb"):
                complaints.append(
                    f"{one_line(file)}: it is beside the students' folders, not in one"
                )
        return shares, complaints
    return None


def _taken(student: str, place: str, items: tuple[Entry, ...]) -> Upload:
    return Upload(student, place, items, receipt=exchange.receipt(student, items))


def _is_student(folders: Mapping[str, tuple[Entry, ...]], homework: str) -> bool:
    return homework in folders and all(
        any(item.name == f"{name}.ipynb" and not item.where for item in items)
        for name, items in folders.items()
    )


def _of_students(
    students: Mapping[str, tuple[Entry, ...]], homework: str, place: str, roster: People
) -> Shares:
    shares: list[Upload] = []
    lacking: dict[str, str] = {}
    for student, items in students.items():
        here = f"{place}/{one_line(student)}"
        mine = [replace(i, where=i.where[1:]) for i in items if i.where[:1] == (homework,)]
        # A student's folder without homework folders contains the submission itself.
        mine = mine or [item for item in items if not item.where]
        if mine:
            shares.append(_taken(student, here, tuple(mine)))
            continue
        lacking[student] = _lacks(here, homework, items)
    # People in the roster without a submission are listed, unless nobody has one.
    listed = roster if shares else People()
    return shares, [why for student, why in lacking.items() if not listed.in_folder(student)]


def _lacks(place: str, homework: str, items: Sequence[Entry]) -> str:
    others = ", ".join(sorted({one_line(item.where[0]) for item in items})[:5])
    beside = f" but {others}" if others else ""
    return f"{place}: nothing for {homework} is here{beside}; collect it again"


PLATFORM = Platform(
    whole=refuse_course, arranged=arranged, student=student, incoming=exchange.incoming
)
