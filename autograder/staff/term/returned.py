"""Pages of a term -> the files that each platform accepts, so that students get their own page."""

from collections.abc import Mapping
from pathlib import Path

from autograder.course.people import People
from autograder.platforms import canvas, csv_table, fill, moodle
from autograder.submission import ids


def for_moodle(
    worksheet: Path, column: str, pages: Mapping[str, str], people: People
) -> tuple[bytes, list[str]]:
    """Return the zip of feedback files for an assignment in Moodle, and the ids without a line.

    Raises:
        UserError: it is not such a worksheet, it has two lines for somebody, or none for anybody.

    """
    table = csv_table.read(worksheet)
    columns = moodle.columns(table, column=column)
    lacking = fill.without_line(table, columns, list(pages), people)
    if len(lacking) == len(pages):
        lacking = []  # not their worksheet
    found = [id for id in pages if id not in lacking]
    lines = fill.whose(table, columns, found, people)
    numbers = {id: csv_table.last_number(table.cell(lines[id], 0)) for id in found}
    return moodle.feedback({numbers[id]: pages[id].encode() for id in found}), lacking


def for_canvas(
    submissions: Path, people_list: Path | None, notebooks: Mapping[str, str], people: People
) -> tuple[bytes, list[str]]:
    """Return the zip of feedback on an assignment in Canvas, and the ids without a file in it.

    Raises:
        UserError: a file is unreadable, or the list lacks these people.

    """
    starts = canvas.uploads(submissions)
    owners = {who: people.id_of(who) for who in starts}
    if people_list:  # a number that it lacks may be somebody else's id in roster.csv
        owners = {who: one.id for who, one in ids.read(people_list, starts, people).items()}
    files = {id: starts[who] for who, id in owners.items()}
    found = {files[id]: text for id, text in notebooks.items() if id in files}
    return canvas.feedback(found), [id for id in notebooks if id not in files]
