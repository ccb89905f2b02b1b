"""The late penalty in `nbgrader autograde`: points are taken only once."""

from pathlib import Path

import nbformat
import pytest
from nbgrader.preprocessors import AssignLatePenalties

from autograder.platforms.nbgrader.feedback import LatePenalties


@pytest.mark.parametrize(("rule", "steps"), [("deduct", []), ("report", ["nbgrader's"])])
def test_nbgrader_s_plugin_takes_points_where_the_course_takes_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, rule: str, steps: list[str]
) -> None:
    """It would overwrite the penalty in the gradebook, which follows course.toml."""
    (tmp_path / "course.toml").write_text(f'title = "T"\nterm = "X"\n[late]\nrule = "{rule}"\n')
    monkeypatch.chdir(tmp_path)
    done: list[str] = []

    def preprocess(_: object, nb: object, resources: object) -> tuple[object, object]:
        done.append("nbgrader's")
        return nb, resources

    monkeypatch.setattr(AssignLatePenalties, "preprocess", preprocess)
    notebook = nbformat.v4.new_notebook()
    assert LatePenalties().preprocess(notebook, {}) == (notebook, {})
    assert done == steps
