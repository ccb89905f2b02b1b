"""How a page is made from its template: all text escaped, and none that nobody sees."""

import jinja2
from markupsafe import Markup, escape

from autograder.records.codec import shown
from autograder.reports.feedback_text import prose


def environment(package: str, folder: str) -> jinja2.Environment:
    """Return Jinja's environment for the templates of a package's folder."""
    made = jinja2.Environment(
        loader=jinja2.PackageLoader(package, folder),
        autoescape=True,
        finalize=_final,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["prose"] = prose
    made.filters["breakable"] = _breakable
    return made


def _final(value: object) -> object:
    return shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _breakable(name: str) -> Markup:
    return Markup(str(escape(shown(name))).replace("_", "_<wbr>"))
