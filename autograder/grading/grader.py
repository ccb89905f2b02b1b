"""A warm grader for one homework: it grades one submission after another into out/<student>/."""

import contextlib
import time
import traceback
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from autograder.course import course, homework
from autograder.course.course import Course
from autograder.grading import scheduler, unmarked
from autograder.grading.wire import Graded, Sent
from autograder.marking.judge import Judge, untrained
from autograder.marking.mark import mark, remarks
from autograder.records import codec, versions
from autograder.records.errors import UserError
from autograder.records.facts import Remark, Submission, SubmissionLog, said_to
from autograder.records.homework import Homework
from autograder.records.marks import Grade, with_golf
from autograder.reports import executed, student_files
from autograder.sandbox import mistake_bank
from autograder.sandbox.execute import execute
from autograder.sandbox.mistake_bank import Bank
from autograder.sandbox.run import RunBroken, SandboxFault, last_line
from autograder.sandbox.supervisor import Sandbox, require
from autograder.store import executed as stored
from autograder.store import files, results
from autograder.submission import discover, reading

# The marks of a submission that takes longer are saved as they grow, which may take this share of
# its time.
PROGRESS_SECONDS, _PROGRESS_SHARE = 1.0, 0.02
AGAIN = (
    "The machine was too busy when this was first graded, which cost marks, so it was graded again."
)


@dataclass(frozen=True)
class Task:
    """The grader's settings as plain values: other processes open their own `Grader` from them.

    Results go to out/<student>/; the folder is for staff only (mode 0700). Student code must not see
    `hidden`. `all_cells` also runs the cells that only illustrate, `force` grades again what is
    already graded, and `require` names sandbox layers without which nothing is graded.
    """

    root: Path
    name: str
    course: Course
    out: Path
    hidden: tuple[Path, ...] = ()
    all_cells: bool = False
    force: bool = False
    require: tuple[str, ...] = ()


@dataclass(frozen=True)
class Grader:
    """A grader of submissions, one after another.

    If the sandbox turns out not to work, each method raises SandboxFault and writes no marks. The
    course's secret draws the hidden inputs; its title and term are on every report. The bank has the
    known mistakes to match wrong answers with.
    """

    homework: Homework
    course: Course
    sandbox: Sandbox
    bank: Bank | None = None
    all_cells: bool = False
    force: bool = False

    @classmethod
    @contextlib.contextmanager
    def open(cls, task: Task, launched: Sandbox | None = None) -> Iterator[Self]:
        """Open everything that a task needs, in a sandbox that is already launched if there is one."""
        with contextlib.ExitStack() as stack:
            sandbox = launched or stack.enter_context(Sandbox())
            sandbox.launch(homework.warm(task.root, task.name))
            chosen = homework.load(task.root, task.name)
            hidden = [*course.private(task.root), *task.hidden, task.out]
            sandbox.expect(chosen, hidden=hidden)
            if task.require:  # without them, the sandbox starts only on first use
                require(task.require, sandbox.missing)
            bank = stack.enter_context(mistake_bank.bank(task.root, chosen))
            yield cls(chosen, task.course, sandbox, bank, task.all_cells, task.force)

    def grade_all(self, found: Sequence[discover.Found], out: Path) -> Iterator[Graded]:
        """Grade one after another, starved ones again at the end; yield each once it is done."""
        limit = self.homework.limits.notebook_bytes
        return scheduler.grade(found, _Here(self, out), out, self.course, limit=limit)

    def grade(self, item: discover.Found, out: Path) -> Graded:
        """Grade one submission into out/<student>/; return its outcome.

        Raises:
            SandboxFault: the sandbox does not work.

        """
        (graded,) = self.grade_all([item], out)
        return graded

    def grade_sent(self, sent: Sent, out: Path) -> Graded:
        """Grade one submission once; if it was starved, its files wait for a second try."""
        item = sent.found()
        folder = out / item.student
        try:
            try:
                submission = reading.read(item, self.homework)
            except UserError as error:
                return unmarked.unreadable(item, error, out)
            if not self.force and (done := self._graded_before(submission, folder)):
                return done
            every = 0.0 if sent.cautious else PROGRESS_SECONDS
            starved = results.found_grade(folder) if sent.last else None
            return self.grade_submission(
                submission, folder, every=every, last=sent.last, earlier=starved
            )
        except SandboxFault:
            raise
        except Exception as error:
            # Our own bug: the marks so far stay, and grading continues.
            where = traceback.format_exc()
            if isinstance(error, RunBroken):
                self.sandbox.examine()  # unless the fault concerns more than this submission
                where = error.trace
            with contextlib.suppress(Exception):  # a full disk, or the bug may be in a page
                if not results.has_marks(folder):
                    unmarked.refuse(folder, unmarked.FAILED)
            with contextlib.suppress(OSError):
                files.write(folder / files.FAILURE, where)
            what = last_line(where)[:200]
            complaint = f"{item.place}: the grader failed ({what}); its failure.txt shows where"
            return Graded(item.student, folder, complaint=complaint, failed=True)

    def grade_submission(
        self,
        submission: Submission,
        folder: Path,
        *,
        every: float = PROGRESS_SECONDS,
        last: bool = True,
        earlier: Grade | None = None,
    ) -> Graded:
        """Grade one submission that has already been read; its folder's earlier files are removed.

        `every` is the seconds between two saves of the marks so far. `earlier` has the marks of a
        starved try; the student is told if the new ones differ.
        """
        files.clear(folder)
        self.sandbox.starved = False
        secret = self.course.secret
        student = submission.id.student
        written, pause = time.monotonic(), every
        judging = Judge(self.homework, secret=secret)
        for state in execute(
            submission,
            self.homework,
            sandbox=self.sandbox,
            secret=secret,
            settled=judging.passed,
            all_cells=self.all_cells,
        ):
            log = state.log
            if not log.complete and (started := time.monotonic()) - written >= pause:
                self._write_so_far(folder, log, judging)
                written = time.monotonic()
                pause = every and max(every, (written - started) / _PROGRESS_SHARE)
        if (
            self.sandbox.starved
            and not last
            and has_lost_points(mark(self.homework, log, self.course, judge=judging))
        ):
            self._write_so_far(folder, replace(log, complete=False), judging)
            return Graded(student, folder, seconds=log.seconds, starved=True)
        graded = mark(self.homework, log, self.course, judge=judging, bank=self.bank)
        if earlier is not None and _points(earlier) != _points(graded):
            log = replace(log, repairs=(*log.repairs, Remark("student", AGAIN)))
            graded = replace(graded, remarks=remarks(graded, log))
        files.write(folder / files.EXECUTED, executed.notebook(state.steps(), submission.cells))
        write(folder, graded, log, self.homework, self.course)
        results.write_log(folder, log)
        complaint = faults(graded, folder)
        return Graded(
            *(student, folder, graded, complaint, log.seconds),
            failed=bool(complaint),
            note=noted(log),
            broken=self._broken,
        )

    def grade_ours(self, submission: Submission, folder: Path) -> Grade:
        """Return the marks of one of our own notebooks, from the last run if nothing has changed."""
        known = None if self.force else self._graded_before(submission, folder)
        try:
            graded = known or self.grade_submission(submission, folder)
        except RunBroken as error:
            raise SandboxFault(
                f"the grader fails on the {submission.id.student}'s notebook: "
                f"{last_line(error.trace)}"
            ) from error
        assert graded.grade is not None  # only a first try can end without a grade
        return graded.grade

    def _graded_before(self, submission: Submission, folder: Path) -> Graded | None:
        """Return the outcome of a submission with known facts, marked by today's checks."""
        done = results.done(folder, submission, self.homework, self.course.secret)
        if done is None:
            return None
        (log, before), complaint = done, ""
        grade = before
        if judged := before.version != versions.marks(self.homework):
            grade = mark(self.homework, log, self.course, bank=self.bank)
            if not_tried(passed(before), grade, log) or untrained(grade, log, self.homework):
                return None
            write(folder, grade, log, self.homework, self.course)
            complaint = faults(grade, folder)
        student = submission.id.student
        return Graded(
            *(student, folder, grade, complaint),
            skipped=True,
            judged=judged,
            failed=bool(complaint),
            broken=self._broken,
        )

    @property
    def _broken(self) -> str:
        return self.bank.broken if self.bank else ""

    def _write_so_far(self, folder: Path, log: SubmissionLog, judging: Judge) -> None:
        so_far = mark(self.homework, log, self.course, judge=judging)
        results.write_grade(folder, so_far)
        files.write(folder / files.RESULTS, student_files.results(so_far, self.course))
        results.write_log(folder, log)


def write(
    folder: Path, grade: Grade, log: SubmissionLog, homework: Homework, course: Course
) -> None:
    """Write the pages, and then the marks that they show, so that an interrupted write is repeated."""
    (folder / files.FAILURE).unlink(missing_ok=True)
    sources = stored.own_sources(folder)
    pages = student_files.views(with_golf(grade), log, homework, course, sources)
    for name, text in pages.items():
        files.write(folder / name, text)
    results.write_grade(folder, grade)


def passed(grade: Grade) -> set[str]:
    """Return the questions that passed the machine's check."""
    return {one.question for one in grade.marks if one.verdict == "passed" and not one.by_hand}


def not_tried(before: Collection[str], now: Grade, log: SubmissionLog) -> list[str]:
    """Return the questions that passed before, fail now, and were not tried at the end.

    A question that passes at its check cell is not. It may pass at the end of the notebook: only a
    run can tell.
    """
    at_end = {outcome.question for outcome in log.outcomes if outcome.at == "end"}
    lost = {one.question for one in now.marks if one.verdict != "passed" and not one.by_hand}
    return sorted(lost.intersection(before) - at_end)


def has_lost_points(grade: Grade) -> bool:
    """Return whether the machine gave a question less than all points."""
    by_machine = [one for one in grade.marks if not one.by_hand]
    return any(one.earned is not None and one.earned < one.points for one in by_machine)


def _points(grade: Grade) -> dict[str, float | None]:
    return {one.question: one.earned for one in grade.marks}


def finished(item: discover.Found, homework: Homework, course: Course, out: Path) -> Graded | None:
    """Return a submission's earlier outcome, or None if it is still to be graded."""
    folder = out / item.student
    if not (folder / files.LOG).is_file():
        return None
    try:
        done = results.done(folder, reading.read(item, homework), homework, course.secret)
    except UserError:
        return None
    if done is None or done[1].version != versions.marks(homework):
        return None
    return Graded(item.student, folder, done[1], skipped=True)


def faults(grade: Grade, folder: Path) -> str:
    """Write any faults of our own checks into failure.txt; return a line about it, or ""."""
    failed = [one for one in grade.marks if one.fault]
    if not failed:
        return ""
    text = "\n\n".join(f"{one.question}: {one.fault}" for one in failed)
    files.write(folder / files.FAILURE, f"{text}\n")
    first = f"{failed[0].question} ({codec.one_line(failed[0].fault.splitlines()[0])[:200]})"
    more = f" and of {len(failed) - 1} more questions" if len(failed) > 1 else ""
    return f"{folder.name}: the check of {first}{more} failed; its failure.txt shows where"


def noted(log: SubmissionLog) -> str:
    """Return a line for staff on anything in a submission that they should look at, or ""."""
    return codec.one_line("; ".join(said_to((*log.remarks, *log.repairs), "staff")))


class _Here:
    """An executor in this process: it grades one submission after another."""

    def __init__(self, grader: Grader, out: Path) -> None:
        self._grader, self._out = grader, out

    def room(self) -> int:
        return 1

    def submit(self, sent: Sent) -> Future[Graded]:
        future = Future[Graded]()
        future.set_result(self._grader.grade_sent(sent, self._out))
        return future

    def result(self, future: Future[Graded]) -> Graded:
        return future.result()
