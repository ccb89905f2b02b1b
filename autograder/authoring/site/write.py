"""Documents -> pages of HTML with formulas in MathML, looked through for secrets, beside the notebooks."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from autograder.authoring.leaks.search import Secrets
from autograder.authoring.site import documents, publish
from autograder.authoring.site.documents import Document, Topic
from autograder.course import homework
from autograder.course.course import Course
from autograder.records.errors import UserError
from autograder.records.homework import Homework
from autograder.reports.templates import environment
from autograder.staff.paper import markdown as texts
from autograder.staff.paper import typesetter
from autograder.store import files

STYLE = "style.css"
BOX_WIDTH, BOX_HEIGHT, ACROSS, DOWN = 130, 40, 190, 60
"""Of the picture of what builds on what, in pixels."""
_PAGES = environment("autograder.authoring.site", ".")


@dataclass(frozen=True)
class Box:
    """A homework in the picture: where, and its short name."""

    x: int
    y: int
    label: str


def write(course: Path, settings: Course, names: Sequence[str], folder: Path) -> list[Path]:
    """Write what students get and pages about it to a folder outside the course."""
    if missing := typesetter.missing():
        raise UserError(
            f"{' and '.join(missing)} missing: the site needs the extra `pdf` "
            "(pip install 'attention-homework-kit[pdf]')"
        )
    there = [one for one in homework.names(course) if one in names or (folder / one).is_dir()]
    homeworks = [homework.load(course, one) for one in there]
    pages = _pages(settings, homeworks)
    for one in homeworks:
        # A page on another homework has its own provided code, which that one's release may show.
        others = {Path(other.name) for other in homeworks} - {Path(one.name)}
        own = {path: data for path, data in pages.items() if path.parent not in others}
        for leak in Secrets.of(course, one).leaks_in_files(own)[:1]:
            raise UserError(
                "the site would give something away, so nothing was written: "
                f"{leak.place}: {leak.what}"
            )
    written = publish.publish(course, settings, names, folder)
    for path, data in pages.items():
        files.write(folder / path, data.decode())
        written.append(folder / path)
    return written


def _pages(settings: Course, homeworks: Sequence[Homework]) -> dict[Path, bytes]:
    topics = documents.topics(homeworks)
    whole = documents.documents(settings, homeworks)
    first = Document(Path("index.html"), "Homeworks", "")
    listed = [one for one in (first, *whole) if one.listed]
    about = {one.name: Markup(render_html(_about(one))) for one in topics}
    body = _PAGES.get_template("index.html.jinja").render(
        settings=settings, topics=topics, texts=about, **picture(topics)
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
    return {**pages, Path(STYLE): Path(__file__).with_name(STYLE).read_bytes()}


def _about(topic: Topic) -> str:
    time = f"{topic.minutes} minutes, by the plan of its questions." if topic.minutes else ""
    parts = {"Before you begin": topic.before, "Time": time}
    return "\n\n".join(
        [topic.aim, *(f"**{words}.** {said}" for words, said in parts.items() if said)]
    )


def render_html(markdown: str) -> str:
    """Return Markdown as HTML; UserError where pandoc cannot read it."""
    try:
        written = texts.pandoc(
            markdown,
            *("-f", "gfm+tex_math_dollars-emoji", "-t", "html", "--mathml", "--wrap=preserve"),
            *("--columns=100000", "--syntax-highlighting=none"),
        )
    except texts.NotRead as error:
        raise UserError(f"pandoc cannot read a text of the site: {markdown[:60]!r}") from error
    # Code and tables that are wider than a page are moved by keys, too.
    written = written.replace("<pre", '<pre tabindex="0"')
    written = written.replace("<table", '<div class="wide" tabindex="0"><table')
    return written.replace("</table>", "</table></div>")


def picture(topics: Sequence[Topic]) -> dict[str, object]:
    """Return boxes and arrows from each homework to those that build on it, and the same in words.

    A homework is to the right of all that it builds on. The words name all of these; an arrow to
    it that follows from two others is left out, since it would run through a box.
    """
    columns: dict[str, int] = {}
    earlier: dict[str, set[str]] = {}
    boxes: dict[str, Box] = {}
    for topic in topics:
        known = [one for one in topic.builds_on if one in columns]
        row_of = list(columns.values()).count
        column = columns[topic.name] = 1 + max((columns[one] for one in known), default=-1)
        earlier[topic.name] = {*known, *(far for one in known for far in earlier[one])}
        x, y = 10 + ACROSS * column, 10 + DOWN * row_of(column)
        boxes[topic.name] = Box(x, y, _short(topic))
    arrows = [
        (start.x + BOX_WIDTH, start.y + BOX_HEIGHT // 2, end.x, end.y + BOX_HEIGHT // 2)
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
        "width": 10 + max((box.x for box in boxes.values()), default=10) + BOX_WIDTH,
        "height": 10 + max((box.y for box in boxes.values()), default=10) + BOX_HEIGHT,
    }


def _short(topic: Topic) -> str:
    begins = topic.title.split(":")[0]
    return begins if len(begins) <= 16 else topic.name.split("_")[0]
