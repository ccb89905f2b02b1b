"""A leak's line shows place and content: a line to paste into `allowed_leaks`, or the numbers."""

import json
from pathlib import Path

import numpy as np
import pytest

from autograder.authoring import release
from autograder.authoring.contract.release_gate import leak_lines
from autograder.authoring.leaks import contents
from autograder.authoring.leaks.search import Leak, Secrets
from autograder.course import homework
from autograder.kit import Homework
from autograder.records.facts import Outcome, SubmissionLog
from tests.helpers import ANYONE, write_as_text

TEXT = """# %% text
# # Title
#
# HINT

# %% provided
import unicodedata

import numpy as np

# %% answer bare
def bare(text):
    ### BEGIN SOLUTION
    LINE
    return result
    ### END SOLUTION

# %% check bare 4
"""
SPEC = """from autograder.kit import Exact, Homework, Question

HOMEWORK = Homework(
    questions=[Question("bare", Exact(lambda text: text), lambda rng: [{"text": "a"}], shown=[{"text": "b"}])]
)
"""


def leaks(
    root: Path, line: str, hint: str, gives: dict[str, str], *logs: SubmissionLog
) -> list[str]:
    """Return the lines on leaks in a homework's release."""
    text = write_as_text(root, TEXT.replace("LINE", line).replace("HINT", hint), SPEC)
    release.refresh(root, "hw")
    homework.load(root, "hw")
    secrets = Secrets.of(root, Homework(name="hw", allowed_leaks=gives), logs)
    return list(leak_lines(text, secrets.leaks_in_files(release.release_files(root, "hw"))))


@pytest.mark.parametrize(
    "line",
    [
        'result = unicodedata.normalize("NFD", text)',
        "result = [as_plain(part) for part in text]",
        'result = sum(character == "a" for character in text) + len(text)',
        "result = (text - text.mean()) / np.sqrt(text.var())",
        'result = f"{text} has {len(text)} axes, and should have {text}."',
    ],
)
def test_the_kits_own_cells_give_nothing_away(tmp_path: Path, line: str) -> None:
    """They are the same in every notebook, whatever a solution shares with them."""
    assert leaks(tmp_path, line, "Go on.", {}) == []


@pytest.mark.parametrize(
    ("line", "hint", "quoted"),
    [
        ('result = unicodedata.normalize("NFD", text)', 'x = unicodedata.normalize("NFKC", name)', ""),
        ("result = [part * 2 for part in text if part]", "Try `A = [b *  2 for b in C if b]` once", "A = [b * 2 for b in C if b]"),
        ("result = text.rolling(3, min_periods=2).mean()", "q = z.rolling(3, min_periods=2).mean()", ""),
    ],
)  # fmt: skip
def test_the_line_that_is_printed_can_be_pasted(
    tmp_path: Path, line: str, hint: str, quoted: str
) -> None:
    """It comes from the release; with it in `allowed_leaks`, no leak is left."""
    (said,) = leaks(tmp_path / "a", line, hint, {})
    place, printed = said.split(": `")
    printed = printed.rstrip("`")
    assert place.startswith("hw.py: the cell 'text_1' from line 1 on: ")
    assert "of the answer 'bare_answer', with other names" in place
    assert printed.startswith(quoted or hint)
    assert leaks(tmp_path / "b", line, hint, {printed: "an idiom"}) == []


def test_numbers_are_printed_and_their_cell_is_named(tmp_path: Path) -> None:
    """The line has its id, which `allowed_leaks` accepts."""
    log = SubmissionLog(
        "hw",
        ANYONE,
        outcomes=(
            Outcome("bare", 0, "returned", {"the result": np.array([2024.0, 1999.0, 31.5])}),
        ),
    )
    line, hint = "result = text", "As in 2024, 1999 and 31.5."
    (said,) = leaks(tmp_path / "a", line, hint, {}, log)
    assert said == (
        "hw.py: the cell 'text_1' from line 1 on: 3 numbers in a row of the value of 'bare' (the "
        "result): 2024, 1999, 31.5"
    )
    assert leaks(tmp_path / "b", line, hint, {"text_1": "forms of dates"}, log) == []


def test_a_cell_that_is_not_the_kits_is_searched(tmp_path: Path) -> None:
    """An id alone hides nothing."""
    line = 'result = unicodedata.normalize("NFD", text)'
    assert leaks(tmp_path, line, "Go on.", {}) == []
    secrets = Secrets.of(tmp_path, Homework(name="hw"))
    cell = {"cell_type": "code", "id": "data_tool", "source": line, "metadata": {}, "outputs": []}
    found = secrets.leaks_in_files(
        {Path("hw.ipynb"): json.dumps({"cells": [cell], "nbformat": 4}).encode()}
    )
    assert found[0] == Leak(
        "release/hw/hw.ipynb, cell 'data_tool', source",
        f"a line of the answer 'bare_answer': `{line}`",
    )


@pytest.mark.parametrize(
    ("file", "data", "said"),
    [
        (
            "data/latin.csv",
            "Käse,1".encode("latin-1"),
            "it cannot be searched: it is not UTF-8 text",
        ),
        ("data/scan.pdf", b"%PDF-1.4\x00", "it cannot be searched (ValueError)"),
    ],
)
def test_a_file_that_cannot_be_searched_is_allowed_by_its_path(
    tmp_path: Path, file: str, data: bytes, said: str
) -> None:
    """Data may have any form."""
    write_as_text(tmp_path, TEXT, SPEC)
    release.refresh(tmp_path, "hw")
    for allowed, wanted in (({}, [f"release/hw/{file}"]), ({file: "public data"}, [])):
        secrets = Secrets.of(tmp_path, Homework(name="hw", allowed_leaks=allowed))
        found = secrets.leaks_in_files({Path(file): data})
        assert [leak.place for leak in found] == wanted
        assert all(said in leak.what for leak in found)


@pytest.mark.parametrize(("file", "closed"), [("data/big.csv", False), ("big.csv", True)])
def test_data_are_searched_up_to_their_limit(file: str, closed: bool) -> None:
    """Other files of a release are far smaller."""
    found = [thing for _, thing in contents.opened("", Path(file), b"\n" * 6_000_000)]
    assert any(isinstance(thing, contents.Closed) for thing in found) is closed
