"""Jinja templates of the pages: all text is escaped, and invisible characters are removed."""

import jinja2
from markupsafe import Markup, escape

from autograder.records.codec import shown
from autograder.reports import style
from autograder.reports.feedback_text import prose


def environment(package: str, folder: str) -> jinja2.Environment:
    """Return the Jinja environment for the templates of a package's folder and of this folder."""
    made = jinja2.Environment(
        loader=jinja2.ChoiceLoader(
            [jinja2.PackageLoader(package, folder), jinja2.PackageLoader("autograder", "reports")]
        ),
        autoescape=True,
        finalize=_final,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["prose"] = prose
    made.filters["breakable"] = _breakable
    made.globals["page_style"] = Markup(style.page())
    return made


def _final(value: object) -> object:
    return shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _breakable(name: str) -> Markup:
    return Markup(str(escape(shown(name))).replace("_", "_<wbr>"))
