"""Every number in a notebook's text is confirmed: by what a cell prints, by a calculation, by a source.

The lists are in `numbers/<homework>.toml`: a table for each Markdown cell, in it each number of its
text and where it comes from:

    cell ID, ID      one of these cells prints it (compared with the executed solution)
    code ID, ID      one of these cells has it in its code (a setting; compared)
    staff FILE       this file of staff/ has it (a limit of the grader; compared)
    is EXPRESSION    this calculation gives it, rounded as it is written (calculated). Not for a
                     number that a cell prints, and only from numbers that the notebook has, each
                     confirmed where it is: a run that changed would still be confirmed
    by hand: ...     it follows from the text as written here
    reference: ...   a source has it, and where
    ours: ...        we measured it, and where
    set: ...         the text sets it, in an example or as a wish

Points are compared with the notebook's without a list. Notation needs none: headings, names of
hints, parts and homeworks, code, addresses, and a single digit without a unit behind it.
"""

import json
import math
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from autograder.course import rubrics

ROOT = Path(__file__).parents[2]
HOMEWORKS = sorted(path.parent.name for path in (ROOT / "source").glob("*/*.ipynb"))
NUMBER = re.compile(
    r"(?<![A-Za-z\d.])"
    r"(?:(?:\d+ \\cdot )?10\^(?:\{-?\d+\}|\d)|(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e-?\d+)?)"
)
NOTATION = re.compile(
    r"(?s)```.*?```"  # code
    r"|`[^`]*`"
    r"|\]\([^)]*\)"  # addresses
    r"|(?m:^#+ [\d.]+)"
    r"|(?i:\bparts?|\bpart) [\d.]+\d"
)
UNIT = re.compile(r"\$? ?(?:%|times|points?\b|seconds?\b|minutes?\b|hours?\b|percent)")
POINTS = re.compile(
    r"\*\*\d(?:\.\d)?\*\*(?= for)"  # of a question marked by a person
    r"|\(\d+ (?:extra )?points?[,:)]"
    r"|(?m:\| [\d+ ]+(?: extra)? \| (?:machine|person) \|$)"
)
LITERAL = re.compile(r"(?<![A-Za-z_.\d])\d[\d_]*\.?\d*(?:e[+-]?\d+)?")
KINDS = ("cell", "code", "staff", "is", "by hand:", "reference:", "ours:", "set:")


def notebook(path: Path) -> dict[str, Any]:
    """Return a notebook's cells by their ids, each source joined."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return {cell["id"]: cell | {"source": "".join(cell["source"])} for cell in cells}


def numbers(text: str) -> list[str]:
    """Return the numbers of a Markdown text that need an origin, each once, in order."""
    text = text.replace("{,}", ",")
    text = POINTS.sub(" ", NOTATION.sub(" ", text))
    found = []
    for match in NUMBER.finditer(text):
        if len(match[0]) > 1 or UNIT.match(text, match.end()):
            found.append(match[0])
    return list(dict.fromkeys(found))


def printed(cell: dict[str, Any]) -> str:
    """Return what a cell printed, what is folded away included."""
    outputs = cell.get("outputs", [])
    texts = [one.get("text") or one.get("data", {}).get("text/plain", "") for one in outputs]
    return "\n".join(map("".join, texts))


def value(number: str) -> tuple[float, float]:
    """Return a written number's value, and how far off a number may be that is rounded to it."""
    plain = number.replace(",", "")
    power = re.fullmatch(r"(?:(\d+) \\cdot )?10\^\{?(-?\d+)\}?", plain)
    if power:
        plain = f"{power[1] or 1}e{power[2]}"
    digits, _, exponent = plain.partition("e")
    places = len(digits.partition(".")[2]) - int(exponent or 0)
    return float(plain), 0.5000001 * 10.0**-places


def has(text: str, number: str) -> bool:
    """Say whether a text has a number: as it is written, with more digits, or 0.97 for 97 %."""
    wanted, off = value(number)
    for plain in re.findall(r"\d[\d,_]*\.?\d*(?:e[+-]?\d+)?", text):
        there = float(re.sub("[,_]", "", plain))
        if abs(there - wanted) <= off or abs(100 * there - wanted) <= off:
            return True
    return False


def telling(number: str) -> bool:
    """Say whether a number has so many digits that it is hardly there by chance."""
    plain = re.sub(r"e.*|[,_]", "", number)
    digits = plain.replace(".", "") if "." in plain else plain.rstrip("0")
    return len(digits.lstrip("0")) >= 3


def complaint(number: str, origin: str, homework: str, cells: dict[str, Any]) -> str | None:
    """Return what is wrong with an origin, or None."""
    kind, _, rest = origin.partition(" ")
    names = [name.strip() for name in rest.split(",")]
    if kind in ("cell", "code"):
        unknown = [name for name in names if name not in cells]
        if unknown:
            return f"there is no cell {unknown[0]}"
        read = printed if kind == "cell" else lambda cell: cell["source"]
        if not any(has(read(cells[name]), number) for name in names):
            return f"{rest} does not have it"
    elif kind == "staff":
        file = ROOT / "source" / homework / "staff" / rest
        if not file.is_file() or not has(file.read_text(encoding="utf-8"), number):
            return f"{file.name} does not have it"
    elif kind == "is":
        by = [name for name, cell in cells.items() if has(printed(cell), number)]
        if telling(number) and by:
            return f"{by[0]} prints it: name the cell"
        everything = "\n".join(cell["source"] for cell in cells.values())
        for term in filter(telling, LITERAL.findall(rest)):
            if not has(everything, term):
                return f"{term} is in no text and no code: is it a run's?"
        calculated = eval(rest, {"__builtins__": {}}, vars(math))
        wanted, off = value(number)
        if abs(calculated - wanted) > off:
            return f"it is {calculated}"
    elif not origin.startswith(KINDS) or not rest.strip():
        return f"{origin!r} is no origin"
    return None


@pytest.mark.parametrize("homework", HOMEWORKS)
def test_each_number_is_confirmed(homework: str) -> None:
    listed = tomllib.loads((Path(__file__).parent / f"numbers/{homework}.toml").read_text("utf-8"))
    cells = notebook(ROOT / f"solutions/{homework}/{homework}.ipynb")
    source = notebook(ROOT / f"source/{homework}/{homework}.ipynb")
    wrong = []
    for name, cell in source.items():
        staff = cell["metadata"].get("autograder", {}).get("role") == "staff"
        if cell["cell_type"] != "markdown" or staff:
            continue
        there, origins = numbers(cell["source"]), listed.pop(name, {})
        wrong += [f"{name}: {n} is not confirmed" for n in there if n not in origins]
        wrong += [f"{name}: {n} is listed and not there" for n in origins if n not in there]
        for number, origin in origins.items():
            if number in there and (why := complaint(number, origin, homework, cells)):
                wrong.append(f"{name}: {number} ({origin}): {why}")
    wrong += [f"{name}: there is no such cell" for name in listed]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("homework", HOMEWORKS)
def test_a_rubric_s_answers_have_the_solution_s_numbers(homework: str) -> None:
    """Those with two or more decimals are in the sample, or printed by the cells of its list."""
    listed = tomllib.loads((Path(__file__).parent / f"numbers/{homework}.toml").read_text("utf-8"))
    cells = notebook(ROOT / f"solutions/{homework}/{homework}.ipynb")
    for name, rubric in rubrics.of(ROOT / "source" / homework / "staff").items():
        origins = [o[5:].split(",") for o in listed.get(name, {}).values() if o.startswith("cell ")]
        told = "\n".join(
            [printed(cells[id.strip()]) for ids in origins for id in ids]
            + [
                cell["source"]
                for cell in cells.values()
                if cell["metadata"].get("nbgrader", {}).get("grade_id") == name
            ]
        )
        answers = f"{rubric.full} {rubric.half} {rubric.sample}"
        wrong = [n for n in re.findall(r"\d+\.\d{2,}", answers) if not has(told, n)]
        assert not wrong, f"{name}: {wrong}"


@pytest.mark.parametrize("homework", HOMEWORKS)
def test_points_are_the_notebook_s(homework: str) -> None:
    cells = notebook(ROOT / f"source/{homework}/{homework}.ipynb")
    graded = [cell["metadata"].get("nbgrader", {}) for cell in cells.values()]
    points = {mine["grade_id"]: mine.get("points", 0) for mine in graded if mine.get("grade")}
    texts = [c["source"] for c in cells.values() if c["cell_type"] == "markdown"]
    told = 0
    for row in re.findall(
        r"(?m)^\|.*\| ((?:`\w+`(?:, )?)+) \| ([\d+ ]+)(?: extra)? \| \w+ \|$", texts[0]
    ):
        names, given = re.findall(r"`(\w+)`", row[0]), [int(n) for n in row[1].split("+")]
        assert [points.pop(name) for name in names] == given, row
        told += len(names)
    assert told
    assert not any(points.values()), f"the first cell does not name {list(points)}"
    everything = {mine["grade_id"]: mine.get("points", 0) for mine in graded if mine.get("grade")}
    for text in texts[1:]:
        for name, given in re.findall(r"`(\w+)`\*{0,2} \((\d+) (?:extra )?points?\b", text):
            assert everything[name] == int(given), f"{name} has {everything[name]} points"


def test_numbers_are_found_and_compared() -> None:
    text = "## 3. Of 1,777 in $2{,}822$, $x_1 = 0.5$, 74.0 % (8 points), 9 times, `seed=70`: **2** for."
    assert numbers(text) == ["1,777", "2,822", "0.5", "74.0", "9"]
    cells = {"a": {"outputs": [{"text": ["right 0.7396, 1777 of it"]}], "source": "N = 50"}}
    assert complaint("74.0", "cell a", "", cells) is None
    assert complaint("1,777", "cell a", "", cells) is None
    assert complaint("74.1", "cell a", "", cells) == "a does not have it"
    assert complaint("50", "code a", "", cells) is None
    assert complaint("0.5167", "is 31 / 60", "", cells) is None
    assert complaint("0.5168", "is 31 / 60", "", cells) is not None
    assert complaint("5", "somewhere", "", cells) == "'somewhere' is no origin"


def test_what_a_run_prints_is_not_confirmed_by_a_calculation() -> None:
    cells = {"a": {"outputs": [{"text": ["328 remembered, 16.4 times"]}], "source": "the 1,250"}}
    assert complaint("16.4", "cell a", "", cells) is None
    assert complaint("16.8", "cell a", "", cells) == "a does not have it"
    assert complaint("16.4", "is 82 / 5", "", cells) == "a prints it: name the cell"
    assert complaint("16.8", "is 336 / 20", "", cells) == (
        "336 is in no text and no code: is it a run's?"
    )
    assert complaint("6.25", "is 1_250 / 200", "", cells) is None
