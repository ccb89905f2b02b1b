"""Grade and log -> report.html, the page that a student reads."""

import re

import jinja2
from markupsafe import Markup, escape

from autograder.codec import shown
from autograder.model import Grade, SubmissionLog


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


def _prose(text: str) -> Markup:
    """Return escaped text with what stands between backticks set as code."""
    return Markup(re.sub(r"`([^`\n]+)`", r"<code>\1</code>", str(escape(shown(text)))))


_environment.filters["prose"] = _prose


def remarks(grade: Grade, log: SubmissionLog) -> tuple[str, ...]:
    """Return the sentences that stand above the marks, the most important first."""
    lines: list[str] = []
    if log.submission.kind == "log":
        lines.append(
            "This was graded from a submission_log.json without a notebook: the written answers are "
            f"not in this file, and {points(grade.waiting)} wait for them. Hand in the notebook."
        )
    elif grade.waiting:
        lines.append(f"{points(grade.waiting)} wait for a person to read the written answers.")
    return (*([grade.late] if grade.late else []), *lines, *log.remarks, *log.repairs)


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
        remarks=remarks(grade, log),
        explain=explain,
        points=points,
        number=number,
    )


def number(value: float) -> str:
    """Return points as a person writes them: 8, 6.5."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def points(value: float) -> str:
    """Return "1 point" or "6.5 points"."""
    return f"{number(value)} point{'' if value == 1 else 's'}"
