"""`autograder similar` on a folder that was really graded, with names and answers that want to do harm."""

import json
import re
from pathlib import Path

import pytest

from tests.active_content import ACTIVE
from tests.command_line import run
from tests.helpers import TOY, write_class
from tests.redteam.attacks.active import NAME

pytestmark = pytest.mark.slow

OWN = '''\
def count_positive(numbers):
    """Count."""
    ordered = sorted(one for one in numbers.tolist() if one > 0)
    return len([one for one in ordered if one == one]) - len(ordered[len(ordered) :])
'''
COPY = OWN.replace("ordered", "v").replace("one", "k").replace('"""Count."""', "# mine")
OTHER = """\
def count_positive(numbers):
    signs = np.sign(numbers.reshape(-1)).astype(int).clip(0, 1)
    return int(np.bincount(signs, minlength=2)[1:].cumsum()[-1])
"""
EVIL = f'\nevil = """{"".join(ACTIVE)}\x1b[2J"""\n'


def answered(folder: Path, name: str, **answers: str) -> None:
    """Write the instructor's notebook with other answers, by cell id."""
    notebook = json.loads((TOY / "source" / "toy" / "toy.ipynb").read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        cell["source"] = answers.get(cell["id"], cell["source"])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(notebook), encoding="utf-8")


def graded(capsys: pytest.CaptureFixture[str], submissions: Path, out: Path) -> Path:
    run(capsys, "grade", "toy", submissions, "--out", out, "--course", TOY)
    return out


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTOGRADER_SECRET", "tests")


def test_a_copy_is_first_and_nothing_on_the_page_is_active(
    browser: object, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A renamed copy between others; hostile names and answers are text and nothing else."""
    submissions = write_class(tmp_path / "in")
    said = "Nobody had told me that an empty sum has to be something, so I chose zero for it."
    answered(submissions, "first.ipynb", count_answer=OWN, argue=said)
    answered(submissions, "second.ipynb", count_answer=COPY, argue=f"Well. {said.upper()}")
    evil = "\n\n".join(ACTIVE)
    answered(submissions, NAME.replace("\n", ""), count_answer=OTHER + EVIL, argue=evil)
    answered(submissions, "evil.ipynb", count_answer=OTHER + EVIL, argue=evil)
    (submissions / "broken.ipynb").write_text("hello")
    out = graded(capsys, submissions, tmp_path / "out")
    status, shown, errors = run(capsys, "similar", out, "--course", TOY)
    assert status == 0
    assert "2 of 2 pairs that share something, from 7 submissions" in shown
    assert errors.count("\n") == errors.count("note: ") == 1
    page = (out / "similar.html").read_text(encoding="utf-8")
    assert "first and second" in page
    found = re.findall(
        '<th scope="row"><a[^>]*>(.*?)</a></th><td>[0-9.]+</td><td>([0-9]+)</td>', page
    )
    assert len(found) == 2
    assert all(int(code) > 2 for _, code in found)
    assert str(tmp_path) not in page
    assert "\x1b" not in page
    view = browser.new_page()  # type: ignore[attr-defined]
    asked: list[str] = []
    view.route("**/*", lambda route: (asked.append(route.request.url), route.continue_()))
    view.goto((out / "similar.html").as_uri())
    assert asked == [(out / "similar.html").as_uri()]
    assert view.title().endswith("similar submissions")
    assert view.evaluate("document.querySelectorAll('script, img, iframe, svg, form').length") == 0
    assert view.evaluate("document.querySelectorAll('mark').length") > 8
    for width in (1280, 390):
        view.set_viewport_size({"width": width, "height": 900})
        assert view.evaluate("document.documentElement.scrollWidth") <= width
    view.close()


@pytest.mark.parametrize("number", [0, 1])
def test_none_and_one_are_said(
    number: int, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A single submission has no other to compare; if none is readable, one line says so."""
    submissions = tmp_path / "in"
    submissions.mkdir()
    (submissions / "broken.ipynb").write_text("hello")
    for _ in range(number):
        answered(submissions, "first.ipynb", count_answer=OWN)
    out = graded(capsys, submissions, tmp_path / "out")
    status, _, errors = run(capsys, "similar", out, "--course", TOY)
    if number:
        assert status == 0
        assert "nothing to compare it with" in (out / "similar.html").read_text(encoding="utf-8")
    else:
        assert status == 2
        assert errors.count("\n") == 1
        assert "no submission that could be read" in errors
