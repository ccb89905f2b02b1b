"""The homework contract, over every folder of source/."""

from pathlib import Path

import pytest

from autograder.authoring.contract import mutation, rules
from autograder.course import homework, rubrics
from tests.helpers import ROOT
from tests.turn import share

pytestmark = pytest.mark.slow


@pytest.mark.turns(10, long=True)
@pytest.mark.parametrize("name", homework.names(ROOT))
def test_the_contract_holds(course: Path, name: str) -> None:
    """Every clause that `autograder check` prints, for a fifteenth of the known answers, has yes; all are there."""
    clauses = list(rules.clauses(course, name, share=share(15)))
    broken = [f"{c.rule} ({c.case}): {c.detail}" for c in clauses if not c.holds]
    assert not broken, "\n".join(broken)
    assert {clause.rule[0] for clause in clauses} == set("123456789")


def test_no_mutant_survives(course: Path) -> None:
    """What `autograder check --full` prints, for some mutants: a line of totals comes last.

    More of them, of every homework, are tried in tests/truth.
    """
    *some, totals = mutation.mutants(
        course, homework.load(course, "hw2_transformer"), share=share(40)
    )
    assert all(clause.holds for clause in some), some
    assert totals.holds
    assert "lose marks" in totals.detail


@pytest.mark.parametrize("name", homework.names(ROOT))
def test_points_keep_to_the_rules(course: Path, name: str) -> None:
    """60 points, few of them by hand, most where proofs are written; all that is written has notes."""
    most, worth = (6, 19) if name == "hw3_proofs" else (3, 12)
    chosen = homework.load(course, name)
    by_hand = [q for q in chosen.questions if q.by_hand and not (q.formative or q.extra)]
    assert sum(question.points for question in chosen.questions if not question.extra) == 60
    assert len(by_hand) <= most
    assert sum(question.points for question in by_hand) <= worth
    written = {question.id for question in chosen.questions if question.by_hand}
    assert rubrics.of(course / "source" / name / "staff").keys() == written


@pytest.mark.parametrize("name", homework.names(ROOT))
def test_source_and_release_hold_no_outputs(course: Path, name: str) -> None:
    """Outputs belong only in solutions/."""
    for part in ("source", "release"):
        for cell in homework.read_cells(course / part / name / f"{name}.ipynb"):
            assert not cell.outputs, f"{part}: {cell.id}"


@pytest.mark.parametrize("name", homework.names(ROOT))
def test_every_cell_has_a_readable_id(course: Path, name: str) -> None:
    """Ids are stable words, not random letters."""
    for cell in homework.read_cells(course / "source" / name / f"{name}.ipynb"):
        assert cell.id.replace("_", "").isalpha(), cell.id
        assert cell.id.islower(), cell.id
