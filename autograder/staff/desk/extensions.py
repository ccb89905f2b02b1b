"""Extensions: write them into course.toml as staff do by hand, with who gave them and when."""

from datetime import datetime
from pathlib import Path

import tomlkit
from tomlkit.items import Table

from autograder.course import course
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.store import files


def give(root: Path, name: str, id: str, until: datetime | None, *, by: str, now: datetime) -> str:
    """Write one person's due date for a homework; return the earlier one, or "".

    None takes the extension back. Comments, order and spacing of course.toml stay as they are, and
    the date has a comment that says who gave it and when.

    Raises:
        UserError: the homework has no due date, there is nothing to take back, or course.toml
            would not be valid.
    """
    path = root / course.FILE
    with files.locked(path):  # two people may give extensions at once
        settings, before = course.read(root), path.read_text(encoding="utf-8-sig")
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
        own = [key for key in extensions if settings.id_of(key) == settings.id_of(id)]
        had = str(extensions[own[-1]]) if own else ""
        for key in own:
            if until is None or key != id:
                del extensions[key]
        if until is not None:
            extensions[id] = tomlkit.item(until)
            extensions[id].comment(f"{one_line(by)}, {now:%Y-%m-%d %H:%M}")
        elif not own:
            raise UserError(f"{id} has no extension of {name}")
        if not extensions:
            del dates["extensions"]
        files.write(path, tomlkit.dumps(document), lasting=True)
        try:
            course.read(root)
        except UserError:
            files.write(path, before, lasting=True)
            raise
        return had
