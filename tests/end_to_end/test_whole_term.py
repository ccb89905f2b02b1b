"""One term, from release to final grades: 60 people, three homeworks, on each of the four ways in.

Lateness takes points of the machine and of people, and every page and table has the same totals.
"""

import csv
import functools
import html
import io
import json
import re
import shutil
import unicodedata
import zipfile
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

import pytest

from autograder.course.people import roster
from tests import sums
from tests.command_line import run
from tests.gradebooks import give_all, make_course, waiting
from tests.gradebooks import run as run_in
from tests.helpers import TOY
from tests.ways_in import WAYS, Way, feedback_names, grades
from tests.whole_term import (
    BY_HAND,
    CHANGED,
    DUE,
    GRACE,
    SHARE_A_DAY,
    SLIP_DAYS,
    SLIP_DAYS_AT_MOST,
    TAKEN,
    TERM,
    UNREADABLE,
    WEIGHTS,
    ZONE,
    Attempt,
    Person,
    people,
    reckoned,
    total,
)

pytestmark = [pytest.mark.slow, pytest.mark.turns(10, whole=True)]

COUNT = {
    "right": "return int((numbers > 0).sum())",
    "with loops": "return sum(1 for number in numbers if number > 0)",
    "counts zeros": "return int((numbers >= 0).sum())",
    "divides by all": "return int((numbers > 0).sum())",
    "nothing right": "return int((numbers >= 0).sum())",
}
MEAN = {
    "right": "chosen = numbers[numbers > 0]\n    return np.mean(chosen) if len(chosen) else 0.0",
    "with loops": "return sum(n for n in numbers if n > 0) / max(1, sum(n > 0 for n in numbers))",
    "counts zeros": "chosen = numbers[numbers > 0]\n    return np.mean(chosen) if len(chosen) else 0",
    "divides by all": "return numbers[numbers > 0].sum() / len(numbers)",
    "nothing right": "return numbers[numbers > 0].sum() / len(numbers)",
}
TO_WRITE = "# YOUR CODE HERE\n    raise NotImplementedError()"


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a course of three homeworks that are released to students."""
    place = make_course(tmp_path_factory.mktemp("released") / "course", like=TOY)
    toy = (place / "source" / "toy").rename(place / "toy")
    shutil.rmtree(place / "release")
    for name in TERM:
        folder = place / "source" / name
        shutil.copytree(toy, folder)
        notebook = (folder / "toy.ipynb").rename(folder / f"{name}.ipynb")
        spec = folder / "staff" / "spec.py"
        spec.write_text(spec.read_text().replace("Toy: numbers", f"{name.title()}: numbers"))
        if name == "toy1":
            spec.write_text(spec.read_text().replace('        Question("argue"),\n', ""))
            shutil.rmtree(folder / "staff" / "rubrics")
            cells = json.loads(notebook.read_text())
            cells["cells"] = [one for one in cells["cells"] if not one["id"].startswith("argue")]
            notebook.write_text(json.dumps(cells))
    shutil.rmtree(toy)
    status, said = run_in(place, "release")
    assert status == 0, said
    return place


@pytest.mark.parametrize("kind", WAYS, ids=[kind.__name__.lower() for kind in WAYS])
def test_a_term_ends_with_the_totals_that_its_rules_give(
    kind: Callable[..., Way],
    released: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    empty_gradebook: bytes,
) -> None:
    """Whatever the way in, each person has the same points and the same total."""
    course = shutil.copytree(released, tmp_path / "course")
    (course / "gradebook.db").write_bytes(empty_gradebook)
    (tmp_path / "exports").mkdir()
    class_ = people()
    _write_roster(course, class_)
    _write_settings(course, class_, DUE)
    way = kind(tmp_path / "exports", course, class_)
    verb = functools.partial(_verb, capsys, course)
    grade = functools.partial(_grade, verb, way)
    graded = {name: course / "graded" / name for name in TERM}

    grade("toy1")
    verb("report", graded["toy1"])
    _compare(grades(graded["toy1"]), "toy1", class_, DUE)
    first = grade("toy2", first=True)
    _mark(verb, course, "toy2", first)
    said = _mark(verb, course, "toy2", grade("toy2"), before=first)
    again = [p.shown for p in class_ if len({one.text for one in p.attempts.get("toy2", ())}) > 1]
    assert again == re.findall(
        r"note: (.+): look again, since the answer changed: argue", _composed(said)
    )
    _mark(verb, course, "toy3", grade("toy3"))

    _write_settings(course, class_, CHANGED)
    for name in TERM:
        verb("regrade", graded[name])
        if not (graded[name] / "grades.csv").is_file():  # where it is, `regrade` writes it again
            verb("report", graded[name])
        expected = {p: reckoned(p, CHANGED).scores.get(name) for p in class_}
        if words := way.taken_back(name):
            verb("export", graded[name], *words, "--yes")
            (archive,) = graded[name].glob("*-feedback.zip")
            final = [p for p, score in expected.items() if score is not None]
            assert len(feedback_names(archive)) == len(final)
            _compare_feedback(archive, {p.number: expected[p] for p in final})
        _compare_pages(course, name, expected)
        _compare(way.marks(name, graded[name]), name, class_, CHANGED)
    term = course / "term"
    verb("term", *graded.values(), "--out", term, *way.pages_taken_back("toy3"))
    _compare_totals(term, class_)
    assert way.pages(term) == way.with_page(sum(bool(p.attempts.get("toy3")) for p in class_))
    _look_for_people(course, class_)


def _write_roster(course: Path, class_: list[Person]) -> None:
    rows = [["id", "name", "email"], *([p.id, p.name, p.email] for p in class_)]
    with (course / "roster.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)


def _write_settings(course: Path, class_: list[Person], due: Mapping[str, datetime]) -> None:
    lines = [
        'title = "Toys"\nterm = "Autumn"',
        f'time_zone = "{ZONE}"',
        f'[late]\nrule = "deduct"\npercent_a_day = {int(100 * SHARE_A_DAY)}',
        f"grace_minutes = {GRACE.total_seconds() / 60:g}",
        f"slip_days = {SLIP_DAYS}\nslip_days_at_most = {SLIP_DAYS_AT_MOST}",
        "[total]\ndrop = 1",
        f"weights = {{ {', '.join(f'{name} = {weight}' for name, weight in WEIGHTS.items())} }}",
        f"excused = {{ toy3 = {json.dumps([p.id for p in class_ if p.excused])} }}",
    ]
    for name in TERM:
        lines.append(f"[homework.{name}]\ndue = {due[name].isoformat()}")
        lines.append(f"late_due = {TAKEN[name].isoformat()}")
    lines.append("[homework.toy2.extensions]")
    lines += [f"{json.dumps(p.id)} = {p.extension.isoformat()}" for p in class_ if p.extension]
    (course / "course.toml").write_text("\n".join(lines) + "\n")


def _verb(
    capsys: pytest.CaptureFixture[str], course: Path, *words: object, problems: int = 0
) -> str:
    """Run a verb that reports so many problems, a line each; return what it printed."""
    status, said, err = run(capsys, *words, "--course", course)
    assert status == (2 if problems else 0), f"{words}: {said}{err}"
    assert sum(line.startswith("autograder: ") for line in err.splitlines()) == problems, err
    return said + err


def _grade(
    verb: Callable[..., str], way: Way, name: str, *, first: bool = False
) -> dict[Person, Attempt]:
    """Grade a homework with all files, or each person's first; return the attempts that count."""
    submitted = {
        p: p.attempts[name][: 1 if first else None] for p in way.people if p.attempts.get(name)
    }
    notebook = (way.course / "release" / name / f"{name}.ipynb").read_text()
    words = way.exported(name, submitted, functools.partial(_content, notebook))
    counted = {p: attempts[-1] for p, attempts in submitted.items()}
    out = way.course / "graded" / name
    verb("grade", name, *words, "--out", out, "-j", 2, problems=_unreadable(counted))
    folders = {path.name for path in out.glob("[!.]*/")}  # one that begins with a dot is the kit's
    assert folders == {_folder(way.course, p.id) for p in submitted}
    return counted


def _composed(text: str) -> str:
    """Return text with each accent in its letter; platforms give ids back as they had them."""
    return unicodedata.normalize("NFC", text)


def _folder(course: Path, id: str) -> str:
    """Return the name of the folder in which a person's results are."""
    return roster(course).folder(id)


def _unreadable(counted: Mapping[Person, Attempt]) -> int:
    return sum(one.code == UNREADABLE for one in counted.values())


def _content(notebook: str, one: Attempt) -> bytes:
    """Return a file as a student submits it: the release with answers in it."""
    if one.code == UNREADABLE:
        return b"This is my homework."
    found = json.loads(notebook)
    cells = {cell["id"]: cell for cell in found["cells"]}
    for id, answers in (("count_answer", COUNT), ("mean_answer", MEAN)):
        if one.code in answers:
            source = "".join(cells[id]["source"])
            assert TO_WRITE in source
            cells[id]["source"] = source.replace(TO_WRITE, answers[one.code])
    if one.text:
        cells["argue"]["source"] = one.text
    return json.dumps(found).encode()


def _mark(
    verb: Callable[..., str],
    course: Path,
    name: str,
    counted: Mapping[Person, Attempt],
    before: Mapping[Person, Attempt] | None = None,
) -> str:
    """Mark the open answers in the gradebook: new ones, and those that changed after marking."""
    said = verb("gradebook", course / "graded" / name, problems=_unreadable(counted))
    marked = {p: one.text for p, one in (before or {}).items()}
    texts = {
        _folder(course, p.id): one.text
        for p, one in counted.items()
        if one.text != marked.get(p, "") and name not in reckoned(p, DUE).lost
    }
    open_ = {_folder(course, id): id for id in waiting(course, name, "argue")}
    assert open_.keys() == texts.keys()
    give_all(course, name, "argue", {open_[id]: BY_HAND[text] for id, text in texts.items()})
    return said


def _compare(
    found: Mapping[str, str], name: str, class_: list[Person], due: Mapping[str, datetime]
) -> None:
    """Compare the points in a table with those that the rules give."""
    expected = {p.shown: reckoned(p, due).scores.get(name) for p in class_}
    points = {_composed(id): float(text) if text else None for id, text in found.items()}
    assert points == pytest.approx(expected, abs=0.005)


def _compare_pages(course: Path, name: str, expected: Mapping[Person, float | None]) -> None:
    """Check that each page on a person's homework adds up to the points by the rules."""
    graded = course / "graded" / name
    table = sums.of_table((graded / "grades.csv").read_text(encoding="utf-8-sig"))
    book = sums.of_gradebook(course / "gradebook.db", name)
    for person, score in expected.items():
        if score is None:
            continue
        mine = graded / _folder(course, person.id)
        results = json.loads((mine / "results.json").read_text())
        pages = [sums.of_report((mine / "report.html").read_text()), sums.of_results(results)]
        sums.same([*pages, table[person.shown]], score)
        if book:  # the first homework has nothing to mark by hand
            in_book = {_folder(course, id): points for id, points in book.items()}
            assert in_book[_folder(course, person.id)] == pytest.approx(score, abs=0.005)


def _compare_feedback(archive: Path, expected: Mapping[int, float | None]) -> None:
    """Check that each notebook for Canvas or page for Moodle has the points by the rules."""
    with zipfile.ZipFile(archive) as opened:
        for name in opened.namelist():
            number = int(re.findall(r"[0-9]+", name)[0]) % 100
            text = opened.read(name).decode()
            one = sums.of_notebook(text) if name.endswith(".ipynb") else sums.of_report(text)
            score = expected[number]
            assert score is not None
            sums.same([one], score)


def _compare_totals(term: Path, class_: list[Person]) -> None:
    """Compare the term's table with the totals by the rules; check that everybody has a page."""
    rows = {
        row["id"]: row
        for row in csv.DictReader(io.StringIO((term / "term.csv").read_text(encoding="utf-8-sig")))
    }
    expected = {p.shown: total(p, CHANGED) for p in class_}
    found = {id: float(row["total"]) for id, row in rows.items()}
    assert found == pytest.approx(expected, abs=0.005)
    for person in class_:
        row, rules = rows[person.shown], reckoned(person, CHANGED)
        late = {name: int(row[f"{name} late days"] or 0) for name in rules.late_days}
        assert late == rules.late_days
        assert int(row["slip days left"]) == rules.slip_days_left
        absent = [name for name in TERM if name not in rules.scores]
        assert row["missing"] == ", ".join(absent)
        assert row["excused"] == ("toy3" if person.excused else "")
        unreadable = [name for name, score in rules.scores.items() if score is None]
        assert bool(unreadable) == (row["state"] != "complete")
        page = (term / _folder(term.parent, person.id) / "term.html").read_text()
        assert f"{row['total']} %" in page
        scores = [score for name in TERM if (score := rules.scores.get(name)) is not None]
        for one, score in zip(sums.of_term(page), scores, strict=True):
            sums.same([one], score)


def _look_for_people(course: Path, class_: list[Person]) -> None:
    """Look through what students get for somebody's name or address, and tables for formulas."""
    for page in (*course.glob("graded/*/*/report.html"), *course.glob("term/*/term.html")):
        text = html.unescape(page.read_text())
        assert "@example.org" not in text
        assert not [p.name for p in class_ if p.name in text]
    for table in (*course.glob("graded/*/grades.csv"), course / "term" / "term.csv"):
        for row in csv.DictReader(io.StringIO(table.read_text(encoding="utf-8-sig"))):
            assert row["name"][:1] not in set("=+-@")
