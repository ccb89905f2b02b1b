"""The written answers of a notebook -> one PDF, for people who mark on paper.

The typesetter reads student text, so it runs in a separate sandbox; we only check that its output
is a PDF.
"""

import base64
import binascii
import re
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from autograder.course.people import People
from autograder.marking.mark import number, points
from autograder.program.written_answers import Written, recognise, written
from autograder.records.codec import one_line, safe
from autograder.records.errors import UserError
from autograder.records.homework import Homework
from autograder.sandbox.run import RunEnded
from autograder.sandbox.supervisor import Sandbox
from autograder.staff.paper import typesetter
from autograder.staff.paper.sheet import Part, PrintedAnswer, PrintedSheet
from autograder.submission import discover, reading

SECONDS = 20.0
MAX_PDF = 25_000_000
_MEMORY = 2_000_000_000
_NOTICES = {
    "unchanged": "Nothing was written: the answer's cell is unchanged.",
    "empty": "Nothing was written: the answer's cell is empty.",
    "missing": "No cell with this answer was found.",
}


def typesetting(hidden: Iterable[Path] = ()) -> Sandbox:
    """Return a sandboxed typesetter that cannot read `hidden`; raise UserError if not installed."""
    if absent := typesetter.missing():
        raise UserError(
            f"{' and '.join(absent)} missing: PDFs need the extra `pdf` "
            "(pip install 'attention-homework-kit[pdf]')"
        )
    return Sandbox(hidden=hidden, worker=typesetter.__name__)


def sheet(path: Path, homeworks: Sequence[Homework], *, recognised: bool = False) -> PrintedSheet:
    """Read a notebook and return its pages; `recognised` means it fits the first homework.

    Raises:
        UserError: it is not a notebook, belongs to no homework, or has no written questions.

    """
    if not path.is_file():
        raise UserError(
            f"{one_line(path)}: there is no such file; give a notebook, or a folder or zip of submissions"
        )
    found, complaints = discover.find([path])
    if complaints or len(found) != 1:
        raise UserError(
            complaints[0] if complaints else f"{one_line(path)}: give one notebook at a time"
        )
    (item,) = found
    if item.student in {homework.name for homework in homeworks}:
        # Notebooks in separate folders may all have the homework's name.
        item = replace(item, student=safe(path.resolve().parent.name))
    return sheet_of(item, homeworks, recognised=recognised)


def sheets(
    folder: Path,
    homeworks: Sequence[Homework],
    people: People,
    complaints: list[str],
    *,
    recognised: bool = False,
    others: Sequence[str] = (),
    named: bool = False,
) -> Iterator[tuple[str, PrintedSheet]]:
    """Yield each submission in a folder or zip with the pages to print."""
    name, collected = (homeworks[0].name, homeworks[0].collected) if recognised else ("", "")
    found, why_not = discover.find(
        [folder], homework=name, collected=collected, others=others, roster=people
    )
    complaints += why_not
    for item in found:
        person = people.name_of(item.student) if named else ""
        try:
            yield item.student, sheet_of(item, homeworks, recognised=recognised, person=person)
        except UserError as error:
            complaints.append(str(error))


def sheet_of(
    item: discover.Found,
    homeworks: Sequence[Homework],
    *,
    recognised: bool = False,
    person: str = "",
) -> PrintedSheet:
    """Return the pages to print for a submission.

    Raises:
        UserError: it is unusable, belongs to no homework, or has no written questions.

    """
    try:
        homework = homeworks[0]
        submission = reading.read(item, homework)
        if not recognised:
            homework = recognise(submission, homeworks)
            submission = reading.read(item, homework)
        if submission.id.kind == "log":
            raise UserError("a log has no written answers; give the notebook")
        answers = written(submission, homework)
    except UserError as error:
        raise UserError(f"{item.place}: {error}") from error
    return _sheet(homework, ", ".join(filter(None, (item.student, person))), answers)


def blank(homework: Homework) -> PrintedSheet:
    """Return the pages to print for a homework, without a student's answers."""
    by_hand = [question.id for question in homework.questions if question.by_hand]
    return _sheet(homework, "", [Written(question, "blank", ()) for question in by_hand])


def _sheet(homework: Homework, student: str, answers: Sequence[Written]) -> PrintedSheet:
    """Return the pages of the questions that people mark."""
    counting = [a for a in answers if not homework.question(a.question).formative]
    if not counting:
        raise UserError(
            f"{homework.name} has no written questions that give points, so there is nothing to print"
        )
    return PrintedSheet(
        homework.title, student, tuple(_answer(homework, answer) for answer in counting)
    )


def _answer(homework: Homework, answer: Written) -> PrintedAnswer:
    notices = () if answer.state not in _NOTICES else (_NOTICES[answer.state],)
    parts = tuple(
        Part(
            cell.source,
            label or ("Answer" if cell.type == "markdown" else f"Answer, in a {cell.type} cell"),
            cell.type == "markdown",
            dict(cell.attachments),
        )
        for cell, label in answer.cells
    )
    worth = homework.question(answer.question).points
    asked = question_text(homework, answer.question)
    asking = (Part(asked, "Question"),) if asked else ()
    return PrintedAnswer(answer.question, points(worth), number(worth), notices, (*asking, *parts))


def question_text(homework: Homework, question: str) -> str:
    """Return a written question's text: the last section above its answer."""
    place = next(
        n for n, c in enumerate(homework.cells) if c.role == "written" and c.grade_id == question
    )
    above = homework.cells[place - 1] if place else None
    if above is None or above.type != "markdown":
        return ""
    return re.split(r"^#+ .*$", above.source, flags=re.MULTILINE)[-1].strip()


def print_sheet(sheet: PrintedSheet, sandbox: Sandbox) -> bytes:
    """Typeset a sheet; an answer that crashes the typesetter is printed as its source.

    Raises:
        UserError: even that fails.

    """
    try:
        return typeset(sheet, sandbox, ())
    except RunEnded:
        bad = [a.question for a in sheet.answers if not _survives(sheet, a, sandbox)]
    try:
        return typeset(sheet, sandbox, bad or [answer.question for answer in sheet.answers])
    except RunEnded as error:
        raise UserError(
            f"{sheet.student}: its answers cannot be printed ({error}); open the notebook itself"
        ) from error


def _survives(sheet: PrintedSheet, answer: PrintedAnswer, sandbox: Sandbox) -> bool:
    try:
        typeset(PrintedSheet(sheet.title, sheet.student, (answer,)), sandbox, ())
    except RunEnded:
        return False
    return True


def typeset(sheet: PrintedSheet, sandbox: Sandbox, as_source: Collection[str]) -> bytes:
    """Typeset a sheet in the sandbox, some answers as their source; raise RunEnded on failure."""
    job = {
        "sheet": asdict(sheet),
        "as_source": list(as_source),
        "seconds": 2 * SECONDS,  # processor seconds; it may use several processors
        "memory_bytes": _MEMORY,
    }
    return _reply(job, sandbox, SECONDS, MAX_PDF)


def together(title: str, printed: Sequence[tuple[str, bytes]], sandbox: Sandbox) -> bytes:
    """Return one PDF made from many, with an index if it has a title; raise UserError on failure."""
    job = {
        "title": title,
        "together": [(who, base64.b64encode(pdf).decode()) for who, pdf in printed],
        "seconds": 2 * (SECONDS + len(printed)),
        "memory_bytes": _MEMORY,
    }
    try:
        return _reply(job, sandbox, SECONDS + len(printed), MAX_PDF * len(printed))
    except RunEnded as error:
        raise UserError(
            f"one PDF of all submissions cannot be made ({error}); make separate ones"
        ) from error


def filled(template: str, parts: Sequence[Any], pages: int, sandbox: Sandbox) -> bytes:
    """Return one PDF of our own template, filled once per part; raise UserError on failure.

    A page takes ten megabytes during typesetting, so a large class needs several parts.
    """
    limits = {"seconds": 2 * (SECONDS + pages), "memory_bytes": _MEMORY}
    jobs = ({"template": template, "data": data, **limits} for data in parts)
    try:
        made = [_reply(job, sandbox, SECONDS + pages, MAX_PDF) for job in jobs]
    except RunEnded as error:
        raise UserError(f"the PDF cannot be made ({error}); the pages exist as HTML") from error
    return made[0] if len(made) == 1 else together("", [("", one) for one in made], sandbox)


def _reply(job: Mapping[str, Any], sandbox: Sandbox, seconds: float, limit: int) -> bytes:
    with sandbox.run(job) as run:
        reply = run.receive(deadline=2 * seconds)
    try:
        pdf = base64.b64decode(reply["pdf"], validate=True)
    except (KeyError, TypeError, ValueError, binascii.Error) as error:
        raise RunEnded(why="the typesetter's reply has the wrong form") from error
    if not pdf.startswith(b"%PDF") or len(pdf) > limit:
        raise RunEnded(why=f"the output is not a PDF of at most {limit / 1e6:g} MB")
    return pdf


def complain_of(path: Path) -> None:
    """Raise UserError if a PDF cannot be written, or would replace something else."""
    try:
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise UserError(f"{one_line(path)}: not a regular file; choose a different one with -o")
        if path.is_file():
            with path.open("rb") as file:
                if file.read(4) != b"%PDF":
                    raise UserError(
                        f"{one_line(path)}: not a PDF, so it is kept; choose a different "
                        "one with -o"
                    )
    except OSError as error:
        raise UserError(_unwritable(path, error)) from error


def write(path: Path, pdf: bytes) -> None:
    """Write a PDF completely or not at all; raise UserError if that is impossible."""
    complain_of(path)
    try:
        # The name is unpredictable: if somebody had prepared a link with it, writing would follow
        # it.
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as temporary:  # mode 0600
            temporary.write(pdf)
        Path(temporary.name).replace(path)
    except OSError as error:
        raise UserError(_unwritable(path, error)) from error


def _unwritable(path: Path, error: OSError) -> str:
    return (
        f"{one_line(path)}: it cannot be written ({error.strerror}); choose a different one with -o"
    )
