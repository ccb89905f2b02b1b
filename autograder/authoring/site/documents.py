"""The site's texts as Markdown: the syllabus, dates, rules, instructions, and each notebook."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

from autograder.authoring.site import calendar, publish
from autograder.course.course import Course
from autograder.marking import lateness
from autograder.marking.mark import number
from autograder.records.homework import Cell, Homework
from autograder.reports.templates import environment

LONG = 40
"""Code cells with more lines than this are folded."""
_TEXTS = environment("autograder.authoring.site", "texts")
_PARAGRAPH = r"^\*\*{}\.?\*\*\s+(.+?)(?=\n\n|\Z)"
_FIGURE = re.compile(r"!\[([^\]]*)\]\((figures/[^)\s]+)\)")
_EARLIER = re.compile(r"[Hh]omeworks? (\d+(?:(?:, | and |, and )\d+)*)")


@dataclass(frozen=True)
class Document:
    """A page before it becomes HTML, with its path; every page links to the listed ones."""

    path: Path
    title: str
    markdown: str
    listed: bool = True


@dataclass(frozen=True)
class Topic:
    """A homework's aims, plan and questions, read from its notebook; "" where it has none."""

    name: str
    title: str
    aim: str
    """Markdown: what a student can do afterwards."""
    before: str
    """Markdown: what a student should know."""
    minutes: int
    """The minutes for all questions; 0 if the notebook has no plan."""
    builds_on: tuple[str, ...]
    """The names of earlier homeworks that `before` mentions."""
    figure: str
    """The file of the first figure, in the homework's folder."""
    shown: str
    """A description of the figure."""


def topics(homeworks: Sequence[Homework]) -> list[Topic]:
    """Return the topics from the first texts of the notebooks.

    They come from the paragraphs **What you will be able to do** and **Before you begin.**, and the
    column *Minutes* of the table of questions. If the second mentions *homework 1*, the homework
    builds on that one.
    """
    numbers = {found[0]: one.name for one in homeworks if (found := re.findall(r"\d+", one.name))}
    found = []
    for one in homeworks:
        text = next((cell.source for cell in one.cells if cell.type == "markdown"), "")
        before = _paragraph(text, "Before you begin")
        mentioned = {key for part in _EARLIER.findall(before) for key in re.findall(r"\d+", part)}
        builds_on = tuple(
            numbers[key] for key in sorted(mentioned) if numbers.get(key, one.name) != one.name
        )
        aim = _paragraph(text, "What you will be able to do")
        first = _FIGURE.search(text)
        shown, figure = first.groups() if first else ("", "")
        minutes = _minutes(text)
        found.append(Topic(one.name, one.title, aim, before, minutes, builds_on, figure, shown))
    return found


def documents(settings: Course, homeworks: Sequence[Homework]) -> list[Document]:
    """Return all pages except the first, which has a picture."""
    words = {
        "settings": settings,
        "number": number,
        "homeworks": homeworks,
        "late": lateness.rule(settings),
    }
    dates = "# Calendar\n\n" + publish.dates(settings, homeworks)
    if calendar.dates(settings, homeworks):
        dates += f"\n[Add the dates to your own calendar]({calendar.NAME}).\n"
    pages = [Document(Path("calendar.html"), "Calendar", dates)]
    for name, title in (
        ("policy", "Grading"),
        ("set_up", "Set up"),
        ("submit", "Submit"),
        ("reports", "Read a report"),
    ):
        text = _TEXTS.get_template(f"{name}.md.jinja").render(words)
        pages.append(Document(Path(f"{name}.html"), title, text))
    return pages + [_notebook(one, settings.repository) for one in homeworks]


def _notebook(homework: Homework, repository: str) -> Document:
    file = f"{homework.name}.ipynb"
    links = [f"[Download the notebook]({file})"]
    if repository:
        address = f"https://colab.research.google.com/github/{repository}/blob/HEAD"
        links.append(f"[open it in Colab]({address}/{homework.name}/{file})")
    parts = [f"*{', or '.join(links)}. This page shows it; work in the notebook itself.*"]
    if beside := _beside(homework):
        needed = ", ".join(f"[{unquote(path)}]({path})" for path in beside)
        parts.append(
            f"*The notebook shows or reads other files. [Download all]({homework.name}.zip), or save each "
            f"in its folder beside the notebook: {needed}.*"
        )
    parts += [_cell(cell) for cell in homework.cells]
    return Document(
        Path(homework.name) / "index.html", homework.title, "\n\n".join(parts), listed=False
    )


def _beside(homework: Homework) -> list[str]:
    texts = [cell.source for cell in homework.cells if cell.type == "markdown"]
    figures = [path for _, path in _FIGURE.findall("\n".join(texts))]
    return [*dict.fromkeys(figures), *map(quote, homework.data)]


def _cell(cell: Cell) -> str:
    if cell.type == "markdown":
        return cell.source
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", cell.source))])
    code = f"{fence}python\n{cell.source}\n{fence}"
    if (lines := cell.source.count("\n") + 1) <= LONG:
        return code
    return f"<details><summary>Code of {lines} lines</summary>\n\n{code}\n\n</details>"


def _paragraph(text: str, words: str) -> str:
    found = re.search(_PARAGRAPH.format(re.escape(words)), text, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def _minutes(text: str) -> int:
    header = re.search(r"^\|.*\| *Minutes *\|.*\n((?:\|.*(?:\n|\Z))*)", text, re.MULTILINE)
    if not header:
        return 0
    titles, *rows = [
        [entry.strip() for entry in line.strip("|").split("|")] for line in header[0].splitlines()
    ]
    column = titles.index("Minutes")
    entries = [row[column] for row in rows if column < len(row)]
    return sum(int(entry) for entry in entries if re.fullmatch("[0-9]{1,4}", entry))
