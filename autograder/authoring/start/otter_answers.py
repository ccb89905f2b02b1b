"""An answer of otter's -> the same with its solution in nbgrader's marks."""

import re
from collections.abc import Iterator
from typing import Literal

from autograder.model import UserError

_BEGIN_SOLUTION = re.compile(r"\s*# BEGIN SOLUTION( NO PROMPT)?\s*$")
_MARKED = re.compile(r"(\s*)(.*?) ?# ?SOLUTION( NO PROMPT)?\s*$")
_ASSIGNED = re.compile(r"[\w.\[\]'\", ]+?=(?!=)")
Kind = Literal["given", "solution", "shown"]


def without_ignored(where: str, source: str) -> str:
    """Return a cell's text without the lines that otter leaves out of everything."""
    kept, inside = [], False
    for line in source.split("\n"):
        end = line.rstrip()
        if re.match(r"\s*#\s*BEGIN\s*IGNORE\s*$", line, flags=re.IGNORECASE):
            inside = True
        elif end.endswith("# END IGNORE"):
            if not inside:
                raise UserError(f"{where}: `# END IGNORE` without `# BEGIN IGNORE`")
            inside = False
        elif not inside and not end.endswith("# IGNORE"):
            kept.append(line)
    if inside:
        raise UserError(f"{where}: `# BEGIN IGNORE` without `# END IGNORE`")
    return "\n".join(kept)


def with_marks(where: str, source: str) -> str:
    """Return an answer with its solution in nbgrader's marks.

    What otter would show in a solution's place, such as `total = ...`, is a comment above it.
    """
    made: list[str] = []
    solution: list[str] = []

    def close() -> None:
        if solution:
            # The stub has the indentation of its first line, so the marks have it, too.
            indent = re.match(r"\s*", solution[0])
            space = indent[0] if indent else ""
            made.extend([f"{space}### BEGIN SOLUTION", *solution, f"{space}### END SOLUTION"])
            solution.clear()

    for kind, line in _lines(where, source):
        if kind == "solution":
            if solution and _indent(line) < _indent(solution[0]):
                close()
            solution.append(line)
        elif kind == "shown":
            if solution and _indent(line) != _indent(solution[0]):
                close()
            made.append(line)
        else:
            close()
            made.append(line)
    close()
    return "\n".join(made)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _lines(where: str, source: str) -> Iterator[tuple[Kind, str]]:
    """Yield each line that stays, and what it is."""
    region = ""
    for line in source.split("\n"):
        end = line.rstrip()
        if _BEGIN_SOLUTION.match(line):
            if region:
                raise UserError(f"{where}: `# BEGIN SOLUTION` inside another block")
            region = "SOLUTION"
        elif end.endswith("# BEGIN PROMPT"):
            region = "PROMPT"
        elif end.endswith(("# END SOLUTION", "# END PROMPT")):
            if not end.endswith(f"# END {region}") or not region:
                raise UserError(f"{where}: `{end.strip()}` has no beginning")
            region = ""
        elif region == "SOLUTION":
            yield "solution", line
        elif region == "PROMPT":
            yield "shown", f"{line[: _indent(line)]}# {line.lstrip()}".rstrip()
        elif marked := _MARKED.match(line):
            space, code, quiet = marked[1], marked[2], marked[3]
            if not quiet and (name := _ASSIGNED.match(code)):
                yield "shown", f"{space}# {name[0].rstrip()} ..."
            yield "solution", f"{space}{code}"
        else:
            yield "given", line
    if region:
        raise UserError(f"{where}: `# BEGIN {region}` without `# END {region}`")
