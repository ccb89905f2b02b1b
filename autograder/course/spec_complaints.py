"""Complaints about an author's spec.py and notebook; the first one is raised."""

import ast
import contextlib
import dataclasses
import re
import typing
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from autograder.course.cells import mistake, parsed
from autograder.kit.nbgrader_test import Asserted
from autograder.kit.parts import Part
from autograder.records.homework import Cell, Homework
from autograder.records.marks import rounded
from autograder.records.questions import Ask, Check, Question

_COLLECTED = re.compile(r"[^/]+/[^/]+")


def of_spec(where: str, homework: Homework) -> Iterator[str]:
    """Yield complaints about the fields of spec.py."""
    if not isinstance(homework.questions, tuple | list):
        yield f"{where}: questions is not a list; write questions=[Question(...), ...]"
    lists = {"warm": homework.warm}
    yield from _of_filled_in(where, homework)
    for question in homework.questions:
        if not isinstance(question, Question):
            yield (
                f"{where}: questions: {question!r} is not a Question; write Question({question!r})"
            )
        of = f"question {question.id!r}: "
        lists[f"{of}needs"] = question.needs
        yield from _of_ignored(f"{where}: {of}", question)
        if question.ask:
            words = ("objects", "hide", "may_mutate")
            lists |= {f"{of}{word}": getattr(question.ask, word) for word in words}
        if not isinstance(question.check, Check | None):
            yield (
                f"{where}: the check of question {question.id!r} is not a Check: write a class that is "
                "derived from autograder.kit.Check"
            )
        for part in question.check.parts if question.check else ():
            yield from _of_arguments(f"{where}: {of}", part)
            if isinstance(part, Part):
                yield from _of_arguments(f"{where}: {of}Part {part.name!r}: ", part.check)
    for field, value in lists.items():
        if isinstance(value, str):
            yield f"{where}: {field} is {value!r}; write a tuple of names, such as ({value!r},)"
    if homework.collected and not _COLLECTED.fullmatch(homework.collected):
        yield (
            f"{where}: collected is {homework.collected!r}; write nbgrader's names of the assignment "
            "and the notebook, such as 'ps1/problem1'"
        )
    if not isinstance(homework.mend, bool):
        yield f"{where}: mend is {homework.mend!r}; write True or False"
    if twice := _twice([question.id for question in homework.questions]):
        yield f"{where}: two questions have the id {twice!r}; give each its own"


def _of_filled_in(where: str, homework: Homework) -> Iterator[str]:
    filled = ("name", "cells", "adapters", "data", "facts_digest", "marks_digest")
    if given := next((field for field in filled if getattr(homework, field)), ""):
        yield f"{where}: {given} comes from the homework's folder; remove it"


def _of_ignored(where: str, question: Question) -> Iterator[str]:
    for item, field in ((question.ask, "asserts"), (question.check, "points")):
        if isinstance(item, Ask | Asserted) and getattr(item, field):
            yield f"{where}{field} comes from the notebook; remove it"
    if question.ask:
        objects = question.ask.objects or (question.id,)
        if unknown := [name for name in question.ask.may_mutate if name not in objects]:
            yield (
                f"{where}may_mutate names {unknown[0]!r}, which is not one of its objects "
                f"({', '.join(objects)})"
            )


def of_check_arguments(where: str, question: Question) -> Iterator[str]:
    """Yield the check's arguments that a question marked by hand should not have."""
    default = Question(question.id)
    fields = {"cases": "cases", "shown": "shown", "gradients": "gradients", "milder": "milder"}
    fields["use"] = "ask"
    ignored = [
        word for word, one in fields.items() if getattr(question, one) != getattr(default, one)
    ]
    if question.by_hand and ignored:
        yield (
            f"{where}it is marked by hand, so nothing uses {ignored[0]}; remove it, or give a check"
        )


def _of_arguments(where: str, check: Check) -> Iterator[str]:
    hints: dict[str, Any] = {}
    with contextlib.suppress(NameError):  # a custom check's field names may not exist
        hints = typing.get_type_hints(type(check))
    fields: tuple[dataclasses.Field[Any], ...] = ()
    if dataclasses.is_dataclass(check):
        fields = dataclasses.fields(check)
    for field in fields:
        hint, value = hints.get(field.name), getattr(check, field.name)
        words = typing.get_args(hint) if typing.get_origin(hint) is typing.Literal else None
        of = f"{where}{type(check).__name__}: {field.name} is {value!r}"
        if words and value not in words:
            yield f"{of}; write {' or '.join(map(repr, words))}"
        inner = typing.get_args(typing.get_args(hint)[0]) if _is_words(hint) else ()
        if inner and not (isinstance(value, tuple | list) and set(value) <= set(inner)):
            yield f"{of}; write a tuple of {', '.join(map(repr, inner))}"
        if typing.get_origin(hint) is Callable and not callable(value):
            yield f"{of}; give a function"
        # A custom check may have a different kind of tolerance, such as one by name.
        if field.name == "tolerance" and (
            isinstance(value, str) or (isinstance(value, int | float) and not value >= 0)
        ):
            yield f"{of}; write a number that is at least 0"


def _is_words(hint: Any) -> bool:
    inner = typing.get_args(hint)
    return (
        typing.get_origin(hint) is tuple
        and len(inner) == 2
        and typing.get_origin(inner[0]) is typing.Literal
    )


def of_cells(where: str, cells: Sequence[Cell]) -> Iterator[str]:
    """Yield complaints about cells that are ambiguous, have odd points, or are not Python."""
    if id := _twice([cell.id for cell in cells]):
        yield f"{where}: two cells have the id {id!r}; give each its own"
    if grade_id := _twice([cell.grade_id for cell in cells if cell.grade_id]):
        both = " and ".join(repr(cell.id) for cell in cells if cell.grade_id == grade_id)
        yield (f"{where}: the cells {both} have the grade_id {grade_id!r}; give each its own")
    for cell in cells:
        if (
            cell.role in ("answer", "check")
            and cell.type == "code"
            and (said := mistake(cell.source))
        ):
            yield f"{where}: cell {cell.id!r}: {said}"
        # No answer could earn exactly such points, so none would ever be right.
        if cell.points is not None and rounded(cell.points) != cell.points:
            yield (
                f"{where}: question {cell.grade_id!r} has {cell.points} points, but marks have at "
                f"most two decimals; give it {rounded(cell.points):g}"
            )


def of_rubrics(staff: Path, questions: Sequence[Question]) -> Iterator[str]:
    """Yield complaints about rubrics that no marker would ever see."""
    by_hand = [question.id for question in questions if question.by_hand]
    for path in sorted((staff / "rubrics").glob("*.md")):
        if path.stem not in by_hand:
            yield (
                f"source/{staff.parent.name}/staff/rubrics/{path.name}: {path.stem!r} is "
                "not a question marked by hand; name the rubric after one "
                f"({', '.join(by_hand) or 'there is none'})"
            )


def _twice(names: Sequence[str]) -> str:
    return next((name for name, number in Counter(names).items() if number > 1), "")


def of_objects(
    name: str, source: str, questions: Sequence[Question], cells: Sequence[Cell]
) -> Iterator[str]:
    """Yield complaints about objects that no cell of the instructor's notebook defines."""
    trees = [parsed(cell.source) for cell in cells if cell.type == "code"]
    nodes = [node for tree in trees if tree for node in ast.walk(tree)]
    there = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    there |= {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    there |= {node.asname or node.name for node in nodes if isinstance(node, ast.alias)}
    if None in trees or "*" in there:  # not Python, or too long to parse: it may define anything
        return
    for question in questions:
        for wanted in question.ask.objects if question.ask else ():
            if wanted not in there:
                yield (
                    f"source/{name}/staff/spec.py: question {question.id!r} evaluates "
                    f"{wanted!r}, but no cell of {source} defines it"
                )
        for hidden in question.ask.hide if question.ask else ():
            if hidden not in there:
                yield (
                    f"source/{name}/staff/spec.py: question {question.id!r}: `hide` "
                    f"names {hidden!r}, but no cell of {source} defines it"
                )
