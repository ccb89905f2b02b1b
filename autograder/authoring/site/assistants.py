"""The rules for AI assistants in a homework, in the files where assistants look for them."""

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from autograder.course.course import AiRule
from autograder.records.questions import Question
from autograder.reports.templates import environment

FILE = "AGENTS.md"
ALIASES = ("CLAUDE.md", "GEMINI.md")
"""File names that particular assistants read; each points to the first."""
_TEXTS = environment("autograder.authoring.site", "texts")


def files(rule: AiRule, title: str, questions: Sequence[Question]) -> dict[Path, bytes]:
    """Return the files that go beside a notebook; they name only things that students find in it."""
    code = {one.ask.objects[-1]: None for one in questions if one.ask and one.ask.objects}
    written = [one.id for one in questions if one.by_hand]
    text = _TEXTS.get_template("agents.md.jinja").render(
        rule=rule, title=Markup(title), code=_names(list(code)), written=_names(written)
    )
    pointers = {Path(name): f"@{FILE}\n".encode() for name in ALIASES}
    return {Path(FILE): (text.strip() + "\n").encode(), **pointers}


def _names(names: Sequence[str]) -> Markup:
    *most, last = [f"`{name}`" for name in names] or [""]
    return Markup(" or ".join([", ".join(most), last]) if most else last)
