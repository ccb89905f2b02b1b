"""Grade and log -> report.html, the page that a student reads."""

import jinja2
from markupsafe import Markup

from autograder.codec import shown
from autograder.marking.mark import number, points
from autograder.model import Grade, SubmissionLog
from autograder.reports.words import prose


def _final(value: object) -> object:
    """Return a value as it goes onto the page: text without characters that nobody sees."""
    return shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value


_environment = jinja2.Environment(
    loader=jinja2.PackageLoader("autograder", "reports"),
    autoescape=True,
    finalize=_final,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


_environment.filters["prose"] = prose


def html(grade: Grade, log: SubmissionLog, *, title: str, course: str, explain: bool) -> str:
    """Return a self-contained page: no script, nothing loaded from elsewhere.

    Args:
        grade: The marks.
        log: Where they come from: remarks, repairs and failing cells.
        title: The homework's title.
        course: The course's title and term.
        explain: Whether to name the mistakes that answers fit; where to look is always said.
    """
    return _environment.get_template("report.html.jinja").render(
        title=title,
        course=course,
        grade=grade,
        log=log,
        explain=explain,
        points=points,
        number=number,
    )
