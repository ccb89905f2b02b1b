"""Rules on known answers, which are graded like submissions and must lose the right questions."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from autograder.authoring.contract import proof
from autograder.authoring.contract.complaint_lines import Heard
from autograder.authoring.contract.proof import Clause, Runs, clause, listed, lost, timeless
from autograder.authoring.contract.sampling import SECRET, Share, draw
from autograder.authoring.leaks.search import Leak, Secrets
from autograder.course import known_answers
from autograder.course.cells import used_names
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

TYPING_ERRORS = ("NameError", "UnboundLocalError", "ImportError", "ModuleNotFoundError")
"""Errors that no answer raises on purpose."""


def clauses(
    course: Path, chosen: Homework, runs: Runs, *, share: Share, log: SubmissionLog, heard: Heard
) -> Iterator[Clause]:
    """Grade the release, the known mistakes and the right answers; `log` is the instructor's."""
    all_wrong, all_right = known_answers.wrong(course, chosen), known_answers.right(course, chosen)
    instructor = known_answers.instructor(course, chosen)
    called = runs.start(instructor, chosen)
    empty = known_answers.unfilled(chosen)
    told = replace(chosen, cells=heard.homework.cells)
    unwritten = runs.start(heard.submission(empty), told, all_cells=True)
    wrong = list(_started(all_wrong, chosen, runs, share, heard))
    right = list(_started(all_right, chosen, runs, share))
    secrets = secrets_of(course, chosen, log)
    folder = course / "release" / chosen.name
    files = {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    yield _leak_clause("release", secrets.leaks_in_files(files))
    state, _ = called.result()
    seen = visible(state.steps(), chosen)
    yield from unreported(seen, chosen)
    refused = refusals(seen)
    differs = run_again(instructor, chosen, runs, log, state.log)
    yield clause("7 graded twice", "instructor", differs, "the same log")
    state, grade = unwritten.result()
    heard.listen(state.steps())
    said = _feedback(empty, state.log, grade, chosen, secrets)
    yield unfilled(chosen, state.log, grade)
    with bank(course, chosen) as mistakes:
        for answer, asked, reached, run in wrong:
            state, grade = run.result()
            heard.listen(state.steps())
            yield _agree(answer.name, state, grade, chosen, refused - reached)
            grade = mark(asked, state.log, proof.COURSE, bank=mistakes)
            yield loses_its_own(answer, state.log, grade, asked, mistakes)
            yield _noticed(answer, state, grade, chosen)
            said += _feedback(answer.submission, state.log, grade, chosen, secrets)
    yield _leak_clause("feedback", said)
    for answer, _, reached, run in right:
        state, grade = run.result()
        yield _agree(answer.name, state, grade, chosen, refused - reached)
        loss = proof.first_loss(grade)
        detail = f"{answer.place} {loss}" if loss else ""
        yield clause("5 right in other ways", answer.name, detail, answer.written.says)


class _Started(NamedTuple):
    """A known answer under way: its questions, and all questions whose checks it may change."""

    answer: KnownAnswer
    asked: Homework
    reached: frozenset[str]
    run: Future[tuple[Executed, Grade]]


def _started(
    answers: Sequence[KnownAnswer],
    chosen: Homework,
    runs: Runs,
    share: Share,
    heard: Heard | None = None,
) -> Iterator[_Started]:
    """Start a share of the known answers; the wrong ones call the checks in `heard`."""
    trained = {answer.name for answer in share.one_of(answers)}
    for answer in share.of(answers):
        asked = proof.concerned(chosen, answer, trains=answer.name in trained)
        if heard and not answer.fails & {question.id for question in asked.questions}:
            continue  # it loses only trained questions, which a full turn tries
        reached = proof.reach(chosen, answer) | {question.id for question in asked.questions}
        submission, told = answer.submission, asked
        if heard:
            submission, told = (
                heard.submission(submission),
                replace(asked, cells=heard.homework.cells),
            )
        run = runs.start(*proof.quiet(submission, told, reached))
        yield _Started(answer, asked, reached, run)


def run_again(
    instructor: Submission, chosen: Homework, runs: Runs, log: SubmissionLog, called: SubmissionLog
) -> str:
    """Return how the instructor's log differs from `called`, where every visible check ran, or ""."""
    if timeless(log) == timeless(called):
        return ""
    again = runs.start(instructor, chosen).result()[0].log
    if timeless(called) != timeless(again):
        return unsteady(called, again) or "the logs differ"
    failed = [error for error in log.errors if error not in called.errors]
    what = f"{listed(differing(log, called))} gives different values"
    if failed:
        what = f"{failed[0].cell} fails ({failed[0].name}: {failed[0].message})"
    return (
        f"{what}, but not with the visible checks above called: the grader calls a check "
        "only if the answer is wrong, so move anything that a check leaves behind out of "
        "the function that it calls"
    )


def unsteady(log: SubmissionLog, again: SubmissionLog) -> str:
    """Return which of the instructor's answers vary from run to run, or ""."""
    differ = differing(log, again) + [one.question for one in log.outcomes if one.again]
    if not differ:
        return ""
    ids = ", ".join(dict.fromkeys(differ))
    gives, it = ("give", "them") if "," in ids else ("gives", "it")
    return f"{ids} {gives} different values each time: seed {it}"


def differing(log: SubmissionLog, again: SubmissionLog) -> list[str]:
    """Return the question of each outcome that differs between two logs."""
    both = zip(log.outcomes, again.outcomes, strict=False)
    return [one.question for one, other in both if timeless(log, one) != timeless(log, other)]


def visible(steps: Sequence[Step], homework: Homework) -> dict[str, bool]:
    """Return whether the check passed, for each question whose check cell ran."""
    checks = {cell.id: cell.grade_id for cell in homework.cells if cell.role == "check"}
    found: dict[str, bool] = {}
    for step in steps:
        question = checks.get(step.stands_for or "")
        text = "".join(str(output.get("text", "")) for output in step.cell.outputs)
        if question and f"[{question}] " in text:
            found[question] = f"[{question}] passed" in text
    return found


def refusals(seen: Mapping[str, bool]) -> set[str]:
    """Return the questions whose visible checks did not pass."""
    return {id for id, passes in seen.items() if not passes}


def unreported(seen: Collection[str], homework: Homework) -> Iterator[Clause]:
    """Find check cells that call the kit's `check`, but print nothing on their own question."""
    asserted = {question.id for question in homework.questions if question.asserted}
    if not any(cell.id == "check_tool" for cell in homework.cells):
        return
    for cell in homework.cells:
        id = cell.grade_id or ""
        calls = cell.role == "check" and "check" in used_names(cell.source)
        if calls and id not in asserted and id not in seen:
            wrong = (
                f"the check cell of {id} does not print [{id}]; begin its call with check({id!r}"
            )
            yield Clause("8 visible and hidden agree", id, False, f"{wrong}, ...)")


def silent(seen: Mapping[str, bool], lost: Collection[str], homework: Homework) -> frozenset[str]:
    """Return the lost questions that no visible check reports to a student.

    If the check of an underlying answer refuses it, a student knows where to begin.
    """
    built_on = {q.id: {*q.needs, *q.if_right} for q in homework.questions}
    return frozenset(id for id in lost if seen.get(id) and not refusals(seen) & built_on[id])


def unfilled(chosen: Homework, log: SubmissionLog, grade: Grade) -> Clause:
    """Check that the unanswered release runs, earns nothing, and gets a reason per question."""
    earned = [one.question for one in grade.marks if one.earned is None or one.earned > 0]
    asserted = {question.id for question in chosen.questions if question.asserted}
    # The message of a question that was not trained names the unwritten one that it needs.
    waiting = asserted | log.not_trained
    silent = [
        one.question
        for one in grade.marks
        if not one.message.startswith("Not written") and one.question not in waiting
    ]
    # Below test cells that decide a question, provided code may call unwritten answers.
    errors = () if asserted else log.errors
    wrong = [f"earns {listed(earned)}"] * bool(earned)
    wrong += [f"no message on {listed(silent)}"] * bool(silent)
    wrong += [f"{error.cell} fails: {error.name}: {error.message}" for error in errors]
    kept = "runs to its last cell, 0 points"
    return clause("3 release runs, earns 0", "release", "; ".join(wrong), kept)


def _agree(
    case: str, state: Executed, grade: Grade, chosen: Homework, others: Collection[str]
) -> Clause:
    """Find visible checks that refuse answers that earn points."""
    earned = {one.question for one in grade.marks if one.verdict == "passed"}
    refused = refusals(visible(state.steps(), chosen))
    wrong = only_visible(earned & refused | set(others))
    return clause("8 visible and hidden agree", case, wrong, "they do")


def only_visible(refuse: Collection[str]) -> str:
    """Return a sentence on questions whose visible check alone refuses an answer, or ""."""
    said = f"the visible check of {listed(refuse)} refuses an answer that the hidden check accepts"
    return said * bool(refuse)


def loses_its_own(
    answer: KnownAnswer, log: SubmissionLog, grade: Grade, asked: Homework, mistakes: KnownMistakes
) -> Clause:
    """Check that a known mistake loses its own questions, and is recognised only as itself."""
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
                    f"; in {one.question} {listed(others)} gives the same results: draw "
                    "inputs that distinguish them"
                )
    if endless := {one.question for one in log.outcomes if one.status == "timed_out"}:
        detail += (
            f"; {listed(endless)} did not end within {asked.limits.question_seconds:g} "
            "s, and without a result a mistake cannot be recognised: fix that first"
        )
    crashes = crashed(answer, log, asked)
    detail += "".join(f"; {said}" for said in crashes)
    good = losses == fails and taken_for == {answer.name} and not crashes
    return Clause("4 mistakes lose their questions", answer.name, good, detail)


def crashed(answer: KnownAnswer, log: SubmissionLog, asked: Homework) -> list[str]:
    """Find each question that a known mistake loses by an error instead of a wrong result.

    A mistake that is meant to raise names the error: raises.question = "IndexError".
    """
    said = []
    for question in asked.questions:
        own = [one for one in log.outcomes if one.question == question.id]
        errors = list(filter(None, map(_error, own)))
        # If it builds on one that this mistake loses, the error is reported there.
        built_on = answer.fails & {*question.needs, *question.if_right}
        if question.id not in answer.fails or built_on or not errors or len(errors) < len(own):
            continue
        if errors[0] != answer.written.raises.get(question.id):
            said.append(
                f"in every case of {question.id} it raises {errors[0]}, which proves "
                f'nothing: fix it, or write raises.{question.id} = "{errors[0]}" if that '
                "is the mistake (in a .py file, in RAISES)"
            )
    return said


def _error(outcome: Outcome) -> str:
    """Return the class of the error that an outcome has instead of a value, or ""."""
    if outcome.status == "raised":
        return outcome.error.split("\n")[0].split(":")[0]
    found: Any = (outcome.value or {}).get(RESULT)
    names = [*found.get("kinds", ()), found.get("error")] if isinstance(found, dict) else []
    return next((name for name in names[:1] if name in TYPING_ERRORS), "")


def _noticed(answer: KnownAnswer, state: Executed, grade: Grade, chosen: Homework) -> Clause:
    declared = frozenset(answer.written.unseen)
    seen = visible(state.steps(), chosen)
    unseen = silent(seen, lost(grade), chosen) - declared
    first = min(unseen, default="")
    table = ".toml" in answer.place
    how = f'`unseen.{first} = "why"`' if table else f'`UNSEEN = {{"{first}": "why"}}`'
    wrong = (
        f"the visible check of {listed(unseen)} passes {answer.place}; show an input "
        f"that reveals it, or give the mistake {how}"
    )
    kept = "they refuse it" + f", except for {listed(declared)}" * bool(declared)
    if not seen.keys() & answer.fails:
        kept = f"no visible check reports {listed(answer.fails)}"
    return clause("4 visible checks notice", answer.name, wrong * bool(unseen), kept)


def _leak_clause(case: str, found: Sequence[Leak]) -> Clause:
    wrong = f"{found[0].place}: {found[0].what}" if found else ""
    return clause("3 nothing leaks", case, wrong, "no solution, no staff, no value")


def secrets_of(course: Path, chosen: Homework, log: SubmissionLog) -> Secrets:
    """Return everything that no student may see: solutions, staff/, and the instructor's results."""
    hidden = {q.id: draw(q, log.submission) for q in chosen.questions if q.ask}
    return Secrets.of(course, chosen, [log], hidden)


def _feedback(
    answer: Submission, log: SubmissionLog, grade: Grade, chosen: Homework, secrets: Secrets
) -> list[Leak]:
    """Return everything that the report of a known submission gives away."""
    # A known submission is named after its file, a student's is not: so it gets another name.
    someone = replace(log, submission=replace(log.submission, student="someone"))
    page = report.html(grade, someone, title=chosen.title, course="", explain=True)
    own = "\n".join(cell.source for cell in answer.cells)
    return secrets.leaks_in_text(answer.id.student, page, feedback=True, own=own)
