"""One homework's grader, kept warm: submission after submission into out/<student>/."""

import contextlib
import time
import traceback
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from autograder import codec
from autograder.course import course, homework
from autograder.course.course import Course
from autograder.marking.diagnose import diagnose
from autograder.marking.judge import Judge, judge
from autograder.marking.lateness import with_lateness
from autograder.model import Grade, HandIn, Homework, SubmissionLog, UserError
from autograder.reports import executed, report, results_json
from autograder.sandbox import known_values
from autograder.sandbox.execute import execute
from autograder.sandbox.known_values import Bank
from autograder.sandbox.supervisor import Sandbox
from autograder.store import results
from autograder.submission import discover, reading

# What takes longer than this is on disk as it grows.
PROGRESS_SECONDS = 1.0
AGAIN = (
    "The machine was too busy when this was graded first, and that took marks. It was graded again."
)


@dataclass(frozen=True)
class Graded:
    """One submission's end: its grade, or why there is none.

    `failed` means that the grader itself failed; the traceback stands in failure.txt. `hindered`
    means that others took something from it, and that it is to be graded again, alone.
    """

    name: str
    folder: Path
    grade: Grade | None = None
    complaint: str = ""
    seconds: float = 0.0
    skipped: bool = False
    failed: bool = False
    hindered: bool = False


@dataclass(frozen=True)
class Task:
    """What to grade with, as plain values: another process opens its own `Grader` from it.

    Args:
        root: The course's folder.
        name: The homework's.
        course: What course.toml says.
        out: Results go to out/<student>/; the folder is for staff only (mode 0700).
        hidden: Files that student code must not see.
        all_cells: Run the cells that only illustrate, too.
        force: Grade again what is done.
    """

    root: Path
    name: str
    course: Course
    out: Path
    hidden: tuple[Path, ...] = ()
    all_cells: bool = False
    force: bool = False


@dataclass(frozen=True)
class Grader:
    """Grades submissions one after another.

    Args:
        homework: What they answer.
        course: Its secret draws the hidden inputs; its title and term stand on every report.
        sandbox: Where their code runs.
        bank: The known mistakes, to name those that wrong answers fit.
        all_cells: Run the cells that only illustrate, too.
        force: Grade again what is done.
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
        """Open what a task needs, in a sandbox that was launched already where there is one."""
        with contextlib.ExitStack() as stack:
            sandbox = launched or stack.enter_context(Sandbox())
            sandbox.launch()
            chosen = homework.load(task.root, task.name)
            hidden = [*course.private(task.root), *task.hidden, task.out]
            sandbox.expect(chosen, hidden=hidden)
            bank = stack.enter_context(known_values.bank(task.root, chosen))
            yield cls(chosen, task.course, sandbox, bank, task.all_cells, task.force)

    def grade_all(self, found: Iterable[discover.Found], out: Path) -> Iterator[Graded]:
        """Grade one after another; yield each as it is done, what others hindered at the end."""
        results.make_folder(out)
        waiting = []
        for item in found:
            graded = self.try_once(item, out)
            if graded.hindered:
                waiting.append(item)
            else:
                yield graded
        for item in waiting:
            yield self.try_again(item, out)

    def grade(self, item: discover.Found, out: Path) -> Graded:
        """Grade one submission into out/<student>/; whatever happens is in what is returned."""
        graded = self.try_once(item, out)
        return self.try_again(item, out) if graded.hindered else graded

    def try_once(self, item: discover.Found, out: Path, *, cautious: bool = False) -> Graded:
        """Grade one submission; where others hindered it, its files wait for another try.

        Args:
            item: The submission.
            out: The folder of results.
            cautious: Write the marks so far after every question: the grader may be ended.
        """
        return self._try(item, out, cautious=cautious, last=False)

    def try_again(self, item: discover.Found, out: Path, *, cautious: bool = False) -> Graded:
        """Grade a submission that others hindered, while nothing else is graded."""
        return self._try(item, out, cautious=cautious, last=True)

    def _try(self, item: discover.Found, out: Path, *, cautious: bool, last: bool) -> Graded:
        folder = out / item.student
        try:
            try:
                hand_in = reading.read(item, self.homework)
            except UserError as error:
                return unreadable(item, error, out)
            if not self.force and (
                done := _graded_before(hand_in, self.homework, self.course, folder)
            ):
                return done
            earlier = results.read_marks(folder) if last and results.has_marks(folder) else None
            results.clear(folder)
            self.sandbox.hindered = False
            every = 0.0 if cautious else PROGRESS_SECONDS
            return self._grade(hand_in, folder, every, earlier, last=last)
        except Exception as error:
            # Our own bug: the marks earned so far stay, and the others go on.
            with contextlib.suppress(OSError):  # the disk may be full
                results.write(folder / "failure.txt", traceback.format_exc())
            what = f"{type(error).__name__}: {codec.one_line(error)[:200]}"
            complaint = f"{item.place}: the grader failed ({what}); its failure.txt says where"
            return Graded(item.student, folder, complaint=complaint, failed=True)

    def _grade(
        self,
        hand_in: HandIn,
        folder: Path,
        every: float,
        earlier: Mapping[str, float | None] | None,
        *,
        last: bool,
    ) -> Graded:
        """Grade one submission.

        Args:
            hand_in: What was handed in.
            folder: For its files.
            every: Seconds after which the marks so far are written.
            earlier: The marks of a try in which others hindered it.
            last: Whether there is no other try.
        """
        secret = self.course.secret
        student = hand_in.submission.student
        written = time.monotonic()
        judging = Judge(self.homework, secret=secret)
        for state in execute(
            hand_in,
            self.homework,
            sandbox=self.sandbox,
            secret=secret,
            settled=judging.passed,
            all_cells=self.all_cells,
        ):
            log = state.log
            if not log.complete and time.monotonic() - written >= every:
                self._write_so_far(folder, log)
                written = time.monotonic()
        grade = judging(log)
        if self.sandbox.hindered and not last and grade.score + grade.waiting < grade.possible:
            self._write_so_far(folder, replace(log, complete=False))
            return Graded(student, folder, seconds=log.seconds, hindered=True)
        if earlier is not None and earlier != {mark.question: mark.earned for mark in grade.marks}:
            log = replace(log, repairs=(*log.repairs, AGAIN))
        if self.bank:
            grade = diagnose(grade, self.homework, log, secret=secret, bank=self.bank)
        grade = with_lateness(grade, log, self.course)
        results.write(folder / "executed.ipynb", executed.notebook(state.steps()))
        results.write_views(folder, grade, log, self.homework, self.course)
        # The complete log comes last: where it stands, everything else does.
        results.write(folder / discover.LOG_NAME, codec.encode_log(log), lasting=True)
        complaint = faults(grade, folder)
        return Graded(student, folder, grade, complaint, log.seconds, failed=bool(complaint))

    def _write_so_far(self, folder: Path, log: SubmissionLog) -> None:
        """Write the marks of a submission that is not graded to its end."""
        grade = judge(self.homework, log, secret=self.course.secret)
        so_far = with_lateness(grade, log, self.course)
        remarks = (results.NOT_FINISHED, *report.remarks(so_far, log))
        results.write_marks(folder, so_far, remarks, self.course)
        results.write(folder / discover.LOG_NAME, codec.encode_log(log))


def finished(item: discover.Found, homework: Homework, course: Course, out: Path) -> Graded | None:
    """Return a submission's end where it was graded before; None where it is still to be."""
    folder = out / item.student
    if not (folder / discover.LOG_NAME).is_file():
        return None
    try:
        return _graded_before(reading.read(item, homework), homework, course, folder)
    except UserError:
        return None


def _graded_before(
    hand_in: HandIn, homework: Homework, course: Course, folder: Path
) -> Graded | None:
    log = results.done(folder, hand_in, homework, course.secret)
    if log is None:
        return None
    given = with_lateness(judge(homework, log, secret=course.secret), log, course)
    return Graded(hand_in.submission.student, folder, given, skipped=True)


def unreadable(item: discover.Found, error: UserError | OSError, out: Path) -> Graded:
    """Write and return the end of a submission whose file cannot be read."""
    reason = str(error)
    if isinstance(error, OSError):
        reason = f"it cannot be read ({error.strerror})"
    folder = out / item.student
    gone = "; the marks of an earlier hand-in are gone with it" * results.has_marks(folder)
    refuse(folder, reason)
    return Graded(item.student, folder, complaint=f"{item.place}: {reason}{gone}")


def refuse(folder: Path, reason: str) -> None:
    """Write the results of a hand-in that cannot be read."""
    results.clear(folder)
    results.write(folder / "results.json", codec.indented(results_json.refused(reason)))


def faults(grade: Grade, folder: Path) -> str:
    """Write into failure.txt why our own checks failed; return a line that says so, or ""."""
    failed = [mark for mark in grade.marks if mark.fault]
    if not failed:
        return ""
    text = "\n\n".join(f"{mark.question}: {mark.fault}" for mark in failed)
    results.write(folder / "failure.txt", f"{text}\n")
    first = f"{failed[0].question} ({codec.one_line(failed[0].fault.splitlines()[0])[:200]})"
    more = f" and of {len(failed) - 1} more questions" if len(failed) > 1 else ""
    return f"{folder.name}: the check of {first}{more} failed; its failure.txt says where"


def brief(graded: Graded) -> Graded:
    """Return it without what only its own files need: many of them fit into memory."""
    if graded.grade is None:
        return graded
    marks = tuple(
        replace(mark, message="", pictures=(), misconception=None, fault="")
        for mark in graded.grade.marks
    )
    return replace(graded, grade=replace(graded.grade, marks=marks))
