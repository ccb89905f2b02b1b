"""`autograder defend --interview`: pages for staff, with true keys and a classmate's answer."""

import contextlib
import html
import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pypdf
import pytest

from autograder.course import homework
from autograder.records.marks import Mark
from autograder.staff.defence import marked_sheets
from autograder.staff.defence.interview import page
from autograder.staff.defence.interview.classmate import Classmate, Difference, difference
from autograder.staff.defence.interview.selection import Person
from autograder.staff.defence.kinds.pick_edit import where
from autograder.staff.defence.kinds.predict import predict
from autograder.staff.defence.marked_sheets import Defence, MarkedSheet
from autograder.staff.defence.records import Answer
from autograder.staff.defence.running import answers
from autograder.staff.defence.running.calls import Caller
from autograder.staff.defence.sheets.sheet import Asked, Box, Key, Sheet
from tests import toy_class
from tests.command_line import run
from tests.helpers import TOY
from tests.in_process import caller, studied

pytestmark = [pytest.mark.slow, pytest.mark.turns(2)]

BROWSER = shutil.which("chromium")
MEAN = (
    "def mean_positive(numbers):\n    chosen = numbers[numbers > 0]\n"
    "    if len(chosen) == 0:\n        return 0.0\n    return chosen.sum() / {}\n"
)
ANSWERS = {
    "ada": (
        "def count_positive(numbers):\n    found = numbers > 0\n    return int(found.sum())\n",
        MEAN.format("len(chosen)"),
    ),
    "bo": (
        "def count_positive(numbers):\n    found = 0\n    for number in numbers:\n"
        "        if number > 0:\n            found += 1\n    return found\n",
        MEAN.format("max(len(chosen), 1)"),
    ),
    "cy": (
        "def count_positive(numbers):\n    return int((numbers >= 0).sum())\n",
        MEAN.format("len(numbers)"),
    ),
    "injected": (
        "def count_positive(numbers):\n    said = '</pre><script>alert(1)</script>'\n"
        "    return int((numbers > 0).sum()) + 0 * len(said)\n",
        MEAN.format("len(chosen)"),
    ),
    "unfilled": (
        "def count_positive(numbers):\n    raise NotImplementedError\n",
        "def mean_positive(numbers):\n    raise NotImplementedError\n",
    ),
}


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Grade a class: two are right in different ways, one is wrong, one hostile, one empty."""
    folder = tmp_path_factory.mktemp("interview")
    toy_class.write(folder, ANSWERS)
    return toy_class.graded(folder)


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTOGRADER_SECRET", "tests")


def interview(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    return run(capsys, "defend", *words, "--interview", "--course", TOY, "-j", "1")


def pages(path: Path, place: Path) -> list[str]:
    """Print a page as a browser does, and return the text of each sheet of paper."""
    if BROWSER is None:
        pytest.skip("no chromium to print with")
    words = ["--headless", "--no-sandbox", "--disable-gpu", f"--print-to-pdf={place}"]
    subprocess.run([BROWSER, *words, path.as_uri()], check=True, capture_output=True, timeout=300)
    return [one.extract_text() for one in pypdf.PdfReader(place).pages]


def test_a_page_for_each_student_with_high_marks_and_a_low_sheet(
    capsys: pytest.CaptureFixture[str], out: Path, tmp_path: Path
) -> None:
    """Nobody without a marked sheet; then those whom it shows, in staff's folder alone."""
    sheets = tmp_path / "sheets"
    status, _, errors = interview(capsys, out, "--out", sheets)
    assert status == 2
    assert "has no marked sheet to choose students by; name them with --student ID" in errors
    scores = {"ada": (1, 3, 0.0), "bo": (4, 0, 1.0), "cy": (0, 4, -0.33), "injected": (1, 3, 0.0)}
    for student, (right, wrong, score) in scores.items():
        marked = MarkedSheet("0123AB", ("A",) * 4, right, wrong, score)
        marked_sheets.write(out / student, Defence(10, 10 * score, {1: marked}))
    status, said, errors = interview(capsys, out, "--out", sheets)
    for student in scores:
        (out / student / marked_sheets.NAME).unlink()
    assert status == 0, errors
    assert "2 pages to print, only for staff" in said
    assert [one.name for one in sheets.rglob("*") if one.is_file()] == [page.NAME]
    text = (sheets / "staff" / page.NAME).read_text()
    assert "High marks and a low sheet." in text
    assert "Sheet 1: 1 right, 3 wrong, 0 left out; corrected for chance 0 %." in text
    assert "Interview of ada" in text
    assert "Interview of bo" not in text
    assert "Interview of cy" not in text
    assert "<script" not in text
    # A draw decides whether the page shows the answer with the script, or the other one alone.
    injected = text.split("Interview of injected")[1]
    assert ("&lt;script&gt;" in injected) == (": count_positive, " in injected)
    found = pages(sheets / "staff" / page.NAME, tmp_path / "pages.pdf")
    assert ["Interview of ada" in one for one in found] == [True, False]
    assert ["Interview of injected" in one for one in found] == [False, True]
    assert all(one.count("✓") == 3 for one in found)


def test_a_page_is_true(capsys: pytest.CaptureFixture[str], out: Path, tmp_path: Path) -> None:
    """The classmate's answer gives what the page shows, one choice of each question is right, with reasons."""
    sheets = tmp_path / "sheets"
    status, said, errors = interview(capsys, out, "--out", sheets, "--student", "ada")
    assert status == 0, errors
    assert "ada: You named this student. 5 of 5 points for what is marked." in said
    text = (sheets / "staff" / page.NAME).read_text()
    assert "cy" not in re.findall(r"\w+", re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL))
    boxes = re.findall(r'<section class="box">(.*?)</section>', text, re.DOTALL)
    assert len(boxes) == 2
    tables = re.findall(r"<table>(.*?)</table>", text, re.DOTALL)
    assert [one.count('class="right"') for one in tables] == [1, 1, 1]
    reasons = [
        re.findall(r"<td>([^<]*(?:<code>[^<]*</code>[^<]*)*)</td></tr>", one) for one in tables
    ]
    assert all(len(several) == 4 and all(several) for several in reasons)

    last = text.split("A classmate's ")[1]
    name = re.match(r"\w+", last)
    assert name
    assert last.startswith(f"{name[0]}, which is wrong")
    source = "\n".join(
        map(html.unescape, re.findall(r"<code>(.*?)</code>", last.split("</pre>")[0]))
    )
    (given,) = re.findall(r"argument 1 = (.*?)</code>", last)
    namespace: dict[str, object] = {"np": np}
    for code, whose in (
        (ANSWERS["ada"][name[0] == "mean_positive"], "student"),
        (source, "classmate"),
    ):
        exec(code, namespace)
        function = namespace[name[0]]
        assert callable(function)
        (told,) = re.findall(rf"The {whose}'s returns <code>(.*?)</code>", last)
        assert float(told) == pytest.approx(function(np.array(json.loads(given))), rel=0.01)


def test_what_cannot_be_made_is_one_line(
    capsys: pytest.CaptureFixture[str], out: Path, tmp_path: Path
) -> None:
    """No results, nobody of this name, no answer to ask about, two orders at once."""
    (tmp_path / "empty").mkdir()
    sheets = tmp_path / "sheets"
    for folder, words, why in (
        (tmp_path / "empty", ("--student", "ada"), "has no results; give the folder"),
        (out, ("--student", "dee"), "--student dee: "),
        (out, ("--student", "unfilled"), "unfilled: no answer can be asked about: "),
        (out, ("--mark", tmp_path / "answers.csv"), "give one"),
    ):
        status, _, errors = interview(capsys, folder, "--out", sheets, *words)
        assert (status, errors.count("\n")) == (2, 1), errors
        assert why in errors
        assert not (sheets / "staff" / page.NAME).exists()
    status, _, errors = run(
        capsys, "defend", out, "--out", sheets, "--student", "ada", "--course", TOY
    )
    assert status == 2
    assert "--student names people for --interview" in errors


def test_the_longest_page_is_one_sheet_of_paper(tmp_path: Path) -> None:
    """As many lines, choices and values as there can be, beside a short page."""
    source = "def f(x):\n" + "\n".join(f"    x{n} = {'x + ' * 24}{n}" for n in range(29))
    edits = tuple((f"edit P{n}", f"line {n}: `x{n} = {'x - ' * 22}{n}`") for n in range(1, 13))
    options = tuple((letter, f"`[{'0.123, ' * 17}1]`") for letter in "ABCD")
    given = tuple((f"argument {n}", f"[{'-0.12, ' * 12}1]") for n in (1, 2))
    asked = [Asked(n, "Which of these is it? " * 19, given, options) for n in (1, 2, 3)]
    keys = [Key("Predict", "f", "A", 1.0, ("a different edit gives it (line 2: `x`)" * 3,) * 4)] * 3
    boxes = tuple(Box(letter, source, edits) for letter in "PQ")
    other = Difference(
        "f", source[:1400], True, given, "", True, "returns `1`" * 9, "returns `2`" * 9
    )
    person = Person("ada", "High marks and a low sheet. " * 6, {"f": Mark("f", 4, 3, "")}, {})
    long = Sheet("ada", "Toys", "Course", "0123AB", boxes, tuple(asked))
    short = Sheet("bo", "Toys", "Course", "0123AC", (Box("P", "def f():\n    pass"),), ())
    several = [
        page.Interview(person, "Ada", long, keys, {"f": ("f",), "g": ()}, other),
        page.Interview(person, "Bo", short, (), {"f": ("f",)}, None),
    ]
    assert several[0].size < several[1].size
    path = tmp_path / "interviews.html"
    path.write_text(page.page(several))
    found = pages(path, tmp_path / "pages.pdf")
    assert ["Interview of Ada" in one for one in found] == [True, False]


def test_a_difference_is_found_with_each_answer_in_its_own_notebook() -> None:
    """Nobody's code sees a classmate's; what is random or the same code is left out; then the ways differ."""
    toy = homework.load(TOY, "toy")

    def answer(body: str) -> Answer:
        (found,) = answers.read([f"def count_positive(numbers):\n{body}"], toy).answers
        return found

    own = answer("    found = numbers > 0\n    return int(found.sum())\n")
    rng = np.random.default_rng(0)
    done = studied(own, 0, rng)
    items = [item for item in (where(done, rng), predict(done, rng)) if item]
    assert items

    notebooks = {"ada": caller(), "bo": caller(positive=lambda numbers: int((numbers > 1).sum()))}
    ran: dict[str, set[str]] = {"ada": set(), "bo": set()}

    def found(*bodies: str) -> Difference | None:
        others = [Classmate("bo", replace(answer(one), questions=()), False) for one in bodies]

        def running(student: str, seed: int) -> contextlib.nullcontext[Caller]:
            def seen(question: Any, cases: Any, sources: Sequence[str]) -> Any:
                ran[student] |= set(sources)
                return notebooks[student](question, cases, sources)

            return contextlib.nullcontext(seen)

        return difference("ada", items, {"count_positive": others}, running)

    def sure(*bodies: str) -> Difference:
        difference = found(*bodies)
        assert difference
        return difference

    drawn = "    return int(np.random.default_rng().integers(10**6))\n"
    assert found(drawn) is None
    assert found("    found = numbers > 0\n    return int(found.sum())\n") is None
    loop = "    k = 0\n    for n in numbers:\n        k += n > 0\n    return int(k)\n"
    other = sure(drawn, loop)
    assert not other.differs
    assert re.search(r"2 lines run, with `found` of shape \(\d,\)", other.own)
    assert "`found`" not in other.other
    other = sure(loop, "    return len(numbers)\n", "    return numbers.missing\n")
    assert other.differs
    assert other.source.endswith("return len(numbers)")
    other = sure("    return numbers.missing\n")
    assert other.other == "ends with AttributeError on line 2"
    other = sure("    return positive(numbers)\n")
    assert other.differs
    assert other.other.startswith("returns ")
    assert ran["ada"] == {own.whole(own.source)}
    assert len(ran["bo"]) == 5
    assert not ran["ada"] & ran["bo"]
