"""nbgrader's metadata and markers: a cell's kind, the lines removed from it, and what students see.

As in nbgrader, the words count anywhere in a line, and the whole line is the marker.
"""

import re
import urllib.parse
import zlib
from typing import Any

MARKER = re.compile(r"(BEGIN|END) (SOLUTION|HIDDEN TESTS|MARK SCHEME)")
_MISSPELT = re.compile(
    r"^[ \t]*#+[ \t]*(?P<edge>BEGIN|END)\W+(?P<kind>HID\w*\W*TEST\w*|MARK\w*\W*SCHEM\w*)\W*$",
    re.MULTILINE | re.IGNORECASE,
)


def parted(source: str, *, answer: bool) -> tuple[str, str]:
    """Return the parts that nbgrader removes from a cell, and the rest, with `pass` for a solution."""
    if answer and "BEGIN SOLUTION" not in source:
        return source, ""
    taken, left = list[str](), list[str]()
    within = set[str]()
    for line in source.split("\n"):
        marks = MARKER.findall(line)
        begun = {kind for edge, kind in marks if edge == "BEGIN"}
        within = (within | begun) - ({kind for _, kind in marks} - begun)
        if "SOLUTION" in begun:
            left.append(line[: len(line) - len(line.lstrip())] + "pass")
        if not marks:
            (taken if within else left).append(line)
    return "\n".join(taken), "\n".join(left)


def complaint(source: str) -> str:
    """Return why a cell's markers do not say what to remove, and the change to make; or ""."""
    for found in _MISSPELT.finditer(source):
        if not MARKER.search(found[0]):
            kind = "HIDDEN TESTS" if found["kind"].upper().startswith("H") else "MARK SCHEME"
            return (
                f"`{found[0].strip()}` is not a marker, so students would get what it hides; "
                f"write `### {found['edge'].upper()} {kind}`"
            )
    for kind in ("SOLUTION", "HIDDEN TESTS", "MARK SCHEME"):
        lines = source.splitlines()
        edges = [(f"BEGIN {kind}" in line, f"END {kind}" in line) for line in lines]
        edges = [edge for edge in edges if any(edge)]
        if edges != [(True, False), (False, True)] * (len(edges) // 2):
            return f"a `### BEGIN {kind}` and its `### END {kind}` do not match"
    return ""


def without_markers(source: str) -> str:
    """Return a cell with all that nbgrader removes, but without the markers around it."""
    return "\n".join(line for line in source.split("\n") if not MARKER.search(line))


def shows(source: str, attachment: str) -> bool:
    """Return whether a text shows one of its cell's attachments."""
    name = rf"attachment:{re.escape(attachment)}(?![\w.-])"
    return any(re.search(name, text) for text in (source, urllib.parse.unquote(source)))


def identifier(id: str) -> str:
    """Return a name in Python for a question, a different one for each id: the id itself if it is one."""
    plain = re.sub(r"\W", "_", id)
    number = f"_{zlib.crc32(id.encode()):x}" * (not id.isidentifier())
    return f"{'_' * plain[:1].isdigit()}{plain}{number}"


def metadata(
    id: str, *, grade: bool, solution: bool, points: float | None = None
) -> dict[str, Any]:
    """Return nbgrader's metadata for an answer, a test or a written answer."""
    return {
        "grade": grade,
        "grade_id": id,
        "locked": not solution,
        "schema_version": 3,
        "solution": solution,
        "task": False,
        **({} if points is None else {"points": points}),
    }
