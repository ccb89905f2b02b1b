"""class_figures: the class page on the desk, folded, with the formulas of its rubrics."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from markupsafe import Markup

from autograder.records.marks import HandMarks
from autograder.staff.desk.class_figures import ClassFigures
from autograder.staff.desk.classes import Classes
from autograder.staff.desk.marking import Marking
from tests import fabricated_class
from tests.gradebooks import make_course, run
from tests.helpers import TOY

ITEM = "Divides by $n$."


@pytest.fixture
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Classes:
    root = make_course(tmp_path / "course", like=TOY)
    fabricated_class.write(root / "out" / "toy", 12)
    found = Classes(root, root / "out", None)
    given = {"s00001": HandMarks({"argue": 1.0}, items={"argue": {ITEM: True}})}
    monkeypatch.setattr(found, "given", lambda _: given)
    return found


def drawn(folder: Path, texts: Iterable[str]) -> dict[str, Markup]:
    assert folder.name == "toy"
    return {text: Markup("Divides by <math>n</math>.") for text in texts}


def test_each_part_is_folded_and_formulas_are_drawn(
    known: Classes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The desk's page shows the headings of mistakes and rubrics; class.html shows all of them."""
    marking = Marking(known.root, "", named=False)
    monkeypatch.setattr(marking, "lines", drawn)
    page = ClassFigures(known.root, known, marking).html("toy")
    assert "<math>n</math>" in page
    assert "$n$" not in page
    assert page.count('<details class="card">') > 2
    assert '<details class="card" open>' not in page
    status, said = run(known.root, "report", known.place("toy"))
    assert status == 0, said
    whole = (known.place("toy") / "class.html").read_text()
    assert '<details class="card">' not in whole
    assert whole.count('<details class="card" open>') > 1
