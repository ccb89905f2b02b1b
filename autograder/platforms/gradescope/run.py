"""The program in Gradescope's container: one submission -> results.json, question by question.

The file exists from the start and is always valid. The judge stays root; student code runs as a
different user who can read none of the judge's files.
"""

import os
import sys
import time
import traceback
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autograder.course import course, homework, inputs
from autograder.course.course import Course
from autograder.marking.judge import Judge
from autograder.marking.mark import NOT_FINISHED, mark
from autograder.platforms.gradescope import attempts, metadata
from autograder.platforms.gradescope.platform import REAL, Page, Places
from autograder.records.errors import UserError
from autograder.records.facts import Submission, SubmissionLog, said_to
from autograder.records.homework import Homework
from autograder.records.marks import Grade, with_golf
from autograder.reports import results_json
from autograder.sandbox import mistake_bank, supervisor
from autograder.sandbox.execute import execute
from autograder.sandbox.inside import forking
from autograder.sandbox.supervisor import Sandbox
from autograder.store import embedded_log
from autograder.submission import discover, opening, reading

SETTINGS = "course.json"
# The platform takes all points away when its time is over, so we must finish before that.
MARGIN_SECONDS = 30.0
DIAGNOSIS_SECONDS = 60.0
# A container has half a processor, so ten seconds elsewhere take twenty there.
SLOWER = 2.0
# Memory reserved for the judge while student code runs.
OWN_BYTES = 120_000_000
# Without these layers no student code runs beside files of staff.
REQUIRED = ("user", "network", "view")
FAILED = (
    "The grader itself failed. These are the marks so far; your course's staff can see "
    "why, and can grade this again. It does not count as an attempt."
)
STOPPED = (
    f"{NOT_FINISHED} If you read this, grading was stopped: the submission or the grader "
    "took too much time or memory."
)


def run(root: Path, *, seconds: float) -> None:
    """Grade the files in root/submission; root/results/results.json exists whatever happens."""
    deadline = time.monotonic() + seconds - min(MARGIN_SECONDS, seconds / 4)
    with Page(Places(root).results) as page:
        page.write(said_first(STOPPED, results_json.refused("")))
        try:
            _grade(Places(root), page, deadline)
        except Exception:
            sys.stderr.write(traceback.format_exc())  # which the platform shows only to staff
            page.write(said_first(FAILED, page.values, attempt=False))


def _grade(places: Places, page: Page, deadline: float) -> None:
    hidden = places.close()
    settings = course.unpacked((places.source / SETTINGS).read_text(encoding="utf-8"))
    said = metadata.read(places.metadata, settings.zone)
    page.notes += filter(None, [said.note])
    page.not_counted = attempts.not_counted(said)
    page.write(page.values)
    (name,) = homework.names(places.source)
    with Sandbox() as sandbox:
        # It warms up while the homework is read.
        sandbox.launch(homework.warm(places.source, name))
        chosen = homework.load(places.source, name)
        sandbox.expect(chosen, hidden=hidden)
        if shown := attempts.instead(
            said, settings, lambda earlier: _judged_again(earlier, chosen, settings)
        ):
            page.write(shown)
            return
        try:
            submission = _read(places, chosen, said, page)
        except UserError as error:
            page.write(results_json.refused(str(error)))
            return
        grade = _nothing_yet(submission, chosen, settings)
        page.write(said_first(STOPPED, _page(replace(grade, remarks=()), settings)))
        if os.geteuid() == 0 or places.root == REAL:
            supervisor.require(REQUIRED, sandbox.missing)
        _ = sandbox.missing  # starts the sandbox
        sandbox.until = deadline
        judging = Judge(chosen, secret=settings.secret)
        log, grade = _executed(
            submission, _here(chosen, deadline), settings, sandbox, page, judging=judging
        )
        for one in grade.marks:
            if one.fault:  # our own check failed, so staff get the reason
                sys.stderr.write(f"{one.question}: {one.fault}\n")
        for sentence in said_to((*log.remarks, *log.repairs), "staff"):
            sys.stderr.write(f"{sentence}\n")
        page.write(finished(grade, log, chosen, settings))  # however the submission ends
    # The sandbox's memory is needed for the known mistakes: a container cannot run both at once.
    if deadline - time.monotonic() > DIAGNOSIS_SECONDS:
        try:
            with mistake_bank.bank(places.source, chosen) as bank:
                grade = mark(chosen, log, settings, judge=judging, bank=bank)
            page.notes += filter(None, [bank.broken])
        except Exception as error:  # marks do not depend on this
            sys.stderr.write(traceback.format_exc())
            page.notes.append(f"known mistakes cannot be recognised ({type(error).__name__})")
        page.write(finished(grade, log, chosen, settings))


def _read(places: Places, chosen: Homework, said: metadata.Metadata, page: Page) -> Submission:
    folder = opening.given(places.submission.resolve())
    found = discover.find_only(
        folder, student=said.student, homework=chosen.name, receipt=said.receipt
    )
    page.notes += filter(None, [found.note])
    return reading.read(found, chosen)


def _here(chosen: Homework, deadline: float) -> Homework:
    """Return the homework with limits for a small container."""
    limits = chosen.limits
    free = forking.left()
    own = limits.memory_bytes if free is None else max(free - OWN_BYTES, OWN_BYTES)
    return replace(
        chosen,
        limits=replace(
            limits,
            cell_seconds=SLOWER * limits.cell_seconds,
            question_seconds=SLOWER * limits.question_seconds,
            submission_seconds=min(
                SLOWER * limits.submission_seconds, max(1.0, deadline - time.monotonic())
            ),
            memory_bytes=min(limits.memory_bytes, own),
        ),
    )


def _executed(
    submission: Submission,
    chosen: Homework,
    settings: Course,
    sandbox: Sandbox,
    page: Page,
    *,
    judging: Judge,
) -> tuple[SubmissionLog, Grade]:
    for state in execute(
        submission, chosen, sandbox=sandbox, secret=settings.secret, settled=judging.passed
    ):
        log = state.log
        grade = mark(chosen, log, settings, judge=judging)
        if not log.complete:
            remarks = tuple(text for text in grade.remarks if text != NOT_FINISHED)
            shown = _page(replace(grade, remarks=remarks), settings)
            # The upload counts as an attempt if the page shows some marks.
            page.write(said_first(STOPPED, shown, attempt=bool(log.outcomes)))
    return log, grade


def _nothing_yet(submission: Submission, chosen: Homework, settings: Course) -> Grade:
    digests = inputs.digests(chosen, submission=submission.id, secret=settings.secret)
    return mark(chosen, SubmissionLog(chosen.name, submission.id, inputs=digests), settings)


def _judged_again(earlier: dict[str, Any], chosen: Homework, settings: Course) -> dict[str, Any]:
    """Return an earlier page, judged by today's checks if it contains its log."""
    try:
        log = embedded_log.log(earlier)
    except UserError:
        return earlier
    digests = inputs.digests(chosen, submission=log.submission, secret=settings.secret)
    if log.homework != chosen.name or dict(log.inputs) != digests:
        return earlier
    grade = mark(chosen, log, settings)
    shown = finished(grade, log, chosen, settings)
    return earlier if shown["score"] == earlier["score"] else shown


def _page(grade: Grade, settings: Course, *, explain: bool = False) -> dict[str, Any]:
    shown = settings.gradescope.hidden_questions
    return results_json.results(with_golf(grade), explain=explain, hidden=shown)


def said_first(
    sentence: str, page: Mapping[str, Any], *, attempt: bool | None = None
) -> dict[str, Any]:
    """Return a page that stays correct even if the run stops here.

    Args:
        sentence: The reason for stopping, placed above the marks.
        page: The marks so far.
        attempt: Whether the upload counts as one, if known.

    """
    data = {**page["extra_data"], "finished": False}
    if attempt is not None:
        data["attempt"] = attempt
    earlier = page["output"].removeprefix(results_json.html([STOPPED])) if page["tests"] else ""
    output = "\n".join(filter(None, (results_json.html([sentence]), earlier.strip())))
    return {**page, "output": output[: results_json.MAX_FIELD], "extra_data": data}


def finished(
    grade: Grade, log: SubmissionLog, chosen: Homework, settings: Course
) -> dict[str, Any]:
    """Return results.json for a fully graded submission."""
    explain = settings.explains(chosen.name, datetime.now(UTC), log.receipt)
    page = _page(grade, settings, explain=explain)
    page = embedded_log.with_log(page, log)
    return page | {"extra_data": page["extra_data"] | {"finished": True, "attempt": True}}
