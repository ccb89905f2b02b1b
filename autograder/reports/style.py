"""The look of all pages, for whoever makes one: the tokens, and what pages that are files share."""

import functools
import re
from importlib.resources import files

_COLOUR = re.compile(r"(--[\w-]+): light-dark\((#\w{6}), (#\w{6})\)")


@functools.cache
def tokens() -> str:
    """Return CSS that names type, spacing and colours, for light, dark and print."""
    return _read("tokens.css")


@functools.cache
def page() -> str:
    """Return the CSS of a page that is one file: the tokens, and its headings, tables and code."""
    return f"{tokens()}{_read('page.css')}"


def colours() -> dict[str, tuple[str, str]]:
    """Return each colour's name -> what it is on a light and on a dark screen."""
    return {name: (light, dark) for name, light, dark in _COLOUR.findall(tokens())}


def paper() -> str:
    """Return the colours as a dictionary of typst's, as they are on a light screen."""
    names = (f'{name[2:]}: rgb("{light}")' for name, (light, _) in colours().items())
    return f"#let colours = ({', '.join(names)})\n"


def _read(name: str) -> str:
    return files("autograder.reports").joinpath(name).read_text(encoding="utf-8")
