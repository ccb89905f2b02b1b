"""release/ -> a folder for students, with a page of due dates."""

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
"""Files of release/ that go out with every homework, if they exist."""
PAGE = "homeworks.md"


def publish(course: Path, settings: Course, names: Sequence[str], folder: Path) -> list[Path]:
    """Copy what students get to a folder outside the course, and nothing else.

    The page of dates also lists the homeworks that are already in the folder.
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


def left_over(
    course: Path, names: Sequence[str], folder: Path, *, site: bool = False
) -> list[Path]:
    """Return the published files, relative to the folder, that a homework's release does not have.

    A site also has pages and zips of its own.
    """
    found = list[Path]()
    for name in names:
        known = {Path(name, "index.html"), Path(name, f"{name}.zip")} if site else set[Path]()
        known |= {
            path.relative_to(course / "release")
            for path in release.files(course / "release" / name)
        }
        there = {path.relative_to(folder) for path in release.files(folder / name)}
        found += sorted(there - known)
    return found


def dates(settings: Course, homeworks: Sequence[Homework]) -> str:
    """Return Markdown: the homeworks and their dates."""
    known = [settings.homework.get(one.name) for one in homeworks]
    close = any(dates and dates.requests_until for dates in known)
    titles = ["Homework", "Due", "Late until", *["Requests until"] * close, "Points", "Notebook"]
    lines = [f"| {' | '.join(titles)} |", "|" + "---|" * len(titles)]
    for one, dates in zip(homeworks, known, strict=True):
        moments = [dates.due, dates.late_due, dates.requests_until] if dates else [None] * 3
        moments = moments if close else moments[:2]
        notebook = f"[{one.name}.ipynb]({one.name}/{one.name}.ipynb)"
        told = (date(settings, at) if at else "" for at in moments)
        most, extra = _points(one)
        ours = number(most) + (f", and {points(extra)} extra" if extra else "")
        lines.append(f"| {' | '.join((one.title, *told, ours, notebook))} |")
    lines.append("")
    if not any(one.name in settings.homework for one in homeworks):
        lines.append("The due dates are not set yet.")
    if close:
        lines.append("You can ask for a mark to be looked at again until the requests close.")
    if settings.homework:
        lines.append(f"Times are those of {settings.time_zone}.")
    lines.append(lateness.rule(settings))
    return "\n".join(lines) + "\n"


def _points(one: Homework) -> tuple[float, float]:
    extra = sum(question.points for question in one.questions if question.extra)
    return sum(question.points for question in one.questions) - extra, extra


def worth(one: Homework) -> str:
    """Return the points of a homework: "60 points, and 4 extra"."""
    most, extra = _points(one)
    return points(most) + (f", and {number(extra)} extra" if extra else "")


def date(settings: Course, moment: datetime) -> str:
    """Return a date of course.toml in readable form, in the course's time zone."""
    here = settings.moment(moment).astimezone(settings.zone)
    return f"{here:%A} {here.day} {here:%B %Y, %H:%M}"
