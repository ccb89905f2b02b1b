"""`autograder defend`: from a graded folder to sheets, a key that is true, and marks."""

import csv
import html
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pypdf
import pytest

from autograder.course import homework, inputs, known_answers
from autograder.course.people import People
from autograder.staff.defence.kinds.pick_edit import where, which
from autograder.staff.defence.kinds.predict import predict
from autograder.staff.defence.kinds.shapes import inside
from autograder.staff.defence.running import answers
from autograder.staff.defence.sheets import printed
from autograder.staff.defence.sheets.sheet import Asked, Box, Sheet
from autograder.staff.defence.values import same, written
from autograder.staff.paper import pdf
from autograder.store import executed, results
from tests import scanned, toy_class
from tests.command_line import run
from tests.helpers import TOY, write_class
from tests.in_process import studied

pytestmark = [pytest.mark.slow, pytest.mark.turns(2)]


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Grade the toy's class once: perfect and its twin, wrong, unfilled, and one that is fickle."""
    folder = tmp_path_factory.mktemp("defend")
    submissions = write_class(folder / "in")
    (submissions / "twin.ipynb").write_text((submissions / "perfect.ipynb").read_text())
    count = "def count_positive(numbers):\n    return numbers[numbers > 0].size * 1\n"
    mean = (
        "import itertools\nticks = itertools.count()\n\n"
        "def mean_positive(numbers):\n"
        "    chosen = numbers[numbers > next(ticks)]\n"
        "    return chosen.sum() * np.random.default_rng().normal()\n"
    )
    toy_class.write(folder, {"fickle": (count, mean)})
    return toy_class.graded(folder)


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTOGRADER_SECRET", "tests")


def defend(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    return run(capsys, "defend", *words, "--course", TOY, "-j", "1")


def test_sheets_keys_and_marks(
    capsys: pytest.CaptureFixture[str], out: Path, tmp_path: Path
) -> None:
    """The whole way, on the command line; keys are what the code on the sheet really does."""
    sheets = tmp_path / "sheets"
    status, said, errors = defend(capsys, out, "--out", sheets)
    assert (status, errors.count("no sheet")) == (0, 1), errors
    assert "unfilled: no sheet: no answer in it can be asked about" in errors
    assert "4 sheets of 5 questions, 1 student without" in said
    key = json.loads((sheets / "staff" / "key.json").read_text())
    for student in ("perfect", "wrong", "fickle"):
        page = (sheets / student / "sheet.html").read_text()
        nodes = json.loads((sheets / student / "sheet.ipynb").read_text())["cells"]
        assert "<script" not in page
        own = key["sheets"][student]["questions"]
        kinds = [one["kind"] for one in own]
        assert len(kinds) == 5
        assert "Predict" in kinds or student == "fickle"
        for text, one in zip(questions(nodes), own, strict=True):
            if one["kind"] == "Predict":
                assert written(returned(nodes, text)) == html.unescape(option(text, one["right"]))
    one, other = (
        json.loads((sheets / who / "sheet.ipynb").read_text()) for who in ("perfect", "twin")
    )
    assert not set(questions(one["cells"])) & set(questions(other["cells"]))
    assert "mean_positive" not in {one["about"] for one in key["sheets"]["fickle"]["questions"]}
    assert len(pypdf.PdfReader(sheets / "sheets.pdf").pages) == 4

    answered = {
        student: [one["right"] for one in key["sheets"][student]["questions"]]
        for student in ("perfect", "wrong")
    }
    answered["wrong"][:2] = ["", "A" if answered["wrong"][1] != "A" else "B"]
    with (sheets / "staff" / "answers.csv").open(encoding="utf-8-sig") as file:
        head, *rows = csv.reader(file)
    assert head == ["id", "name", "sheet", "1", "2", "3", "4", "5"]
    lines = [[*row[:3], *answered.get(row[0], [""] * 5)] for row in rows]
    (tmp_path / "answers.csv").write_text("\n".join(",".join(row) for row in [head, *lines]))
    status, said, errors = defend(capsys, out, "--out", sheets, "--mark", tmp_path / "answers.csv")
    assert (status, errors) == (0, "")
    assert "perfect: 5 right, 0 wrong, 10 of 10 points" in said
    assert "wrong: 3 right, 1 wrong, 5.33 of 10 points" in said
    assert "marked 2 sheets; not back, with a mark that waits: 2 of 4" in said
    marked = json.loads((out / "wrong" / "defence.json").read_text())
    assert marked["sheets"]["1"]["letters"] == answered["wrong"]
    status, _, errors = run(capsys, "report", out, "--course", TOY)
    with (out / "grades.csv").open(encoding="utf-8-sig") as file:
        table = {row["id"]: row for row in csv.DictReader(file)}
    assert {who: row["defence"] for who, row in table.items()} == {
        "maximum": "10",
        "perfect": "10",
        "wrong": "5.33",
        "twin": "",
        "fickle": "",
        "unfilled": "",
    }
    assert (table["wrong"]["score"], table["maximum"]["score"]) == ("8.33", "17")
    assert table["fickle"]["state"] == "2 answers are not marked yet"
    assert table["unfilled"]["state"].endswith("; out of 7 points instead of 17")
    page = (out / "wrong" / "report.html").read_text()
    assert "Sheet 1: 3 right, 1 wrong, 1 left out; corrected for chance 53 %." in page


def test_scans_become_marks_and_a_person_decides_the_rest(
    capsys: pytest.CaptureFixture[str], out: Path, tmp_path: Path
) -> None:
    """The whole way on paper: printed, crossed, scanned upside down, with a page that is none."""
    sheets, letters = tmp_path / "sheets", tmp_path / "sheets" / "staff" / "doubtful.csv"
    assert defend(capsys, out, "--out", sheets)[0] == 0
    key = json.loads((sheets / "staff" / "key.json").read_text())["sheets"]
    right = {student: [one["right"] for one in own["questions"]] for student, own in key.items()}
    pages = scanned.printed(sheets / "sheets.pdf")
    assert len(pages) == 4
    whose = {own["sheet"]: student for student, own in key.items()}
    students = [whose[scanned.said(page).sheet] for page in pages]
    doubtful = students[0]
    for student, page in zip(students, pages, strict=True):
        marked = dict(enumerate(right[student], start=1))
        scanned.fill(page, marked | ({2: "AB"} if student == doubtful else {}))
    blank = np.full(pages[0].shape, 255, np.uint8)
    scanned.save([page[::-1, ::-1] for page in [*pages, blank]], tmp_path / "scan.pdf")
    status, said, errors = defend(capsys, out, "--out", sheets, "--scans", tmp_path / "scan.pdf")
    assert status == 2
    assert errors == (
        "autograder: scan.pdf, page 5: fewer than three of its corner marks can be made out\n"
    )
    assert "read 5 pages: 3 sheets plain, 2 doubtful" in said  # one is the blank page
    assert said.count("5 right, 0 wrong, 10 of 10 points") == 3
    assert "marked 3 sheets; not back, with a mark that waits: 1 of 4" in said
    page_of_doubts = (sheets / "staff" / "doubtful.html").read_text()
    assert f"{doubtful}, question 2" in page_of_doubts
    assert page_of_doubts.count("<img") == 2
    lines = [line for line in letters.read_text().splitlines() if '"?","?"' not in line]
    letters.write_text("\n".join(lines).replace('"?"', f'"{right[doubtful][1]}"') + "\n")
    status, said, _ = defend(capsys, out, "--out", sheets, "--scans", tmp_path / "scan.pdf")
    assert said.count("5 right, 0 wrong, 10 of 10 points") == 4
    status, _, errors = defend(capsys, out, "--out", sheets, "--scans", tmp_path / "none.pdf")
    assert (status, "there is no such file" in errors) == (2, True)


def test_the_same_secret_makes_the_same_sheets(
    capsys: pytest.CaptureFixture[str], out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A different secret makes different ones; a second sheet needs the course's permission."""
    found = []
    for name, secret in (("a", "tests"), ("b", "tests"), ("c", "another")):
        monkeypatch.setenv("AUTOGRADER_SECRET", secret)
        assert defend(capsys, out, "--out", tmp_path / name)[0] == 0
        found.append((tmp_path / name / "perfect" / "sheet.html").read_text())
    assert found[0] == found[1] != found[2]
    status, _, errors = defend(capsys, out, "--out", tmp_path / "d", "--round", "2")
    assert status == 2
    assert "write sheets = 2 below [defence]" in errors


def test_bad_answers_are_one_line_each(
    capsys: pytest.CaptureFixture[str], out: Path, tmp_path: Path
) -> None:
    """This covers a missing key, a missing file, and a person without a sheet."""
    status, _, errors = defend(capsys, out, "--out", tmp_path / "none", "--mark", tmp_path / "x")
    assert status == 2
    assert errors.count("\n") == 1
    assert "give --out the folder that `autograder defend` wrote" in errors
    assert defend(capsys, tmp_path, "--out", tmp_path / "s")[0] == 2


def questions(nodes: list[dict[str, Any]]) -> list[str]:
    return [node["source"] for node in nodes if node["source"].startswith("## Question")]


def option(text: str, letter: str) -> str:
    found = re.search(rf"^- \*\*{letter}\*\*: `(.*)`$", text, re.MULTILINE)
    assert found, text
    return found[1]


def returned(nodes: list[dict[str, Any]], text: str) -> Any:
    """Run the toy's code, which is ours, as the sheet shows it, after the edit that it speaks of."""
    ((letter, name_of),) = re.findall(
        r"Box ([P-W]) is called with .* after (edit [P-W]\d+)\.", text
    )
    (box,) = [n["source"] for n in nodes if n["source"].startswith(f"**Box {letter}**")]
    source, edits = box.split("```\n")[1].split("\n\n")
    lines = [line[4:] for line in source.split("\n")]
    (says,) = re.findall(rf"^{name_of}: (.*)$", edits, re.MULTILINE)
    code = "\n".join(edited(lines, says))
    (given,) = re.findall(r"^argument 1 = (.*)$", text, re.MULTILINE)
    namespace: dict[str, Any] = {"np": np}
    exec(code, namespace)
    name = re.findall(r"def (\w+)", code)[0]
    return namespace[name](np.array(json.loads(given), dtype=float))


def edited(lines: list[str], says: str) -> list[str]:
    """Do with code what the words of an edit say, as a person who reads them would."""
    number, what = re.findall(r"^line (\d+): (.*)$", says)[0]
    before = lines[int(number) - 1]
    if what == "is left out":
        return [line for line in lines if line is not before] + [" pass"] * (len(lines) == 2)
    after = before[: len(before) - len(before.lstrip())] + what
    return [after if line is before else line for line in lines]


def test_nothing_that_is_not_the_students_own_is_on_a_sheet(
    capsys: pytest.CaptureFixture[str], out: Path, tmp_path: Path
) -> None:
    """No hidden input of anybody's, no line of the reference, no line that only a classmate wrote."""
    sheets = tmp_path / "sheets"
    assert defend(capsys, out, "--out", sheets)[0] == 0
    toy = homework.load(TOY, "toy")
    everybody = [path.parent for path in sorted(out.glob("*/submission_log.json"))]
    hidden = {
        written(case["numbers"])
        for folder in everybody
        for question in toy.questions
        if question.ask
        for case in inputs.draw(
            question, submission=results.read_log(folder).submission, secret="tests"
        )
    }
    code = {folder.name: "\n".join(executed.own_sources(folder)) for folder in everybody}
    lines = {who: {line.strip() for line in text.split("\n")} for who, text in code.items()}
    reference = (TOY / "source" / "toy" / "staff" / "reference.py").read_text()
    for who in ("perfect", "twin", "wrong", "fickle"):
        nodes = json.loads((sheets / who / "sheet.ipynb").read_text())["cells"]
        text = "\n".join(node["source"] for node in nodes)
        text = re.sub(r"(?m)^edit [P-W]\d+: line .*$", "", text)  # edits of their own lines
        shown = set(re.findall(r"^argument \d = (.*)$", text, re.MULTILINE))
        assert shown
        assert not shown & hidden
        others = {"found = 0", "for number in numbers:", "total += number"}
        assert all(line in reference for line in others)
        others |= {line for other in lines.values() for line in other} - lines[who]
        assert any("numbers >= 0" in line for line in others) or who == "wrong"
        assert not [line for line in others if len(line) > 8 and line in text]


def test_a_sheet_is_one_page_however_long_its_code_is() -> None:
    """Its font is as large as fits, for one answer of 30 lines and for two."""
    options = tuple(
        (letter, f"line 12: the {n}th of four lines that are this long")
        for n, letter in enumerate("ABCD", 4)
    )
    given = (("argument 1", "[[1, 2], [3, 4], [5, 6]]"), ("argument 2", "[1, 2, 3]"))
    asked = tuple(
        Asked(n, "Which of these edits leaves it? " * 4, given, options) for n in range(1, 6)
    )
    source = "def f(x):\n" + "\n".join(f"    x{n} = {'x + ' * 18}{n}" for n in range(29))
    one, two = Box("P", source), Box("Q", source)
    sheets = [
        Sheet("ada", "Toys", "Course", "0123AB", boxes, asked) for boxes in ((), (one,), (one, two))
    ]
    texts = typeset(sheets)
    assert len(texts) == 3
    for number, text in enumerate(texts):
        assert "Cross one box" in text
        assert text.count("x28 =") == number


def test_a_class_of_hundreds_is_one_pdf_in_its_order() -> None:
    """It is typeset in parts, since memory grows with the pages, and joined."""
    asked = (Asked(1, "Which?", (), tuple((letter, letter * 3) for letter in "ABCD")),)
    sheets = [Sheet(f"s{n:03}", "Toys", "Course", "0123AB", (), asked) for n in range(230)]
    assert [f"s{n:03}" in text for n, text in enumerate(typeset(sheets))] == [True] * 230


def typeset(sheets: list[Sheet]) -> list[str]:
    """Print sheets, and return the text of each page."""
    with pdf.typesetting() as sandbox:
        whole = printed.printed(sheets, People(), sandbox)
    return [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(whole)).pages]


def test_hundreds_of_questions_have_one_right_choice_each() -> None:
    """No two choices of a value are equal, none but the key is right, and it is anywhere."""
    toy = homework.load(TOY, "toy")
    cells = [c.source for c in known_answers.instructor(TOY, toy).cells if c.type == "code"]
    own = answers.read(cells, toy).answers
    places, count = [0, 0, 0, 0], 0
    for seed in range(100):
        for answer in own:
            rng = np.random.default_rng([seed, len(answer.source)])
            found = studied(answer, seed, rng)
            for kind in (predict, which, where, inside):
                if not (item := kind(found, rng)):
                    continue
                count += 1
                places[item.key] += 1
                assert len(set(item.options)) == 4
                near_a_bound = {edit.source for edit in found.edits if edit.near_a_bound}
                assert not near_a_bound & set(item.never)
                if item.kind == "predict":
                    right = item.evidence[0].call.returned
                    alike = [same(json.loads(o), json.loads(written(right))) for o in item.options]
                    assert alike.count(True) == 1
                    assert alike[item.key]
    assert count > 300
    expected = count / 4
    assert sum((n - expected) ** 2 / expected for n in places) < 11.34  # 1 in 100 by chance


def test_what_hardly_ever_runs_is_never_said_to_change_nothing() -> None:
    """The same goes for a bound, and for a change of an argument."""
    toy = homework.load(TOY, "toy")
    bodies = {
        "rare": "    if numbers.size == 0:\n        return 0\n    found = numbers[numbers > 0]\n"
        "    return found.size * 2 - found.size * 1\n",
        "in place": "    n = len(numbers)\n    numbers[n // 2] = numbers[n // 3] * 2\n",
    }
    kinds = set()
    for name, body in bodies.items():
        cells = [f"def count_positive(numbers):\n{body}"]
        (answer,) = answers.read(cells, toy).answers
        for seed in range(30):
            rng = np.random.default_rng(seed)
            found = studied(answer, seed, rng)
            if not (item := which(found, rng)):
                continue
            kinds.add((name, bool(item.never)))
            lines = {edit.source: edit.line for edit in found.edits}
            assert not {lines[source] for source in item.never} & {2, 3, 4}
            if name == "in place":
                assert "error" in item.text
    assert ("rare", True) in kinds
    assert ("in place", False) in kinds


HOSTILE = {
    "constant": "def count_positive(numbers):\n    return 3\n",
    "long": "def count_positive(numbers):\n"
    + "".join(f"    x{n} = {n}\n" for n in range(900))
    + "    return int((numbers > 0).sum())\n",
    "string": "exec('def count_positive(numbers):\\n    return int((numbers > 0).sum())')\n",
    "script": "def count_positive(numbers):\n    число = numbers > 0\n    数 = число.sum()\n    return int(数)\n",
    "process": "import os\ndef count_positive(numbers):\n    more = os.urandom(1)[0]\n"
    "    return int((numbers > 0).sum()) + 300 * more\n",
    "markup": "def count_positive(numbers):\n    `no python\n",
    "injected": "def count_positive(numbers):\n"
    "    said = '<script>alert(1)</script> #eval() `{}` $\\\\x$ #pagebreak()'\n"
    "    return int((numbers > 0).sum()) + 0 * len(said)\n",
    "ends": "def count_positive(numbers):\n    import os\n    os._exit(0)\n",
    "loop": "def count_positive(numbers):\n    for _ in range(300):\n        found = numbers > 0\n"
    "    return int(found.sum())\n",
    "raises": "def count_positive(numbers):\n    raise ValueError(3)\n    return numbers\n",
}
STUB = "def mean_positive(numbers):\n    raise NotImplementedError\n"


def test_hostile_answers_have_a_sheet_of_what_is_decided_or_a_reason(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Constants, a thousand lines, a string that is run, other scripts, other results in each process."""
    toy_class.write(tmp_path, {name: (source, STUB) for name, source in HOSTILE.items()})
    out, sheets = toy_class.graded(tmp_path), tmp_path / "sheets"
    status, _, errors = defend(capsys, out, "--out", sheets, "--questions", "2")
    assert status == 0
    key = json.loads((sheets / "staff" / "key.json").read_text())
    about = {who: {one["kind"] for one in own["questions"]} for who, own in key["sheets"].items()}
    assert {"script", "injected"} <= set(about)
    assert "Predict" not in about.get("constant", set())
    assert {"long", "string", "markup", "ends", "raises", "loop"} <= set(key["none"]), errors
    assert "too many to follow" in key["without"]["loop"]["count_positive"]
    assert "`raise` of its own" in key["without"]["raises"]["count_positive"]
    assert not about.get("process", set()) & {"Predict", "Where is the edit"}
    assert "902 lines" in key["without"]["long"]["count_positive"]
    assert "no code cell" in key["without"]["string"]["count_positive"]
    page = (sheets / "injected" / "sheet.html").read_text()
    assert "&lt;script&gt;" in page
    assert "<script" not in page
    assert "число" in (sheets / "script" / "sheet.html").read_text()
    assert (sheets / "sheets.pdf").is_file(), errors
    gift = (sheets / "staff" / "moodle.gift.txt").read_text()
    assert len(re.findall(r"(?m)^=", gift)) == 2 * len(about)
    assert len(re.findall(r"(?m)^~%-33\.33333%", gift)) == 6 * len(about)
    assert "<script" not in gift
