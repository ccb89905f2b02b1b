"""The look of all pages: the design tokens, and the CSS that single-file pages share."""

import functools
import re
from importlib.resources import files

_COLOUR = re.compile(r"(--[\w-]+): light-dark\((#\w{6}), (#\w{6})\)")


@functools.cache
def tokens() -> str:
    """Return CSS that names type, spacing and colours, for light and dark screens and for print."""
    return _read("tokens.css")


@functools.cache
def page() -> str:
    """Return the CSS of a single-file page: the tokens, and its headings, tables and code."""
    return f"{tokens()}{_read('page.css')}"


def colours() -> dict[str, tuple[str, str]]:
    """Return each colour's name -> its values on a light and on a dark screen."""
    return {name: (light, dark) for name, light, dark in _COLOUR.findall(tokens())}


def paper() -> str:
    """Return the colours of a light screen as a typst dictionary."""
    names = (f'{name[2:]}: rgb("{light}")' for name, (light, _) in colours().items())
    return f"#let colours = ({', '.join(names)})\n"


def _read(name: str) -> str:
    return files("autograder.reports").joinpath(name).read_text(encoding="utf-8")
