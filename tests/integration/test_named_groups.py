"""A group of a real class: named, read in a late report, made a known mistake by the smallest edit."""

import json
from pathlib import Path
from typing import Any

import pytest

from autograder.authoring.contract import proof
from autograder.authoring.mistakes import draft
from autograder.course import homework, known_answers
from autograder.store import files, results
from tests.command_line import run
from tests.gradebooks import make_course
from tests.helpers import TOY

pytestmark = pytest.mark.slow

BELOW = "Yours counts the numbers below zero."
COUNT = {
    "ana": "def count_positive(numbers):\n    return int((numbers < 0).sum())",
    "ben": "def count_positive(xs):\n    n = 0\n    for x in xs:\n        n += x < 0\n    return int(n)",
    "cem": "def count_positive(numbers):\n    return 12345",
    "dan": "def count_positive(many):\n    # dan@uni.example\n    return int((many > 0).sum()) + 17 * many.size",
}
LATE = {"eve": "def count_positive(a):\n    return len([x for x in a if not x >= 0])"}


def submitted(folder: Path, answers: dict[str, str]) -> Path:
    """Write the instructor's notebook with another answer to the first question, for each person."""
    folder.mkdir()
    notebook = json.loads((TOY / "source" / "toy" / "toy.ipynb").read_text())
    (asked,) = (cell for cell in notebook["cells"] if cell["id"] == "count_answer")
    for who, answer in answers.items():
        asked["source"] = answer
        (folder / f"{who}.ipynb").write_text(json.dumps(notebook))
    return folder


def test_a_group_is_named_reaches_a_late_report_and_becomes_a_known_mistake(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The test uses only staff's commands; no points change."""
    course = make_course(tmp_path / "course", like=TOY)
    out = course / "graded"

    def ran(*words: object, status: int = 0) -> str:
        found, said, errors = run(capsys, *words, "--course", course)
        assert found == status, errors
        return said + errors

    def told() -> set[str]:
        return {one.parent.name for one in out.glob("*/report.html") if BELOW in one.read_text()}

    ran("grade", "toy", submitted(tmp_path / "class", COUNT), "--out", out)
    ran("report", out)
    page = (out / "class.html").read_text()
    (group,) = {w for w in page.split() if w.startswith("count-")}
    points = {who: results.read_grade(out / who).score for who in COUNT}
    assert f"--name {group}" in ran("explain", out, "ben", "count")
    assert f"{group}: 2 submissions" in ran("explain", out, "--name", group, BELOW)
    assert told() == {"ana", "ben"}
    ran("grade", "toy", submitted(tmp_path / "late", LATE), "--out", out)
    assert told() == {"ana", "ben", "eve"}
    ran("regrade", out)
    assert told() == {"ana", "ben", "eve"}
    assert {who: results.read_grade(out / who).score for who in COUNT} == points
    assert (out / "mistakes.csv").read_text().count(BELOW) == 3
    named = course / "source" / "toy" / "staff" / "named.toml"
    named.write_text(named.read_text().replace(BELOW, "Below zero is not above."))
    ran("regrade", out)
    assert told() == set()
    assert "Below zero is not above." in (out / "eve" / files.REPORT).read_text()
    proved = ran("check", "toy")
    assert f"4 named groups | {group} | yes" in proved

    said = ran("new", "mistake", "toy", "count", "--from", out / "ana")
    assert "which loses count" in said
    assert f"{group} is no longer in named.toml" in said
    assert not homework.load(course, "toy").named
    (drafted,) = (
        one
        for one in known_answers.wrong(course, homework.load(course, "toy"))
        if one.written.edits
    )
    assert drafted.written.edits == (
        ("    return int((numbers > 0).sum())", "    return int((numbers < 0).sum())"),
    )
    assert f"4 mistakes lose their questions | {drafted.name} | yes" in ran("check", "toy")
    ran("regrade", out)
    fits = {
        who: results.read_grade(out / who).marks[0].misconception for who in ("ana", "ben", "eve")
    }
    assert {one.name for one in fits.values() if one} == {drafted.name}

    for words, why in {
        ("toy", "nothing", "--from", out / "ana"): "has no question 'nothing'",
        ("toy", "mean", "--from", out / "ana"): "no wrong result for mean is known",
        ("toy", "count", "--from", tmp_path): "has no results",
        (
            "toy",
            "count",
            "--from",
            out / "cem",
        ): "this group has no name yet; describe the mistake with --sentence",
        (
            "toy",
            "count",
            "--from",
            out / "ana",
            "--sentence",
            BELOW,
        ): "already has a known mistake of this name",
    }.items():
        assert why in ran("new", "mistake", *words, status=2)
    said = ran("new", "mistake", "toy", "count", "--from", out / "dan", "--sentence", "Too many.")
    written = [*(course / "source/toy/staff").rglob("*.py"), *(course / "source").rglob("*.toml")]
    text = "".join(path.read_text() for path in written)
    assert "17 *" in text
    assert "dan@uni.example" not in text


def test_a_draft_that_its_author_edits_while_it_is_tried_is_not_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its author's words stay."""
    course, tried = make_course(tmp_path / "course", like=TOY), proof.run
    path = course / "source" / "toy" / "staff" / "mistakes.toml"

    def edited(*given: Any) -> Any:
        path.write_text(path.read_text().replace(BELOW, "Below zero."))
        return tried(*given)

    monkeypatch.setattr(proof, "run", edited)
    ana = submitted(tmp_path / "class", {"ana": COUNT["ana"]}) / "ana.ipynb"
    written = draft.draft(course, "toy", "count", ana, sentence=BELOW)
    assert path.read_text().count(f"[{written.name}]") == 1
    assert "Below zero." in path.read_text()
    assert BELOW not in path.read_text()
