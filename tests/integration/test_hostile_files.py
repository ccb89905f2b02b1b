"""Hostile names, cells and messages in the files of export, term and requests: they do nothing there."""

import csv
import html.parser
import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.store import results
from tests.active_content import ACTIVE
from tests.command_line import run
from tests.gradebooks import make_course
from tests.graded import put
from tests.helpers import TOY

pytestmark = pytest.mark.slow
CELLS = [
    "=1+1",
    '=HYPERLINK("http://tracker.invalid","x")',
    "+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(1)",
    "\t=1+1",
    "\r=1+1",
    "\x1b]0;owned\x07\x1b[2J",
    "\u202eevil\u2066",
    'a"",b\n=1+1',
    *ACTIVE,
]
IDS = [str(1000 + number) for number in range(len(CELLS))]
_RUNS = {"script", "iframe", "object", "embed", "form", "link", "base", "svg", "video", "audio"}


class Page(html.parser.HTMLParser):
    """Collects what would do something, or load something, in a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        if tag in _RUNS:
            self.found.append(f"<{tag}>")
        for name, value in attrs:
            loads = name in ("src", "href", "action", "srcdoc", "background")
            if name.startswith("on") or (
                loads and not (value or "").startswith(("#", "data:image"))
            ):
                self.found.append(f"{tag} {name}={value}")
        if tag == "meta" and ("http-equiv", "refresh") in attrs:
            self.found.append("<meta refresh>")


def rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def quoted(lines: Sequence[Sequence[object]]) -> str:
    written = io.StringIO()
    csv.writer(written).writerows(lines)
    return written.getvalue()


def formulas(text: str, *, kept: Sequence[str] = ()) -> list[str]:
    """Return the cells of a CSV that a spreadsheet runs, but for columns that a platform reads back."""
    head, *others = rows(text)
    found = [(name, cell) for line in others for name, cell in zip(head, line, strict=True)]
    cells = [*head, *(cell for name, cell in found if name not in kept)]
    return [cell for cell in cells if re.match(r"[=+@\t\r]|-(?!\d|$)", cell) or cell == "-2+3"]


def quiet(*said: str) -> bool:
    """Return whether a terminal only shows this: no escape, no bell, no character that turns a line round."""
    return not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", "".join(said))


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """Return a course whose people are called as the cells, with marks that say the same."""
    place = make_course(tmp_path / "course", like=TOY)
    lines = [("id", "name", "email")]
    lines += [(id, cell, "") for id, cell in zip(IDS, CELLS, strict=True)]
    (place / "roster.csv").write_text(quoted(lines))
    text = (place / "course.toml").read_text()
    (place / "course.toml").write_text(f"{text}\n[total]\nweights = {{ toy = 1 }}\n")
    for id, cell in zip(IDS, CELLS, strict=True):
        put(place / "graded", id, {"count": 10, "mean": 5, "argue": 1})
        grade = results.read_grade(place / "graded" / id)
        marks = tuple(replace(mark, message=cell) for mark in grade.marks)
        results.write_grade(place / "graded" / id, replace(grade, marks=marks))
    return place


def pages(archive: Path) -> Iterator[str]:
    """Yield the pages in a zip; nothing in it is named outside of it."""
    with zipfile.ZipFile(archive) as opened:
        for name in opened.namelist():
            assert ".." not in name
            assert not name.startswith("/")
            yield opened.read(name).decode()


def test_the_check_sees_what_runs() -> None:
    """A page with each of them as it is, and a table with formulas, are noticed."""
    assert Page("<script>x</script>").found
    assert Page("<img src=x onerror=1>").found == ["img src=x", "img onerror=1"]
    assert Page("<p>&lt;script&gt;</p>").found == []
    assert formulas("a,b\n=1,x\n") == ["=1"]
    assert formulas("a,b\n'=1,-2\n", kept=("a",)) == []
    assert not quiet("\x1b[2J")


def test_a_term(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """term.csv has no formula, pages have nothing that does something, the terminal stays quiet."""
    out = course / "term"
    words = ("term", course / "graded", "--out", out, "--course", course)
    status, said, errors = run(capsys, *words)
    assert status == 0, errors
    assert quiet(said, errors)
    text = (out / "term.csv").read_text(encoding="utf-8-sig")
    assert len(rows(text)) == len(IDS) + 1
    assert formulas(text) == []
    written = sorted(out.glob("*/term.html"))
    assert len(written) == len(IDS)
    assert [Page(path.read_text()).found for path in written] == [[]] * len(IDS)


@pytest.mark.parametrize("platform", ["canvas", "moodle"])
def test_an_export(course: Path, capsys: pytest.CaptureFixture[str], platform: str) -> None:
    """Names are text in what goes back; what the platform reads stays exactly."""
    if platform == "canvas":
        head = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", "toy (77)")
        lines: list[Sequence[object]] = [head, ("    Points Possible", "", "", "", "", 30)]
        lines += [(cell, id, "", "", "One", "") for id, cell in zip(IDS, CELLS, strict=True)]
        kept: tuple[str, ...] = ("ID", "SIS User ID", "SIS Login ID")
    else:
        head = ("Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade")
        lines = [(*head, "Last modified (grade)")]
        lines += [
            (f"Participant {id}", cell, "", "Submitted", "", "30.00", "-")
            for id, cell in zip(IDS, CELLS, strict=True)
        ]
        kept = ("Identifier", "Last modified (grade)")
    sheet = course / f"{platform}-export.csv"
    sheet.write_text(quoted(lines))
    words = ("export", course / "graded", f"--{platform}", sheet, "--course", course)
    status, said, errors = run(capsys, *words, "--yes")
    assert quiet(said, errors)
    assert "Traceback" not in errors
    assert status == 0, errors
    text = (course / "graded" / f"{platform}.csv").read_text(encoding="utf-8-sig")
    assert formulas(text, kept=kept) == []
    for archive in (course / "graded").glob("*-feedback.zip"):
        assert [found for page in pages(archive) if (found := Page(page).found)] == []


def test_requests(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Reasons are text in requests.csv and in drafts, and do nothing on the terminal."""
    form = course / "form.csv"
    lines = [("id", "question", "reason")]
    lines += [(id, "mean", cell) for id, cell in zip(IDS, CELLS, strict=True)]
    lines += [(cell, "mean", "x") for cell in CELLS]
    form.write_text(quoted(lines))
    status, said, errors = run(capsys, "requests", course / "graded", form, "--course", course)
    assert quiet(said, errors)
    assert "Traceback" not in errors
    assert status == 0, errors
    written = course / "graded" / "requests.csv"
    assert len(rows(written.read_text(encoding="utf-8-sig"))) > len(IDS)
    assert formulas(written.read_text(encoding="utf-8-sig")) == []
