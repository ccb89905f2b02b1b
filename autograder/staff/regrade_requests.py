"""Students' regrade requests -> each question judged again, with a draft of an answer.

An answer repeats the student's report on the question, without hidden inputs or expected values. A
person decides, and the decision is kept with the request.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from autograder.course.people import People
from autograder.course.timestamps import moment
from autograder.grading.regrade import Regraded
from autograder.marking.mark import number, points
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.records.facts import SubmissionLog, said_to
from autograder.records.marks import Mark
from autograder.reports.feedback_text import texts
from autograder.reports.tables import csv_of, text
from autograder.staff import form_times
from autograder.submission import receipts

FILE = "requests.csv"
_HEADER = "number came id question reason before now proposal answer decisions".split()
# Possible names of a form's columns, in small letters.
_IDS = ("id", "id2", "student", "student id", "email", "email address", "username")
"""In order of precedence if the roster knows none of a line's. Excel renames a table's second column `id` to `id2`."""
_QUESTIONS = ("question", "which question", "grade_id")
_TIMES = ("timestamp", "submitted", "time", "at", "date", "completion time")
_MICROSOFT = "completion time"
"""A column of Microsoft Forms' tables, whose first column `id` only numbers the answers."""
_REASONS = ("reason", "request", "message", "why", "comment")


@dataclass(frozen=True)
class Request:
    """A student's request: the question, the reason, and the time if the file has it."""

    id: str
    question: str
    reason: str
    at: datetime | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Entry:
    """A line of the log: a request, its new judgement, and people's decisions.

    Args:
        number: The request's number, from 1.
        came: When it was added to the log.
        before: Points before; None without any.
        now: Points of the answer judged again; None if the machine cannot tell.
        proposal: The proposed decision, in a few words.
        answer: A draft for the student.
        decisions: People's decisions, one line each, in order.

    """

    number: int
    came: str
    request: Request
    before: float | None
    now: float | None
    proposal: str
    answer: str
    decisions: str = ""


def read(path: Path, roster: People, zone: str = "") -> list[Request]:
    """Return the requests in a CSV, hand-made or exported from a form.

    Its first line names columns of ids (or addresses, if roster.csv has them), one of questions
    and one of reasons; others are ignored. Of a line's ids, the leftmost that roster.csv has
    counts. With `zone`, a column of times also counts; times without a zone are in this
    one.

    Raises:
        UserError: it is not such a file.

    """
    header, *rows = receipts.lines(path) or [[]]
    names = [cell.strip().casefold() for cell in header]
    counter = names.index("id") if _MICROSOFT in names and "id" in names else None
    ids = [n for id in _IDS for n, name in enumerate(names) if name == id and n != counter]
    found = [
        next((n for n, name in enumerate(names) if name in known), None)
        for known in (_QUESTIONS, _REASONS)
    ]
    if not ids or None in found:
        raise UserError(
            f"{one_line(path)}: its first line has to name the columns id, question and reason"
        )
    time = next((n for n, name in enumerate(names) if name in _TIMES), None) if zone else None
    times = ["" if time is None or time >= len(row) else row[time].strip() for row in rows]
    requests = []
    for line, (row, text_at) in enumerate(zip(rows, form_times.iso(times), strict=True), start=2):
        question, reason, *cells = (
            row[n].strip() if n is not None and n < len(row) else "" for n in (*found, *ids)
        )
        # A form records an address before its questions, into which anybody can type any id.
        in_file = (cell for _, cell in sorted(zip(ids, cells, strict=True)))
        id = next(filter(roster.find, in_file), next(filter(None, cells), ""))
        if id or question or reason:
            at = _moment(text_at, zone, f"{one_line(path)}, line {line}") if text_at else None
            requests.append(Request(roster.id_of(roster.folder(id)), question, reason, at))
    return requests


def _moment(text: str, zone: str, where: str) -> datetime:
    try:
        return moment(text, zone=zone)
    except ValueError:
        raise UserError(
            f"{where}: {one_line(text)[:60]!r} is not a date and time to compare with requests_until; "
            f"{receipts.ADVICE}"
        ) from None


def too_late(request: Request, now: datetime, closes: datetime | None, zone: ZoneInfo) -> str:
    """Return the answer to a request after the closing time; "" for other requests."""
    if closes is None or (request.at or now) <= closes:
        return ""
    return f"Requests on this homework closed on {closes.astimezone(zone):%d %B %Y at %H:%M}."


def answered(
    request: Request,
    item: Regraded | None,
    before: Mapping[str, float | None],
    *,
    explain: bool,
    given: Mapping[str, str],
    stranger: bool = False,
) -> tuple[float | None, float | None, str, str]:
    """Return points before and now, a proposal, and a draft of the answer.

    A `stranger` is somebody whom the roster does not know: the id may be mistyped.
    """
    if item is None and stranger:
        reply = f"The course has nobody with the id {one_line(request.id)}. What is yours?"
        return None, None, "nobody in roster.csv has this id", reply
    if item is None:
        return None, None, "no submission", "There is no submission that could be graded."
    marks = {mark.question.casefold(): mark for mark in item.grade.marks}
    mark = marks.get(request.question.casefold())
    if mark is None:
        there = ", ".join(one.question for one in item.grade.marks)
        return None, None, "no such question", f"There is no such question; choose from: {there}."
    had = before.get(mark.question)
    if mark.by_hand:
        said = given.get(mark.question)
        comment = f" The comment on it: {said}" if said else ""
        worth = f"{number(had)} of {points(mark.points)}" if had is not None else "no points yet"
        return had, None, "a person looks again", f"This is marked by hand: {worth}.{comment}"
    if mark.question in item.stale:
        reply = "Your answer will run again, because its hidden inputs have changed."
        return had, None, "run again", reply
    now = mark.earned or 0.0
    earns = f"Judged again, it earns {number(now)} of {points(mark.points)}"
    facts = " ".join([*texts(mark, explain=explain), *_facts(mark, item.log)])
    if had is None or abs(now - had) < 1e-9:
        return had, now, "keep", f"{earns}, as before. {facts}"
    verb = "raise" if now > had else "lower"
    return had, now, f"{verb} to {number(now)}", f"{earns}; before, it had {number(had)}. {facts}"


def _facts(mark: Mark, log: SubmissionLog) -> list[str]:
    mine = [one for one in log.outcomes if one.question == mark.question and not one.again]
    how = Counter(one.status for one in mine)
    said = []
    if mine:
        kinds = ", ".join(f"{count} {status}" for status, count in how.most_common())
        said.append(f"It was evaluated on {len(mine)} hidden cases ({kinds}).")
    if mark.question in log.passed_here and mark.verdict != "passed":
        said.append(
            "The check in your notebook passed, but it tries fewer inputs than the hidden one."
        )
    if mended := " ".join(said_to(log.repairs, "student")):
        said.append(f"Repairs made to run your notebook: {mended}")
    return said


def entries(path: Path) -> list[Entry]:
    """Return the log; empty without a file; raise UserError if it is damaged."""
    if not path.is_file():
        return []
    header, *rows = receipts.lines(path)
    found = []
    for line, row in enumerate(rows, 2):
        try:
            if header != _HEADER:
                raise ValueError
            number_, came, id, question, reason, before, now, proposal, answer, decisions = row
            had, has = (float(cell) if cell else None for cell in (before, now))
            request = Request(id, question, reason)
            found.append(Entry(int(number_), came, request, had, has, proposal, answer, decisions))
        except ValueError:
            raise UserError(
                f"{one_line(path)}, line {line}: it is not a line of the log of "
                "requests; fix it, or move the file away and give all requests again"
            ) from None
    return found


def written(log: Sequence[Entry]) -> str:
    """Return the log as CSV; no cell is a formula."""
    rows: list[list[str]] = [_HEADER]
    for one in log:
        marks = ["" if value is None else number(value) for value in (one.before, one.now)]
        rest = map(text, (one.proposal, one.answer, one.decisions))
        rows.append([str(one.number), one.came, *_cells(one.request), *marks, *rest])
    return csv_of(rows)


def _cells(request: Request) -> list[str]:
    return [text(cell) for cell in (request.id, request.question, request.reason)]


def is_in(request: Request, log: Sequence[Entry]) -> bool:
    """Return whether a request is already in the log, in its written form."""
    return _cells(request) in [_cells(one.request) for one in log]


def decided(
    log: Sequence[Entry], number: int, word: str, *, by: str, why: str, at: datetime
) -> list[Entry]:
    """Return the log with one more decision on a request, keeping earlier ones.

    Raises:
        UserError: there is no such request.

    """
    if number not in {one.number for one in log}:
        raise UserError(f"there is no request {number}; the last is {len(log)}")
    line = f"{at:%Y-%m-%d %H:%M} {one_line(by)}: {word}{f' ({one_line(why)})' if why else ''}"
    return [
        replace(one, decisions="\n".join(filter(None, (one.decisions, line))))
        if one.number == number
        else one
        for one in log
    ]
