"""Documents -> HTML pages beside the notebooks, with formulas in MathML, searched for secrets."""

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from autograder.authoring.leaks.search import Secrets
from autograder.authoring.release import EXTRAS
from autograder.authoring.release import files as files_of
from autograder.authoring.site import calendar, documents, publish
from autograder.authoring.site.documents import Document, Topic
from autograder.course import homework
from autograder.course.course import Course
from autograder.records.errors import UserError
from autograder.records.homework import Homework
from autograder.reports import style
from autograder.reports.templates import environment
from autograder.staff.paper import markdown as texts
from autograder.staff.paper import typesetter
from autograder.store import files

STYLE = "style.css"
BOX_WIDTH, BOX_HEIGHT, ACROSS, DOWN = 104, 40, 116, 84
"""Pixels of the picture of homeworks that build on each other: three side by side fit a phone."""
_PAGES = environment("autograder.authoring.site", ".")


@dataclass(frozen=True)
class Box:
    """A homework in the picture: its place and its short name."""

    x: int
    y: int
    label: str


def require_extra() -> None:
    """Raise UserError if the packages that a site needs are missing."""
    if missing := typesetter.missing("icalendar"):
        raise UserError(
            f"{' and '.join(missing)} missing: the site needs the extra `pdf` "
            "(pip install 'attention-homework-kit[pdf]')"
        )


def write(course: Path, settings: Course, names: Sequence[str], folder: Path) -> list[Path]:
    """Write the students' files and pages about them to a folder outside the course."""
    require_extra()
    there = [one for one in homework.names(course) if one in names or (folder / one).is_dir()]
    homeworks = [homework.load(course, one) for one in there]
    pages = _pages(settings, homeworks, sorted((course / EXTRAS).glob("*.html")))
    for one in homeworks:
        # A page may show the code that its own homework's release provides.
        others = {Path(other.name) for other in homeworks} - {Path(one.name)}
        own = {path: data for path, data in pages.items() if path.parent not in others}
        for leak in Secrets.of(course, one).leaks_in_files(own)[:1]:
            raise UserError(
                "the site would give away a secret, so nothing was written: "
                f"{leak.place}: {leak.what}"
            )
    written = publish.publish(course, settings, names, folder)
    written += [_zipped(folder / name, course / "release" / name) for name in names]
    for path, data in pages.items():
        files.write(folder / path, data.decode())
        written.append(folder / path)
    return written


def _zipped(folder: Path, given: Path) -> Path:
    """Zip a homework's release into its folder, always with the same bytes; return the path."""
    goal = folder / f"{folder.name}.zip"
    with zipfile.ZipFile(goal, "w", zipfile.ZIP_DEFLATED) as zipped:
        for path in files_of(given):
            entry = zipfile.ZipInfo(str(path.relative_to(given.parent)))
            entry.compress_type = zipfile.ZIP_DEFLATED
            zipped.writestr(entry, path.read_bytes())
    return goal


def _pages(
    settings: Course, homeworks: Sequence[Homework], extras: Sequence[Path]
) -> dict[Path, bytes]:
    topics = documents.topics(homeworks)
    whole = documents.documents(settings, homeworks)
    first = Document(Path("index.html"), "Homeworks", "")
    own = [Document(Path(one.name), one.stem.replace("_", " ").capitalize(), "") for one in extras]
    listed = [*(one for one in (first, *whole) if one.listed), *own]
    about = {one.name: Markup(render_html(_about(one))) for one in topics}
    facts = {
        one.name: _facts(settings, one, topic) for one, topic in zip(homeworks, topics, strict=True)
    }
    body = _PAGES.get_template("index.html.jinja").render(
        settings=settings, topics=topics, texts=about, facts=facts, **picture(topics)
    )
    page, pages = _PAGES.get_template("page.html.jinja"), dict[Path, bytes]()
    for one in (first, *whole):
        text = page.render(
            settings=settings,
            title=settings.title if one is first else one.title,
            pages=listed,
            here=one.path,
            up="../" * (len(one.path.parts) - 1),
            body=Markup(body if one is first else render_html(one.markdown)),
        )
        pages[one.path] = text.encode()
    if dated := calendar.dates(settings, homeworks):
        pages[Path(calendar.NAME)] = dated
    own_style = Path(__file__).with_name(STYLE).read_bytes()
    pages[Path(STYLE)] = style.page().encode() + own_style
    for path in extras:
        if Path(path.name) in pages:
            raise UserError(
                f"{EXTRAS}/{path.name}: the site already has a page of this name; rename yours"
            )
        pages[Path(path.name)] = path.read_bytes()
    return pages


def _about(topic: Topic) -> str:
    before = f"**Before you begin.** {topic.before}" if topic.before else ""
    return "\n\n".join(filter(None, (topic.aim, before)))


def _facts(settings: Course, one: Homework, topic: Topic) -> str:
    """Return a line such as "About 3 hours · 60 points, and 4 points extra · due Monday ..."."""
    hours = round(topic.minutes / 30) / 2
    time = f"About {hours:g} {'hour' if hours <= 1 else 'hours'}" if topic.minutes else ""
    dates = settings.homework.get(one.name)
    due = f"due {publish.date(settings, dates.due)}" if dates and dates.due else ""
    return " · ".join(filter(None, (time, publish.worth(one), due)))


def render_html(markdown: str) -> str:
    """Return Markdown as HTML; raise UserError if pandoc cannot read it."""
    try:
        written = texts.pandoc(
            markdown,
            *("-f", "gfm+tex_math_dollars-emoji", "-t", "html", "--mathml", "--wrap=preserve"),
            *("--columns=100000", "--syntax-highlighting=none"),
        )
    except texts.NotRead as error:
        raise UserError(f"pandoc cannot read a text of the site: {markdown[:60]!r}") from error
    # Code and tables wider than the page can also be scrolled by keyboard.
    written = written.replace("<pre", '<pre tabindex="0"')
    written = written.replace("<table", '<div class="wide" tabindex="0"><table')
    return written.replace("</table>", "</table></div>")


def picture(topics: Sequence[Topic]) -> dict[str, object]:
    """Return boxes, arrows from each homework to those that build on it, and both in words.

    A homework is below all those that it builds on. The words name them all; the picture leaves out
    an arrow that two others imply, since it would cross a box.
    """
    rows: dict[str, int] = {}
    earlier: dict[str, set[str]] = {}
    boxes: dict[str, Box] = {}
    for topic in topics:
        known = [one for one in topic.builds_on if one in rows]
        column_of = list(rows.values()).count
        row = rows[topic.name] = 1 + max((rows[one] for one in known), default=-1)
        earlier[topic.name] = {*known, *(far for one in known for far in earlier[one])}
        x, y = 2 + ACROSS * column_of(row), 2 + DOWN * row
        boxes[topic.name] = Box(x, y, _short(topic))
    arrows = [
        (start.x + BOX_WIDTH // 2, start.y + BOX_HEIGHT, end.x + BOX_WIDTH // 2, end.y)
        for topic in topics
        for start, end in (
            (boxes[one], boxes[topic.name])
            for one in topic.builds_on
            if not any(one in earlier[other] for other in topic.builds_on)
        )
    ]
    said = [
        f"{' and '.join(boxes[one].label for one in topic.builds_on)} "
        f"help{'s' * (len(topic.builds_on) == 1)} with {_short(topic)}."
        for topic in topics
        if topic.builds_on
    ]
    return {
        "boxes": list(boxes.values()),
        "arrows": arrows,
        "spoken": " ".join(said),
        "box_width": BOX_WIDTH,
        "box_height": BOX_HEIGHT,
        "width": 2 + max((box.x for box in boxes.values()), default=0) + BOX_WIDTH,
        "height": 2 + max((box.y for box in boxes.values()), default=0) + BOX_HEIGHT,
    }


def _short(topic: Topic) -> str:
    begins = topic.title.split(":")[0]
    return begins if len(begins) <= 16 else topic.name.split("_")[0]
