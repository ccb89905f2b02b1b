"""An otter answer -> the same with its solution in nbgrader's marks."""

import ast
import re
from collections.abc import Iterator
from typing import Literal

from autograder.course.cells import first_line, mistake, parsed
from autograder.records.errors import UserError

_BEGIN_SOLUTION = re.compile(r"\s*# BEGIN SOLUTION( NO PROMPT)?\s*$")
_MARK = re.compile(r"[ \t]*#[ ]?(?:(?P<loud>SOLUTION(?! NO PROMPT))|SOLUTION|SEED[ \t]*$).*")
_ASSIGNED = re.compile(r"[\w.\[\]'\", ]+?=(?!=)")
Kind = Literal["given", "solution", "shown"]


def without_ignored(where: str, source: str) -> str:
    """Return a cell's text without the lines that otter ignores."""
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

    The placeholder that otter would show, such as `total = ...`, becomes a comment above it.
    """
    made: list[str] = []
    solution: list[str] = []

    def close() -> None:
        if solution:
            # The stub takes the indentation of its first line, so the marks need the same.
            space = " " * _indent(solution[0])
            made.extend([f"{space}### BEGIN SOLUTION", *solution, f"{space}### END SOLUTION"])
            solution.clear()

    for kind, text in _parts(where, source):
        if (
            kind == "given"
            or (kind == "shown" and solution and _indent(text) != _indent(solution[0]))
            or (kind == "solution" and solution and _indent(text) < _indent(solution[0]))
        ):
            close()
        (solution if kind == "solution" else made).append(text)
    close()
    return "\n".join(made)


def _indent(text: str) -> int:
    first = next((line for line in text.split("\n") if line.strip()), "")
    return len(first) - len(first.lstrip())


def _parts(where: str, source: str) -> Iterator[tuple[Kind, str]]:
    """Yield each kept line with its kind; a marked statement or a region is one text."""
    lines = source.split("\n")
    marked = _marked(where, source)
    region, begun, last = "", 0, -1
    for number, line in enumerate(lines):
        end = line.rstrip()
        if number <= last:
            continue
        if _BEGIN_SOLUTION.match(line):
            if region:
                raise UserError(f"{where}: `# BEGIN SOLUTION` inside another block")
            region, begun = "SOLUTION", number + 1
        elif end.endswith("# BEGIN PROMPT"):
            region = "PROMPT"
        elif end.endswith(("# END SOLUTION", "# END PROMPT")):
            if not end.endswith(f"# END {region}") or not region:
                raise UserError(f"{where}: `{end.strip()}` has no beginning")
            if region == "SOLUTION" and begun < number:
                yield "solution", "\n".join(lines[begun:number])
            region = ""
        elif region == "PROMPT":
            yield "shown", f"{line[: _indent(line)]}# {line.lstrip('# ')}".rstrip()
        elif not region and number in marked:
            last = marked[number]
            text = lines[number : last + 1]
            quiet = any((mark := _MARK.search(one)) and not mark["loud"] for one in text)
            if not quiet and (name := _ASSIGNED.match(line.lstrip())):
                yield "shown", f"{line[: _indent(line)]}# {name[0].rstrip()} ..."
            yield "solution", "\n".join(_MARK.sub("", one) for one in text)
        elif not region:
            yield "given", line
    if region:
        raise UserError(f"{where}: `# BEGIN {region}` without `# END {region}`")


def _marked(where: str, source: str) -> dict[int, int]:
    """Return the first and last line of each marked statement, counted from 0.

    Otter replaces only the marked line, and students get the others; here the whole statement is a
    solution.
    """
    marks = [n for n, line in enumerate(source.split("\n")) if _MARK.search(line)]
    if not marks:
        return {}
    tree = parsed(source)
    if tree is None:
        why = mistake(source) or "it is too long"
        raise UserError(f"{where} has a `# SOLUTION`, but Python cannot read it ({why})")
    found = {number: number for number in marks}
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt):
            continue
        first = first_line(node) - 1
        last = (node.end_lineno or node.lineno) - 1
        body = getattr(node, "body", None)
        head = max(first, body[0].lineno - 2) if body else last
        if any(first <= number <= head for number in marks):
            found[first] = max(last, found.get(first, first))
    return found
