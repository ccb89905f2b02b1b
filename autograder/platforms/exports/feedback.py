"""Pages and marks -> the zip of feedback files that a platform takes back, named as it wants them.

Moodle: `is_valid_filename_for_import` of mod/assign/feedback/file/importziplib.php: "Expected format
    for the directory names in $pathpart is fullname_userid_plugintype_pluginname"; it takes the id
    between the first underscores, which is the participant's number, and what follows the plugin
    as the file's name. The full name is not looked at, so none is written.
Canvas: `infer_comment_context_from_filename` of app/models/abstract_assignment.rb: the first two
    numbers between underscores are the person's and the upload's ("anon" and two words for a person who is
    anonymous), and the upload has to belong to that person's submission. The file is then shown
    under the name of that upload ("display_name: attachment.display_name"): feedback on a
    notebook is therefore a notebook.
nbgrader: `release_feedback` takes feedback/<student>/<assignment>/<notebook>.html, and reads beside it
    timestamp.txt and the submission_secret.txt that `nbgrader submit` made: the name of the page in
    the exchange follows from the secret, so that nobody else finds it.
"""

import io
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from autograder.course.course import Course
from autograder.marking.mark import number, points
from autograder.records import codec
from autograder.records.homework import Homework
from autograder.records.marks import Grade
from autograder.reports import sanitize
from autograder.reports.feedback_text import texts
from autograder.submission.archives import listing
from autograder.submission.opening import given
from autograder.submission.platforms import CANVAS
from autograder.submission.receipts import SECRET, TIMESTAMP

_WHEN = (1980, 1, 1, 0, 0, 0)  # the same bytes whenever they are written


def moodle(pages: Mapping[str, bytes]) -> bytes:
    """Return a zip of pages.

    Args:
        pages: Participant's number -> report.html.
    """
    return _zip({f"Participant_{n}_assignfeedback_file_report.html": p for n, p in pages.items()})


def canvas(notebooks: Mapping[str, str]) -> bytes:
    """Return a zip of notebooks.

    Args:
        notebooks: The start of a file's name, as `uploads` gives it -> the notebook.
    """
    return _zip({f"{start}_feedback.ipynb": text.encode() for start, text in notebooks.items()})


def nbgrader(homework: str, page: str, secret: str) -> dict[str, str]:
    """Return the files of feedback/<student>/<homework>/, by their names.

    Args:
        homework: The name of the assignment, and of its notebook.
        page: The student's page.
        secret: What `receipts.secret` read in the submission.
    """
    # nbgrader only prints the time; it has to be there.
    return {f"{homework}.html": page, SECRET: secret, TIMESTAMP: ""}


def uploads(submissions: Path) -> dict[str, str]:
    """Return what Canvas calls the newest notebook of each person that it exported.

    Args:
        submissions: The folder or zip that `Download Submissions` gave.

    Returns:
        Canvas's id of a person -> the start of the names of files about that upload.
    """
    newest: dict[str, tuple[int, str]] = {}
    for files in listing(given(submissions.resolve())).values():
        for file in files:
            match = CANVAS.fullmatch(file.name)
            if not match or not match["upload"] or not match["file"].lower().endswith(".ipynb"):
                continue
            who, upload = match["id"] or match["anonymous"], match["upload"]
            start = f"student_{who}_{upload}" if match["id"] else f"{who}_{upload}"
            newest[who] = max(newest.get(who, (0, "")), (int(upload), start))
    return {who: start for who, (_, start) in newest.items()}


def notebook(
    grade: Grade,
    homework: Homework,
    course: Course,
    *,
    explain: bool,
    comments: Mapping[str, str] | None = None,
) -> str:
    """Return a notebook that reads as report.html does: text alone, nothing runs.

    Args:
        grade: The marks, with those that people gave.
        homework: The one that was graded.
        course: Its title and term.
        explain: Whether to name the mistakes that answers fit.
        comments: Question, or nbgrader's name of another cell -> what a person wrote on it.
    """
    comments = comments or {}
    head = [
        f"# {inert_line(homework.title)}: feedback",
        f"{inert_line(course.title)}, {inert_line(course.term)}",
        f"**{number(grade.score)} of {points(grade.possible)}**",
        *(f"- {inert_line(remark)}" for remark in grade.remarks),
    ]
    cells = ["\n\n".join(head[:3]) + "\n\n" + "\n".join(head[3:])]
    for mark in grade.marks:
        worth = (
            f"{number(mark.earned)} of {points(mark.points)}"
            if mark.earned is not None
            else (f"open, {points(mark.points)}")
        )
        lines = [f"## `{mark.question}`: {worth}{' (extra credit)' if mark.extra else ''}"]
        lines += texts(mark, explain=explain)
        if said := comments.get(mark.question):
            lines.append(f"Comment: {said}")
        cells.append("\n\n".join([lines[0], *map(inert_text, lines[1:])]))
    if grade.penalty:
        cells.append(f"## Lateness: {number(-grade.penalty)}")
    questions = {mark.question for mark in grade.marks}
    cells += [
        inert_text(f"Comment: {said}") for id, said in comments.items() if id not in questions
    ]
    return as_notebook(cells)


def as_notebook(texts: Sequence[str]) -> str:
    """Return a notebook of Markdown cells."""
    nodes = [
        {"cell_type": "markdown", "id": f"feedback-{n}", "metadata": {}, "source": text}
        for n, text in enumerate(texts)
    ]
    whole = {"cells": nodes, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return codec.indented(whole) + "\n"


def inert_text(text: str) -> str:
    """Return text as Markdown that shows it line by line, and in which nothing is active."""
    return sanitize.markdown(codec.shown(text)).replace("\n", "  \n")


def inert_line(text: str) -> str:
    """Return the same as one line."""
    return inert_text(codec.one_line(text))


def _zip(files: Mapping[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(name, _WHEN), content, zipfile.ZIP_DEFLATED)
    return data.getvalue()
