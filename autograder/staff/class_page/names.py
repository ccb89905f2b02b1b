"""The names of groups of wrong answers: staff/named.toml.

A group consists of answers to one question with equal results on the inputs that all submissions
share. Its name is a sentence that each of these students reads, including later ones. Names change
no points.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from autograder.course import course, homework
from autograder.course.homework import NAMED
from autograder.marking.diagnose import is_of, with_names
from autograder.records import versions
from autograder.records.codec import one_line
from autograder.records.digests import group_name
from autograder.records.errors import UserError
from autograder.records.homework import Homework
from autograder.records.marks import Grade, HandMarks, NamedGroup, given_by_people
from autograder.reports import collected, student_files
from autograder.store import files, log_summary, results
from autograder.store.log_summary import BriefLog

LONGEST = 600
"""The most characters of a sentence."""
_HEAD = """\
# Wrong answers with equal results, each group named once. `sentence`, and `where` to look if you
# write it, are in the report of each student of the group. Edit them, or take a table away; then run
# `autograder regrade D`. No points change. `autograder new mistake` makes a group a known mistake.
"""


@dataclass(frozen=True)
class Named:
    """A group with its name.

    Args:
        group: The group in staff/named.toml.
        students: Students in a folder of results whose answers belong to it.

    """

    group: NamedGroup
    students: tuple[str, ...]


def name(
    root: Path,
    folder: Path,
    group: str,
    sentence: str,
    where: str = "",
    *,
    hand_marks: str | None = None,
) -> Named:
    """Name a group in staff/named.toml or change its sentence; update a folder of results.

    Args:
        root: The course's folder.
        folder: What `grade --out` wrote.
        group: The group's name, or its label in class.html.
        sentence: The mistake in one sentence, for students.
        where: Where to look.
        hand_marks: A gradebook's URL; None for formgrader's. Reports keep the marks in it.

    Raises:
        UserError: there is no such group here, it is a known mistake, the sentence is empty, or
            the gradebook is unreadable.

    """
    sentence, where = _line(sentence, "the sentence"), where and _line(where, "where to look")
    before = _homework(root, folder)
    found = _found(folder, before, group)
    one = replace(found, sentence=sentence, where=where)
    others = tuple(each for each in before.named if each.name != one.name)
    if not (reached := _reached(folder, replace(before, named=(*others, one)), one.name)):
        raise UserError(
            f"{group}: no answer in {folder} would show this: each is right now, matches "
            "a known mistake, or depends on an earlier question"
        )
    given = _by_people(root, folder, hand_marks)
    with files.claimed(folder):
        _write(root, before, one.name, _table(one))
        _bring_up_to_date(root, folder, before, given)
    return Named(one, reached)


def unname(root: Path, folder: Path, group: str, *, hand_marks: str | None = None) -> None:
    """Remove a group's name and update a folder of results; raise UserError if it has none."""
    before, given = _homework(root, folder), _by_people(root, folder, hand_marks)
    with files.claimed(folder):
        forget(root, before, group)
        _bring_up_to_date(root, folder, before, given)


def forget(root: Path, chosen: Homework, group: str) -> None:
    """Remove a group's table from staff/named.toml; raise UserError if there is none."""
    if group not in {one.name for one in chosen.named}:
        names = ", ".join(one.name for one in chosen.named) or "none"
        raise UserError(f"{group}: no group of {chosen.name} has this name; choose from: {names}")
    _write(root, chosen, group, "")


def _homework(root: Path, folder: Path) -> Homework:
    return homework.load(root, results.homework_of(results.folders(folder), folder))


def _graded(folder: Path) -> Iterator[tuple[Path, Grade, BriefLog]]:
    for path in results.folders(folder):
        grade = results.found_grade(path)
        if grade and grade.complete and grade.marks and results.has_log(path):
            yield path, grade, log_summary.read(path)


def _found(folder: Path, chosen: Homework, group: str) -> NamedGroup:
    """Return a group by its name, or by its label in class.html."""
    for one in chosen.named:
        if one.name == group:
            return one
    for _, _, log in _graded(folder):
        for question, common in log.common.items():
            if group_name(question, common) == group:
                new = NamedGroup(question, "", common.inputs, common.values, name=group)
                return next((one for one in chosen.named if is_of(one, question, common)), new)
    raise UserError(f"{group}: {folder} has no such group; class.html lists them")


def _reached(folder: Path, chosen: Homework, group: str) -> tuple[str, ...]:
    return tuple(
        path.name
        for path, grade, log in _graded(folder)
        for mark in with_names(grade, chosen, log.common).marks
        if (fits := mark.misconception) and fits.of_group and fits.name == group
    )


def _by_people(root: Path, folder: Path, hand_marks: str | None) -> Mapping[str, HandMarks]:
    found = given_by_people(root, folder, hand_marks)
    return found[1] if found else {}


def _bring_up_to_date(
    root: Path, folder: Path, before: Homework, by_people: Mapping[str, HandMarks]
) -> None:
    """Give each stored grade the current names, and rewrite only the reports that change."""
    chosen, settings = homework.load(root, before.name), course.read(root)
    earlier, now = versions.marks(before), versions.marks(chosen)
    for place, stored, log in _graded(folder):
        grade = with_names(stored, chosen, log.common)
        if grade.version == earlier:  # for others, `grade` has to update more than names
            grade = replace(grade, version=now)
        if grade.marks != stored.marks:
            given = by_people.get(place.name)
            told, _ = collected.one(place, given, grade)
            for name, text in student_files.current(place, told, given, chosen, settings).items():
                files.write(place / name, text)
        if grade != stored:  # after the pages, so that an interrupted write is repeated
            results.write_grade(place, grade)


def _line(text: str, what: str) -> str:
    line = one_line(" ".join(text.split()))
    if not line:
        raise UserError(f"{what} is empty; describe the mistake in these answers")
    if len(line) > LONGEST:
        raise UserError(f"{what} has {len(line)} characters; write one sentence, at most {LONGEST}")
    return line


def _table(one: NamedGroup) -> str:
    """Return a group as a TOML table."""
    digests = "".join(
        f"    {{ kind = {_quoted(each.kind)}, numbers = {json.dumps(each.numbers)} }},\n"
        for each in one.values
    )
    where = f"where = {_quoted(one.where)}\n" if one.where else ""
    return (
        f"{_heading(one.name)}\nquestion = {_quoted(one.question)}\n"
        f"sentence = {_quoted(one.sentence)}\n{where}inputs = {_quoted(one.inputs)}\n"
        f"values = [\n{digests}]\n"
    )


def _heading(group: str) -> str:
    return f"[{group if re.fullmatch(r'[A-Za-z0-9_-]+', group) else _quoted(group)}]"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _write(root: Path, chosen: Homework, group: str, table: str) -> None:
    """Replace a group's table, or append it to the end; leave everything else in the file alone.

    Raises:
        UserError: the table cannot be found in the form that the file uses.

    """
    path = root / "source" / chosen.name / "staff" / NAMED
    text = path.read_text(encoding="utf-8-sig") if path.is_file() else _HEAD
    wanted: dict[str, Any] = tomllib.loads(text)
    wanted.pop(group, None)
    wanted |= tomllib.loads(table)
    block = re.compile(
        rf"^{re.escape(_heading(group))}[^\n]*\n(?:(?![\[#])[^\n]*(?:\n|\Z))*", re.MULTILINE
    )
    new, replaced = block.subn(lambda _: f"{table}\n" if table else "", text, count=1)
    if not replaced:
        new = f"{text.rstrip()}\n\n{table}"
    new = new.rstrip() + "\n"
    try:
        right = tomllib.loads(new) == wanted
    except tomllib.TOMLDecodeError:
        right = False
    if not right:
        raise UserError(
            f"source/{chosen.name}/staff/{NAMED}: [{group}] is written in a form that "
            "cannot be found again; edit the file by hand"
        )
    files.write(path, new)
