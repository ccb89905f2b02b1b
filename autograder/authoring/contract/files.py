"""Rules on the files in a homework's folder, tried before anything runs."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from autograder.authoring import lab, release
from autograder.authoring.contract.proof import Clause, clause
from autograder.course import course as courses
from autograder.course import homework, packages, rubrics
from autograder.course.homework import HomeworkError
from autograder.records.homework import Cell, Homework
from autograder.sandbox.inside.test_cells import hidden_lines

SOLUTIONS = "6 solutions are fresh"


def clauses(course: Path, chosen: Homework) -> Iterator[Clause]:
    """Try the rules on files and settings only."""
    name = chosen.name
    source, solution = course / "source" / name, course / "solutions" / name / f"{name}.ipynb"
    points = sum(question.points for question in chosen.questions if not question.extra)
    yield Clause("1 ids", "all", True, f"{len(chosen.questions)} questions, {points:g} points")
    settings = courses.read(course)
    yield files_are_read(source / "staff")
    cells = homework.read_cells(source / f"{name}.ipynb")
    unused = "; ".join(tests_that_never_run(chosen, cells))
    yield clause("1 hidden tests run", "all", unused, "or there is none")
    yield clause("1 rules of the course", "all", "; ".join(_misses(chosen, settings.rules)), "kept")
    wrong = "; ".join(unavailable(course, name, settings.packages))
    yield clause("1 packages are there", "all", wrong, "all are")
    stale = release.stale_release(course, name)
    yield clause("6 release is fresh", "release", stale or "", "byte for byte")
    stale = release.stale_solution(course, name)
    wrong = f"{stale}; run `autograder release {name} --execute`" if stale else ""
    yield clause(SOLUTIONS, "solutions", wrong, "cell sources and digest")
    if not stale:
        yield from rejected_solutions(solution)
    if name in lab.names(course):
        said = "; ".join(lab.complaints(course, name))
        yield clause("6 lab's table is fresh", "lab", said, "as measured")
    yield from _rubrics(source / "staff" / "rubrics", chosen)


def tests_that_never_run(chosen: Homework, cells: Sequence[Cell]) -> Iterator[str]:
    """Find each question whose hidden tests never run because it uses one of the kit's checks."""
    checks = {q.id: q.check for q in chosen.questions if q.check and not q.asserted}
    for cell in cells:
        check = checks.get(cell.grade_id or "") if cell.role == "check" else None
        if check and hidden_lines(cell.source.split("\n")):
            yield (
                f"the hidden tests of {cell.grade_id} never run, since `{type(check).__name__}` in spec.py "
                "decides: draw what they try in `cases`, or give the question `Asserted()`"
            )


def unavailable(course: Path, name: str, declared: Sequence[str]) -> Iterator[str]:
    """Find imports of a homework that students or Gradescope would not have."""
    if lacking := ", ".join(packages.absent(declared)):
        yield f"course.toml names {lacking}, which have to be installed here with pip"
    modules = homework.imported(course, name)
    beside = [one for one in modules if (course / "source" / name / f"{one}.py").is_file()]
    for one in beside:
        yield (
            f"{modules[one]} imports {one}, and {one}.py beside it does not go to "
            "students: put its definitions into a provided cell"
        )
    if missing := ", ".join(packages.undeclared(modules.keys() - {*beside}, declared)):
        yield (
            f"the notebook or staff/ imports {missing}: name it in `packages` of "
            "course.toml, so that students and Gradescope install it"
        )


def rejected_solutions(solution: Path) -> Iterator[Clause]:
    """Find each visible check that rejects the executed solution, with the printed message."""
    for cell in homework.read_cells(solution):
        # A notebook stores an output's text as lines or as one string.
        text = "".join("".join(output.get("text", "")) for output in cell.outputs)
        id = cell.grade_id or ""
        found = re.search(rf"^\[{re.escape(id)}\] (?!passed)(.*)", text, re.MULTILINE)
        if cell.role == "check" and found:
            detail = f"your visible check rejects your own solution: {found[1]}"
            yield Clause("8 visible and hidden agree", str(cell.grade_id), False, detail)


def files_are_read(staff: Path) -> Clause:
    """Find files of known answers and rubrics that nothing reads because of their suffix."""
    ignored = [
        f"staff/{kind}/{path.name} (its name has to end with {suffix})"
        for kind, suffix in (("wrong", ".py"), ("right", ".py"), ("rubrics", ".md"))
        for path in sorted((staff / kind).glob("[!._]*"))
        if path.suffix != suffix
    ]
    wrong = f"nothing reads {', '.join(ignored)}" if ignored else ""
    return clause("1 files are read", "staff", wrong, "all are")


def _misses(chosen: Homework, rules: courses.Rules) -> Iterator[str]:
    counting = [question for question in chosen.questions if not question.extra]
    points = sum(question.points for question in counting)
    by_hand = sum(question.points for question in counting if question.by_hand)
    if rules.points is not None and points != rules.points:
        yield f"it is worth {points:g} points, but course.toml requires {rules.points:g}"
    if rules.by_hand_at_most is not None and by_hand > rules.by_hand_at_most:
        most = f"{rules.by_hand_at_most:g}"
        yield f"{by_hand:g} points are marked by hand, but course.toml allows at most {most}"


def _rubrics(folder: Path, chosen: Homework) -> Iterator[Clause]:
    rule = "10 rubrics parse"
    for question in chosen.questions:
        if not question.by_hand:
            continue
        path = folder / f"{question.id}.md"
        try:
            rubric = rubrics.read(path)
        except HomeworkError as error:
            yield Clause(rule, question.id, False, str(error))
            continue
        wrong = rubrics.complaint(rubric, question.points)
        wrong = f"source/{chosen.name}/staff/rubrics/{path.name}: {wrong}" if wrong else ""
        waiting = ", ".join(rubrics.unwritten(rubric))
        detail = f"{len(rubric.items)} items, {rubric.points:g} points"
        more = f"; to make it strong, write: {waiting}" if waiting else ""
        yield clause(rule, question.id, wrong, detail + more)
