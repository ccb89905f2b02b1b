"""release/ -> a folder for students, with a page that tells when each homework is due."""

import shutil
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from autograder.authoring import release
from autograder.course import homework, packages
from autograder.course.course import Course
from autograder.marking import lateness
from autograder.marking.mark import number, points
from autograder.records.errors import UserError
from autograder.records.homework import Homework

FOR_STUDENTS = ("requirements.txt", "environment.yml")
"""Files of release/ that go out with every homework, where they are there."""
PAGE = "homeworks.md"


def publish(course: Path, settings: Course, names: Sequence[str], folder: Path) -> list[Path]:
    """Copy what students get to a folder outside the course, and nothing else.

    The page on dates also has the homeworks that are in the folder already.
    """
    target = folder.resolve()
    repository = next((p for p in (course, *course.parents) if (p / ".git").exists()), course)
    if target == repository or repository in target.parents:
        raise UserError(
            f"{folder} is inside the repository, beside the solutions; "
            f"choose a folder outside {repository.name}/"
        )
    if target.exists() and not target.is_dir():
        raise UserError(f"{folder} is a file; name a folder")
    for name in names:
        if stale := release.stale_release(course, name):
            raise UserError(f"{stale}; run `autograder release {name}` first")
    origin = course / "release"
    copied = [path for name in names for path in release.files(origin / name)]
    copied += [origin / name for name in FOR_STUDENTS if (origin / name).is_file()]
    written = [target / path.relative_to(origin) for path in copied]
    for path, goal in zip(copied, written, strict=True):
        goal.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, goal)
    if settings.packages:
        needs = target / "requirements.txt"
        known = needs.read_text(encoding="utf-8") if needs in written else ""
        named = set(map(packages.name, filter(packages.is_one, known.splitlines())))
        more = [one for one in settings.packages if packages.name(one) not in named]
        needs.write_text(known + "".join(f"{line}\n" for line in more), encoding="utf-8")
        written += [needs] * (needs not in written)
    there = [name for name in homework.names(course) if (target / name).is_dir()]
    page = target / PAGE
    text = f"# {settings.title}, {settings.term}\n\n"
    text += dates(settings, [homework.load(course, name) for name in there])
    if (target / "requirements.txt").is_file():
        text += "Install what the notebooks need with `pip install -r requirements.txt`.\n"
    page.write_text(text, encoding="utf-8")
    return [*written, page]


def dates(settings: Course, homeworks: Sequence[Homework]) -> str:
    """Return Markdown: what there is to do, and until when."""
    lines = ["| Homework | Due | Late until | Points | Notebook |", "|---|---|---|---|---|"]
    for one in homeworks:
        dates = settings.homework.get(one.name)
        moments = (dates.due, dates.late_due) if dates else (None, None)
        notebook = f"[{one.name}.ipynb]({one.name}/{one.name}.ipynb)"
        worth = (one.title, *(_date(settings, at) for at in moments), _points(one), notebook)
        lines.append(f"| {' | '.join(worth)} |")
    lines.append("")
    if not any(one.name in settings.homework for one in homeworks):
        lines.append("The due dates are not set yet.")
    if settings.homework:
        lines.append(f"Times are those of {settings.time_zone}.")
    lines.append(lateness.rule(settings))
    return "\n".join(lines) + "\n"


def _points(one: Homework) -> str:
    extra = sum(question.points for question in one.questions if question.extra)
    most = sum(question.points for question in one.questions if not question.extra)
    return number(most) + (f", and {points(extra)} extra" if extra else "")


def _date(settings: Course, date: datetime | None) -> str:
    if date is None:
        return ""
    here = settings.moment(date).astimezone(settings.zone)
    return f"{here:%A} {here.day} {here:%B %Y, %H:%M}"
