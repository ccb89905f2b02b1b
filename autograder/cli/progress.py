"""The progress of `autograder grade`: a live page on a terminal, lines elsewhere."""

import time
from collections import Counter
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from rich import box
from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.table import Table
from rich.text import Text

from autograder.grading.wire import Graded
from autograder.marking.mark import number
from autograder.records.codec import one_line
from autograder.records.marks import Mark

# If the rows do not fit on a page, one line per question tells more than a table.
MAX_ROWS = 40
STEPS = 10


class Progress:
    """The progress of a run: it counts the graded submissions and displays them."""

    def __init__(self, console: Console, title: str, total: int) -> None:
        self._console, self._title, self._total = console, one_line(title), total
        self._done = self._skipped = self._unusable = 0
        self._rows: list[Graded] = []
        self._questions: dict[str, Mark] = {}
        self._verdicts: Counter[tuple[str, str]] = Counter()
        self._notes: list[str] = []
        self.broken = set[str]()
        """The reasons why known mistakes could not be recognised."""
        self._started = time.monotonic()
        self._bar = Bar(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=console,
        )
        self._task = self._bar.add_task(self._title, total=total)
        self._live = Live(console=console, transient=True, get_renderable=self.page)

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._live.stop()
        if self._console.is_terminal and self._rows:
            rows = sorted(self._rows, key=lambda row: row.name)
            few = self._total <= MAX_ROWS
            self._console.print(students(self._title, rows) if few else self._summary())
        for note in self._notes:
            self._say(f"Look at {note}")
        stopped = kind is SystemExit  # its handler has already printed these numbers
        if self._total > 1 and self._done and not stopped:
            self._say(self.counts())

    def add(self, graded: Graded) -> None:
        """Count one finished submission, whatever its outcome."""
        self._done += 1
        self._skipped += graded.skipped
        self.broken.add(graded.broken)
        self._bar.update(self._task, completed=self._done)
        if graded.grade is None:
            self._unusable += 1
        else:
            for mark in graded.grade.marks:
                self._questions[mark.question] = mark
                self._verdicts[mark.question, mark.verdict] += 1
            if len(self._rows) <= MAX_ROWS:
                self._rows.append(graded)
            if graded.note:
                self._notes.append(f"{graded.name}: {graded.note}")
            if not self._console.is_terminal:
                self._say(_line(graded))
        step = self._done * STEPS // self._total
        if (
            not self._console.is_terminal
            and self._total >= STEPS * STEPS
            and step > (self._done - 1) * STEPS // self._total
            and self._done < self._total
        ):
            self._say(f"{self.counts()}, about {_duration(self._left())} left")

    def counts(self) -> str:
        """Return the progress so far, in one line."""
        graded = self._done - self._skipped - self._unusable
        parts = [f"{self._done} of {self._total} done", f"{graded} graded"]
        if self._skipped:
            parts.append(f"{self._skipped} already graded")
        if self._unusable:
            parts.append(f"{self._unusable} without marks")
        return f"{', '.join(parts)} in {_duration(time.monotonic() - self._started)}"

    def _left(self) -> float:
        """Estimate the seconds left, ignoring skipped submissions, which take no time."""
        timed = max(1, self._done - self._skipped)
        return (time.monotonic() - self._started) * (self._total - self._done) / timed

    def _say(self, text: str) -> None:
        self._console.print(_text(text), soft_wrap=True)

    def page(self) -> Group:
        """Return the display as it is now."""
        return Group(self._bar, self._summary()) if self._questions else Group(self._bar)

    def _summary(self) -> Table:
        table = _table(self._title)
        verdicts = ("passed", "partly", "failed", "waiting")
        for column in ("question", *verdicts):
            table.add_column(column, justify="left" if column == "question" else "right")
        # A copy: `add` may run while a thread draws the page.
        for question in tuple(self._questions):
            counts = (str(self._verdicts[question, verdict] or "") for verdict in verdicts)
            table.add_row(_text(question), *counts)
        return table


def students(title: str, rows: Sequence[Graded]) -> Table:
    """Return one line per submission, with its points for each question."""
    table = _table(title)
    table.add_column("submission", no_wrap=True)
    assert rows[0].grade is not None
    for mark in rows[0].grade.marks:
        # Long question ids are broken at their underscores to keep columns narrow.
        name = _text(mark.question).plain.replace("_", "_\n")
        worth = f"{'+' if mark.extra else ''}{number(mark.points)}"
        table.add_column(Text(f"{name}\n{worth}"), justify="right", overflow="fold")
    table.add_column(f"score\n{number(rows[0].grade.possible)}", justify="right")
    for row in rows:
        assert row.grade is not None
        earned = ["?" if mark.earned is None else number(mark.earned) for mark in row.grade.marks]
        table.add_row(_text(row.name), *earned, number(row.grade.score))
    return table


def _table(title: str) -> Table:
    return Table(title=_text(title), box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)


def _text(words: str) -> Text:
    return Text(one_line(words))


def _line(result: Graded) -> str:
    assert result.grade is not None
    marks = " ".join(
        f"{mark.question}={'?' if mark.earned is None else number(mark.earned)}/{number(mark.points)}"
        for mark in result.grade.marks
    )
    how = (
        "judged again"
        if result.judged
        else "already graded"
        if result.skipped
        else f"{result.seconds:.1f} s"
    )
    return f"{result.name}: {number(result.grade.score)}/{number(result.grade.possible)} {marks} ({how})"


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"
