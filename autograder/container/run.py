"""What runs in Gradescope's container: one hand-in -> results.json, question by question.

The file is there from the first moment and is valid at every one. The judge keeps its user,
root; student code runs as another one that can read none of what lies beside it.
"""

import contextlib
import os
import sys
import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autograder import course, homework, inputs
from autograder.bulk.results import NOT_FINISHED
from autograder.container import attempts, metadata
from autograder.container.page import Page
from autograder.course import Course
from autograder.facts import find, intake, memory, variants
from autograder.facts.execute import execute
from autograder.facts.sandbox import Sandbox
from autograder.marks.diagnose import diagnose
from autograder.marks.judge import judge
from autograder.marks.lateness import with_lateness
from autograder.model import Grade, HandIn, Homework, SubmissionLog, UserError
from autograder.views import gradescope, report

SETTINGS = "course.json"
DEFAULT_SECONDS = 600.0
# The platform takes all points away when its time is over: by then we have to be done.
MARGIN_SECONDS = 30.0
DIAGNOSIS_SECONDS = 60.0
# Half a processor is what a container has: what takes ten seconds elsewhere takes twenty there.
SLOWER = 2.0
# For what the judge still needs while student code runs.
OWN_BYTES = 120_000_000
# Layers without which no student code runs beside files of staff.
REQUIRED = ("user", "network", "view")
FAILED = (
    "The grader itself failed. The marks below are those until then; your course's staff can see "
    "why, and can grade this again."
)


@dataclass(frozen=True)
class Places:
    """The paths that the platform promises, below its root, /autograder."""

    root: Path

    @property
    def source(self) -> Path:
        """The unpacked zip."""
        return self.root / "source"

    @property
    def submission(self) -> Path:
        """What a student handed in."""
        return self.root / "submission"

    @property
    def results(self) -> Path:
        """The folder of results.json."""
        return self.root / "results"

    @property
    def metadata(self) -> Path:
        """What the platform says of the hand-in."""
        return self.root / "submission_metadata.json"

    def close(self) -> list[Path]:
        """Keep all others out of these places; return what student code must not be able to read."""
        for path, mode in (
            (self.source, 0o700),
            (self.submission, 0o700),
            (self.results, 0o700),
            (self.metadata, 0o600),
        ):
            with contextlib.suppress(OSError):  # whether it holds is tried out below
                path.chmod(mode)
        private = course.private(self.source)
        return [self.source, self.submission, self.results, self.metadata, *private]


def seconds_left() -> float:
    """Return how long the platform lets us run, by its own word where it gives one."""
    try:
        seconds = float(os.environ.get("TIMEOUT_SECONDS", ""))
    except ValueError:
        return DEFAULT_SECONDS
    return seconds if 0 < seconds < 1e6 else DEFAULT_SECONDS


def run(root: Path, *, seconds: float) -> None:
    """Grade what lies in root/submission; root/results/results.json is there whatever happens.

    Args:
        root: The platform's folder.
        seconds: Until the platform ends us.
    """
    places = Places(root)
    deadline = time.monotonic() + seconds - min(MARGIN_SECONDS, seconds / 4)
    with Page(places.results) as page:
        page.write(_unfinished(gradescope.refused("")))
        try:
            _grade(places, page, deadline)
        except UserError as error:
            page.write(gradescope.refused(str(error)))
        except Exception:
            sys.stderr.write(traceback.format_exc())  # which the platform shows to staff alone
            page.write({**page.values, "output": gradescope.html([FAILED])})


def _grade(places: Places, page: Page, deadline: float) -> None:
    hidden = places.close()
    settings = course.unpacked((places.source / SETTINGS).read_text(encoding="utf-8"))
    (name,) = homework.names(places.source)
    with Sandbox() as sandbox:
        sandbox.launch()  # until it is warm, there is enough to read
        chosen = homework.load(places.source, name)
        sandbox.expect(chosen, hidden=hidden)
        said = metadata.read(places.metadata, settings.zone)
        if shown := attempts.instead(said, settings):
            page.write(shown)
            return
        found = find.alone(
            places.submission, student=said.student, homework=name, receipt=said.receipt
        )
        hand_in = intake.read(found, chosen)
        page.write(_unfinished(_page(_nothing_yet(hand_in, chosen, settings), settings, ())))
        if os.geteuid() == 0:
            sandbox.require(REQUIRED)
        else:
            _ = sandbox.missing  # starts it
        log, grade = _executed(hand_in, _here(chosen, deadline), settings, sandbox, page)
    # Its memory is free again for the known mistakes: both together are too much for a container.
    note = {"note": said.note} if said.note else {}
    page.write(_finished(grade, log, chosen, settings, note))
    if deadline - time.monotonic() > DIAGNOSIS_SECONDS:
        with variants.bank(places.source, chosen) as bank:
            named = diagnose(grade, chosen, log, secret=settings.secret, bank=bank)
        if bank.broken:
            note["note"] = f"no known mistake could be named ({bank.broken})"
        page.write(_finished(named, log, chosen, settings, note))


def _here(chosen: Homework, deadline: float) -> Homework:
    """Return the homework with limits that suit a small container."""
    limits = chosen.limits
    free = memory.left()
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
    hand_in: HandIn, chosen: Homework, settings: Course, sandbox: Sandbox, page: Page
) -> tuple[SubmissionLog, Grade]:
    secret = settings.secret
    for state in execute(hand_in, chosen, sandbox=sandbox, secret=secret):
        log = state.log
        grade = with_lateness(judge(chosen, log, secret=secret), log, settings)
        if not log.complete:
            page.write(_unfinished(_page(grade, settings, report.remarks(grade, log))))
    return log, grade


def _nothing_yet(hand_in: HandIn, chosen: Homework, settings: Course) -> Grade:
    """Return the marks before anything was asked: nothing."""
    secret = settings.secret
    log = SubmissionLog(
        chosen.name,
        hand_in.submission,
        inputs=inputs.digests(chosen, submission=hand_in.submission, secret=secret),
    )
    return judge(chosen, log, secret=secret)


def _page(
    grade: Grade, settings: Course, remarks: tuple[str, ...], *, explain: bool = False
) -> dict[str, Any]:
    shown = settings.gradescope.hidden_questions
    return gradescope.results(grade, remarks=remarks, explain=explain, hidden=shown)


def _unfinished(page: Mapping[str, Any]) -> dict[str, Any]:
    """Return the page as it is to stand if nothing comes after it."""
    stopped = (
        f"{NOT_FINISHED} If you read this, it was stopped: the hand-in took too long or "
        "too much memory, or the grader did. Uploading it again does no harm."
    )
    data = {**page["extra_data"], "finished": False}
    earlier = page["output"] if page["tests"] else ""
    output = "\n".join(filter(None, (gradescope.html([stopped]), earlier)))
    return {**page, "output": output[: gradescope.MAX_FIELD], "extra_data": data}


def _finished(
    grade: Grade, log: SubmissionLog, chosen: Homework, settings: Course, note: Mapping[str, str]
) -> dict[str, Any]:
    explain = settings.explains(chosen.name, datetime.now(UTC))
    page = _page(grade, settings, report.remarks(grade, log), explain=explain)
    page = gradescope.with_log(page, log)
    return page | {"extra_data": page["extra_data"] | note | {"finished": True}}
