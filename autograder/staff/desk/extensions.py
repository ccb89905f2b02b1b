"""Extensions: write them into course.toml, as people do, with who gave them and when."""

from datetime import datetime
from pathlib import Path

import tomlkit
from tomlkit.items import Table

from autograder.course import course
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.store import files


def give(root: Path, name: str, id: str, until: datetime, *, by: str, now: datetime) -> str:
    """Write a person's due date for a homework; return the earlier one, or "".

    Comments, order and spacing of course.toml stay as they are.

    Raises:
        UserError: the homework has no due date, or course.toml would not be valid.
    """
    path = root / course.FILE
    before = path.read_text(encoding="utf-8")
    document = tomlkit.parse(before)
    dates = document.get("homework", {}).get(name)
    if dates is None:
        raise UserError(
            f"{name} has no due date in {course.FILE}; write [homework.{name}] with `due` first"
        )
    extensions = dates.get("extensions")
    if not isinstance(extensions, Table):  # an inline table cannot have comments
        values = dict(extensions or {})
        dates.pop("extensions", None)
        extensions = tomlkit.table()
        extensions.update(values)
        dates["extensions"] = extensions
    had = extensions.get(id)
    extensions[id] = tomlkit.item(until.replace(tzinfo=None) if until.tzinfo is None else until)
    extensions[id].comment(f"{one_line(by)}, {now:%Y-%m-%d %H:%M}")
    files.write(path, tomlkit.dumps(document), lasting=True)
    try:
        course.read(root)
    except UserError:
        files.write(path, before, lasting=True)
        raise
    return str(had) if had is not None else ""
