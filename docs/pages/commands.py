"""docs/reference/commands.md: every verb with its arguments and options, in the words of its help.

python -m docs.pages.commands
"""

import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import typer

from autograder.cli.main import HELP, app, installed
from tests.helpers import ROOT

PAGE = ROOT / "docs" / "reference" / "commands.md"
HEAD = """\
# Commands

Every command works from any folder of a course; `--course DIR` names a different one. `make figures` writes this page from `autograder --help`.

The exit status is 0 if the work was done, whatever the scores; 2 if the command could not do all of its work, for example because of an argument or a single submission; 1 if the kit itself failed; 130 or 143 if the command was stopped. Messages go to stderr.
"""
EARLIER = """\
## Earlier names

These commands of version 1.0 still work, but are not in the help:

| Earlier | Now |
|---|---|
| `gradebook D` | `mark D --fill`; `mark D` fills the gradebook itself |
| `pack`, `simulate` | `gradescope pack`, `gradescope try` |
| `prove HW` | `check HW --large` |
| `publish` | `release --to DIR`, `release --site DIR` |
| `requests D CSV` | `explain D --requests CSV` |
| `watch HW FOLDER` | `grade HW FOLDER --watch` |
"""


def main() -> None:
    """Write the page, and what `autograder --help` prints without importing any verb."""
    HELP.write_text(sentences(), encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")


def sentences() -> str:
    """Return the first paragraph of each verb's help, by wing."""
    lines = ["# `python -m docs.pages.commands` writes this file from the verbs' own help."]
    for wing, load in installed().items():
        group: Any = typer.main.get_group(load())
        told = {name: verb.help for name, verb in group.commands.items() if not verb.hidden}
        lines += ["", f"[{wing}]"]
        lines += [f"{name} = {json.dumps(_first(text))}" for name, text in told.items()]
    return "\n".join(lines) + "\n"


def _first(text: str) -> str:
    return " ".join(inspect.cleandoc(text).split("\n\n")[0].split())


def page() -> str:
    """Return the page."""
    group: Any = typer.main.get_command(app)
    return "\n".join([HEAD, *_verbs(group, "autograder"), EARLIER]).rstrip() + "\n"


def _verbs(group: Any, before: str) -> Iterator[str]:
    """Yield the lines of each verb of a group, and of the groups in it."""
    for name, command in group.commands.items():
        if command.hidden:
            continue
        full = f"{before} {name}"
        if hasattr(command, "commands"):
            yield from _verbs(command, full)
            continue
        arguments = [one for one in command.params if one.param_type_name == "argument"]
        options = [one for one in command.params if one.param_type_name == "option"]
        usage = [_argument(one) for one in arguments]
        yield from (f"## {full}", "", _plain(inspect.cleandoc(command.help)), "")
        yield from ("```text", " ".join([full, *usage, "[OPTIONS]"]), "```", "")
        yield from ("| Argument or option | Value | Meaning |", "|---|---|---|")
        for one in arguments:
            yield _row(_argument(one), "", one)
        for one in options:
            yield _row(", ".join(sorted(one.opts, key=len, reverse=True)), _value(one), one)
        yield ""


def _argument(one: Any) -> str:
    """Return how an argument is written: in brackets where it may be left out."""
    name = one.metavar or one.name.upper()
    several = "..." if one.nargs != 1 and not name.endswith("...") else ""
    return f"{name}{several}" if one.required else f"[{name}{several}]"


def _value(one: Any) -> str:
    """Return what follows an option."""
    kind = one.type_descriptor.annotation
    if one.is_flag:
        return ""
    if get_origin(kind) is Literal:
        return "|".join(get_args(kind))
    return one.metavar or {int: "NUMBER", float: "NUMBER", Path: "PATH"}.get(kind, "TEXT")


def _plain(text: str) -> str:
    """Return Markdown in which nothing but code is marked: <name> is not a tag, and a star a star."""
    parts = text.split("`")
    parts[::2] = [part.replace("<", "&lt;").replace("*", "\\*") for part in parts[::2]]
    return "`".join(parts)


def _row(name: str, value: str, one: Any) -> str:
    """Return one line of the table; what a default is, where the help shows it."""
    text = _plain(" ".join((one.help or "").split()))
    if one.param_type_name == "option" and one.required:
        text += " Required."
    if getattr(one, "multiple", False) and "repeat" not in text:
        text += " May be given several times."
    if one.show_default and one.default not in (None, False, ""):
        text += f" Default: `{one.default}`."
    cells = (f"`{name}`", f"`{value}`" if value else "", text)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    main()
