"""Rules on known answers: each is graded as a student's submission, and loses what it should."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from autograder.authoring.contract import proof
from autograder.authoring.contract.complaint_lines import Heard
from autograder.authoring.contract.proof import Clause, clause, executed, listed, lost, timeless
from autograder.authoring.contract.reproducible_inputs import SECRET
from autograder.authoring.contract.sampling import Share, draw
from autograder.authoring.leaks.search import Leak, Secrets
from autograder.course import known_answers
from autograder.course.known_answers import KnownAnswer
from autograder.marking.diagnose import KnownMistakes, fitting
from autograder.marking.mark import mark
from autograder.program.build import Step
from autograder.records import codec
from autograder.records.facts import Outcome, Submission, SubmissionLog
from autograder.records.homework import Homework
from autograder.records.marks import Grade
from autograder.records.questions import RESULT
from autograder.reports import report
from autograder.sandbox.execute import Executed
from autograder.sandbox.mistake_bank import bank
from autograder.sandbox.supervisor import Sandbox

TYPING_ERRORS = ("NameError", "UnboundLocalError", "ImportError", "ModuleNotFoundError")
"""Errors that no answer raises on purpose."""


def clauses(
    course: Path,
    chosen: Homework,
    sandbox: Sandbox,
    *,
    share: Share,
    log: SubmissionLog,
    heard: Heard,
) -> Iterator[Clause]:
    """Grade the release, the known mistakes and the right answers; `log` is the instructor's."""
    again, _ = proof.run(known_answers.instructor(course, chosen), chosen, sandbox)
    secrets = secrets_of(course, chosen, log)
    folder = course / "release" / chosen.name
    files = {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    yield _leak_clause("release", secrets.leaks_in_files(files))
    differs = "" if timeless(log) == timeless(again) else unsteady(log, again) or "the logs differ"
    yield clause("7 graded twice", "instructor", differs, "the same log")
    empty = known_answers.unfilled(chosen)
    told = replace(chosen, cells=heard.homework.cells)
    state, grade = executed(heard.submission(empty), told, sandbox, all_cells=True)
    heard.listen(state.steps())
    said = _feedback(empty, state.log, grade, chosen, secrets)
    yield unfilled(chosen, state.log, grade)
    with bank(course, chosen) as mistakes:
        wrong = known_answers.wrong(course, chosen)
        trained = {answer.name for answer in share.one_of(wrong)}
        for answer in share.of(wrong):
            asked = proof.touched(chosen, answer, trains=answer.name in trained)
            if not answer.fails & {question.id for question in asked.questions}:
                continue  # it loses what is trained alone, and is left to the whole count
            told = replace(asked, cells=heard.homework.cells)
            state, grade = executed(heard.submission(answer.submission), told, sandbox)
            heard.listen(state.steps())
            yield _agree(answer.name, state, grade, chosen)
            grade = mark(asked, state.log, proof.COURSE, bank=mistakes)
            yield loses_its_own(answer, state.log, grade, asked, mistakes)
            yield _noticed(answer, state, grade, chosen)
            said += _feedback(answer.submission, state.log, grade, chosen, secrets)
    yield _leak_clause("feedback", said)
    right = known_answers.right(course, chosen)
    trained = {answer.name for answer in share.one_of(right)}
    for answer in share.of(right):
        asked = proof.touched(chosen, answer, trains=answer.name in trained)
        state, grade = executed(answer.submission, asked, sandbox)
        yield _agree(answer.name, state, grade, chosen)
        loss = proof.first_loss(grade)
        detail = f"{answer.place} {loss}" if loss else ""
        yield clause("5 right in other ways", answer.name, detail, answer.written.says)


def unsteady(log: SubmissionLog, again: SubmissionLog) -> str:
    """Return which of the instructor's answers are not the same each time; "" for none."""
    both = zip(log.outcomes, again.outcomes, strict=False)
    differ = [one.question for one, other in both if timeless(log, one) != timeless(log, other)]
    differ += [one.question for one in log.outcomes if one.again]
    if not differ:
        return ""
    ids = ", ".join(dict.fromkeys(differ))
    gives, it = ("give", "them") if "," in ids else ("gives", "it")
    return f"{ids} {gives} other values each time: seed {it}"


def visible(steps: Sequence[Step], homework: Homework) -> dict[str, bool]:
    """Return for each question whose check cell ran whether that has no complaint."""
    checks = {cell.id: cell.grade_id for cell in homework.cells if cell.role == "check"}
    found: dict[str, bool] = {}
    for step in steps:
        question = checks.get(step.stands_for or "")
        text = "".join(str(output.get("text", "")) for output in step.cell.outputs)
        if question and f"[{question}] " in text:
            found[question] = f"[{question}] passed" in text
    return found


def silent(seen: Mapping[str, bool], lost: Collection[str], homework: Homework) -> frozenset[str]:
    """Return the lost questions of which no visible check tells a student.

    Where the check of an answer that a question is built on refuses it, a student knows where to begin.
    """
    refused = {id for id, good in seen.items() if not good}
    built_on = {q.id: {*q.needs, *q.if_right} for q in homework.questions}
    return frozenset(id for id in lost if seen.get(id) and not refused & built_on[id])


def unfilled(chosen: Homework, log: SubmissionLog, grade: Grade) -> Clause:
    """Say whether the release runs as it is given, earns nothing, and each question says why."""
    earned = [one.question for one in grade.marks if one.earned is None or one.earned > 0]
    asserted = {question.id for question in chosen.questions if question.asserted}
    # A question that was not trained names the unwritten one that it needs.
    waiting = asserted | log.not_trained
    silent = [
        one.question
        for one in grade.marks
        if not one.message.startswith("Not written") and one.question not in waiting
    ]
    # Beside such tests, what is provided may call answers that are not written yet.
    errors = () if asserted else log.errors
    wrong = [f"earns {listed(earned)}"] * bool(earned)
    wrong += [f"no word on {listed(silent)}"] * bool(silent)
    wrong += [f"{error.cell} fails: {error.name}: {error.message}" for error in errors]
    kept = "runs to its last cell, 0 points"
    return clause("3 release runs, earns 0", "release", "; ".join(wrong), kept)


def _agree(case: str, state: Executed, grade: Grade, chosen: Homework) -> Clause:
    earned = {one.question for one in grade.marks if one.verdict == "passed"}
    refused = {id for id, passes in visible(state.steps(), chosen).items() if not passes}
    only = listed(earned & refused)
    wrong = f"the visible check of {only} refuses what the hidden one accepts" if only else ""
    return clause("8 visible and hidden agree", case, wrong, "they do")


def loses_its_own(
    answer: KnownAnswer,
    log: SubmissionLog,
    grade: Grade,
    asked: Homework,
    mistakes: KnownMistakes,
) -> Clause:
    """Say whether a known mistake loses its own questions, and is taken for itself and no other."""
    losses = lost(grade)
    fails = answer.fails & {question.id for question in asked.questions}
    taken_for = {one.misconception.name for one in grade.marks if one.misconception}
    detail = f"{answer.place} loses {listed(losses) or 'nothing'}"
    if losses != fails:
        detail += f", should lose {listed(fails)}"
        unexpected = [one for one in grade.marks if one.question in losses - fails]
        for one in unexpected[:1]:
            detail += f"; {one.question}: {codec.one_line(one.message)}"
    if taken_for != {answer.name}:
        detail += f", is taken for {listed(taken_for) or 'no known mistake'}"
        for one in (one for one in grade.marks if one.question in fails and not one.misconception):
            found = fitting(asked.question(one.question), one, log, SECRET, mistakes)
            if others := frozenset(m.name for m in found) - {answer.name}:
                detail += (
                    f"; in {one.question} {listed(others)} gives the same: draw inputs that tell"
                )
    if endless := {one.question for one in log.outcomes if one.status == "timed_out"}:
        detail += (
            f"; {listed(endless)} did not end within {asked.limits.question_seconds:g} s, and what gives "
            "nothing cannot be recognised: mend that first"
        )
    crashes = crashed(answer, log, asked)
    detail += "".join(f"; {said}" for said in crashes)
    good = losses == fails and taken_for == {answer.name} and not crashes
    return Clause("4 wrong loses its own", answer.name, good, detail)


def crashed(answer: KnownAnswer, log: SubmissionLog, asked: Homework) -> list[str]:
    """Say of each question that a known mistake loses by an error alone, and not by what it gives.

    A mistake that is an error names it: raises.question = "IndexError".
    """
    said = []
    for question in asked.questions:
        own = [one for one in log.outcomes if one.question == question.id]
        errors = list(filter(None, map(_error, own)))
        built_on = answer.fails & {*question.needs, *question.if_right}  # its error is told there
        if question.id not in answer.fails or built_on or not errors or len(errors) < len(own):
            continue
        if errors[0] != answer.written.raises.get(question.id):
            said.append(
                f"in every case of {question.id} it raises {errors[0]}, which proves nothing: mend it, or write "
                f'raises.{question.id} = "{errors[0]}" where that is the mistake (in a .py file, in RAISES)'
            )
    return said


def _error(outcome: Outcome) -> str:
    """Return the class of an error that takes the place of a value; "" for none."""
    if outcome.status == "raised":
        return outcome.error.split("\n")[0].split(":")[0]
    found: Any = (outcome.value or {}).get(RESULT)
    names = [*found.get("kinds", ()), found.get("error")] if isinstance(found, dict) else []
    return next((name for name in names[:1] if name in TYPING_ERRORS), "")


def _noticed(answer: KnownAnswer, state: Executed, grade: Grade, chosen: Homework) -> Clause:
    declared = frozenset(answer.written.unseen)
    unseen = silent(visible(state.steps(), chosen), lost(grade), chosen) - declared
    first = min(unseen, default="")
    table = ".toml" in answer.place
    how = f'`unseen.{first} = "why"`' if table else f'`UNSEEN = {{"{first}": "why"}}`'
    wrong = (
        f"the visible check of {listed(unseen)} passes {answer.place}; show an input that tells, or give "
        f"the mistake {how}"
    )
    kept = "they refuse it" + f", but for {listed(declared)}" * bool(declared)
    return clause("4 visible checks notice", answer.name, wrong * bool(unseen), kept)


def _leak_clause(case: str, found: Sequence[Leak]) -> Clause:
    wrong = f"{found[0].place}: {found[0].what}" if found else ""
    return clause("3 nothing leaks", case, wrong, "no solution, no staff, no value")


def secrets_of(course: Path, chosen: Homework, log: SubmissionLog) -> Secrets:
    """Return what no student may see: solutions, staff/, and what the instructor's answers gave."""
    hidden = {q.id: draw(q, log.submission) for q in chosen.questions if q.ask}
    return Secrets.of(course, chosen, [log], hidden)


def _feedback(
    answer: Submission, log: SubmissionLog, grade: Grade, chosen: Homework, secrets: Secrets
) -> list[Leak]:
    """Return what the report of a known submission gives away."""
    # A known submission bears the name of its file, which a student's does not.
    someone = replace(log, submission=replace(log.submission, student="someone"))
    page = report.html(grade, someone, title=chosen.title, course="", explain=True)
    own = "\n".join(cell.source for cell in answer.cells)
    return secrets.leaks_in_text(answer.id.student, page, feedback=True, own=own)
