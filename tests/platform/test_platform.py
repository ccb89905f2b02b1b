"""The zip, installed in an empty Debian and driven as Gradescope's harness drives it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import nbformat
import psutil
import pytest
from nbclient import NotebookClient

from autograder.course.course import SECRET_VARIABLE
from autograder.platforms.gradescope.simulate import Shown, SimulatedPlatform
from autograder.records import codec
from autograder.store import embedded_log
from tests.helpers import ROOT, SECRET, count
from tests.platform.groups import Group
from tests.platform.system import NAMES, metadata, packed
from tests.redteam import attack
from tests.redteam.attack import EVERYTHING
from tests.schemas import all_fit, fits

pytestmark = [pytest.mark.slow, pytest.mark.turns(10, whole=True)]

NAME = NAMES[0]
SUBMISSIONS = ROOT / "tests" / "submissions"
Small = tuple[SimulatedPlatform, Group]


def earned(shown: Shown) -> dict[str, float]:
    """Return the points of each question that a machine marks; the page fits its form."""
    fits("results.json", shown.page)
    tests = [test for test in shown.tests_of_staff if "score" in test]
    return {test["extra_data"]["question"]: test["score"] for test in tests}


def words(shown: Shown) -> str:
    return "\n".join(shown.lines())


def graded_here(name: str, submission: Path, out: Path) -> Path:
    """Run `autograder grade` on this machine, as an instructor does.

    What this machine tells OpenBLAS is left out: the platform knows nothing of it, and last digits
    depend on it.
    """
    told = {name: value for name, value in os.environ.items() if not name.startswith("OPENBLAS")}
    done = subprocess.run(
        [sys.executable, "-m", "autograder", "grade", name, submission, "--out", out],
        cwd=ROOT,
        env=told | {SECRET_VARIABLE: SECRET},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return out


def same(shown: Shown, folder: Path) -> None:
    """Fail unless a page has the marks, the words and the facts of a local run."""
    assert all_fit(folder) == 3
    local = json.loads((folder / "results.json").read_text())
    for key in ("score", "output", "tests"):
        assert shown.page[key] == local[key], key
    log = codec.decode_log((folder / "submission_log.json").read_bytes())
    data = shown.page["extra_data"]
    assert data["log_sha256"] == codec.facts_sha256(log)
    if data["log"] is None:
        assert "download the submissions" in data["notes"][0]
    else:
        assert codec.facts_sha256(embedded_log.log(shown.page)) == data["log_sha256"]
    assert data["grader"] == log.versions["autograder"]
    assert "view" in data["isolation"]
    assert data["finished"] is True


def test_examples_get_what_they_get_here(image: SimulatedPlatform, tmp_path: Path) -> None:
    """Five notebooks: equal marks, words and facts, whatever the versions and layers."""
    here = graded_here(NAME, SUBMISSIONS / NAME, tmp_path / "here")
    for notebook in sorted((SUBMISSIONS / NAME).glob("*.ipynb")):
        shown = image.submit(notebook, metadata(notebook.stem))
        assert not shown.complaint
        same(shown, here / notebook.stem)


@pytest.fixture(scope="module")
def by_notebook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run the perfect notebook in a real kernel, its demos left out: its last cell writes a log."""
    folder = tmp_path_factory.mktemp("student")
    notebook = nbformat.reads(json.dumps(attack.right()), as_version=4)
    notebook.cells = [
        cell
        for cell in notebook.cells
        if cell.metadata.get("autograder", {}).get("role") != "demo" or cell.id == "submission_log"
    ]
    NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(folder)}}).execute()
    return folder / "submission_log.json"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_log_alone_is_graded_by_what_it_holds(
    image: SimulatedPlatform, by_notebook: Path
) -> None:
    """The original course's flow: everything but the extra credit, which no log holds."""
    shown = image.submit(by_notebook, metadata())
    assert earned(shown) == EVERYTHING | {"unique": 0}
    assert "graded from a submission_log.json without a notebook" in words(shown)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("changed", [False, True])
def test_a_log_of_other_answers_is_said_so(
    image: SimulatedPlatform, by_notebook: Path, tmp_path: Path, changed: bool
) -> None:
    """The notebook counts; where answers_sha256 differs, the student is told."""
    notebook = attack.right()
    if changed:
        answer = attack.cell(notebook, "identity_answer")
        answer["source"] = "".join(answer["source"]) + "\n# later"
    attack.write(notebook, tmp_path)
    shutil.copy(by_notebook, tmp_path)
    shown = image.submit(tmp_path, metadata())
    assert earned(shown) == EVERYTHING
    assert ("answers_sha256 differs" in words(shown)) is changed


def test_helpers_and_zips_are_taken(image: SimulatedPlatform, tmp_path: Path) -> None:
    """An answer may be in a Python file beside the notebook, and all of it in one zip."""
    notebook = attack.right()
    answer = attack.cell(notebook, "identity_answer")
    (tmp_path / "in").mkdir()
    source = "".join(answer["source"])
    (tmp_path / "in" / "my_answers.py").write_text(f"import numpy as np\n{source}\n")
    answer["source"] = (
        "import my_answers\n\ndef identity_weights():\n    return my_answers.identity_weights()"
    )
    attack.write(notebook, tmp_path / "in", "Homework (2).ipynb")
    archive = shutil.make_archive(str(tmp_path / "all"), "zip", tmp_path / "in")
    for submission in (tmp_path / "in", Path(archive)):
        assert earned(image.submit(submission, metadata())) == EVERYTHING


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "no notebook in it"),
        ({"essay.pdf": "%PDF"}, "only essay.pdf"),
        ({"a.ipynb": "{", "b.ipynb": "{"}, "it is unclear which counts of a.ipynb, b.ipynb"),
        ({"a.ipynb": "{"}, "save it again from Jupyter"),
        ({"a.zip": "PK"}, "cannot be searched"),
    ],
    ids=["nothing", "no notebook", "two", "broken", "no zip"],
)
def test_what_cannot_be_graded_is_said_in_one_line(
    image: SimulatedPlatform, tmp_path: Path, files: Mapping[str, str], said: str
) -> None:
    """No points, and what is wrong; it is not an attempt."""
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    shown = image.submit(tmp_path, metadata())
    assert shown.score == 0
    assert said in words(shown)
    assert shown.page["extra_data"]["finished"] is False
    assert "Traceback" not in shown.said


@pytest.mark.parametrize("said", [None, "", "[1, 2", '{"users": 7}', "\x00"])
def test_metadata_that_says_nothing_changes_no_mark(
    image: SimulatedPlatform, said: str | None
) -> None:
    """A file that is missing, empty, broken or of another form."""
    shown = image.submit(SUBMISSIONS / NAME / "perfect.ipynb", said)
    assert earned(shown) == EVERYTHING


def test_files_may_be_read_only(image: SimulatedPlatform, tmp_path: Path) -> None:
    """As some platforms mount them."""
    attack.write(attack.right(), tmp_path)
    for path in (*tmp_path.iterdir(), tmp_path):
        path.chmod(0o555 if path.is_dir() else 0o444)
    assert earned(image.submit(tmp_path, metadata())) == EVERYTHING


LOOKS = """\
import os

PLACES = ["/autograder", ROOT_PLACES, "/proc/1", f"/proc/{os.getppid()}"]

def identity_weights():
    seen = []
    for place in PLACES:
        for folder, _, files in os.walk(place):
            for name in ("", *files):
                path = os.path.join(folder, name)
                try:
                    with open(path, "rb") as file:
                        seen.append(path + ": " + repr(file.read(40)))
                except IsADirectoryError:
                    if name == "" and os.access(path, os.R_OK) and path.count("/") > 2:
                        seen.append(path)
                except OSError:
                    pass
            if len(seen) > 20:
                break
    raise ValueError("SEEN " + str([s for s in seen if "autograder" in s or "environ" in s][:10]))
"""


def test_student_code_reads_nothing_of_staff(image: SimulatedPlatform, tmp_path: Path) -> None:
    """Neither source, results, metadata, submission nor worked examples; nor can it write there."""
    notebook = attack.right()
    inside = "/autograder" if image.whole else str(image.places.root)
    looks = LOOKS.replace("ROOT_PLACES", repr(inside)).replace("/autograder", inside)
    attack.cell(notebook, "identity_answer")["source"] = looks
    writes = f"open({inside + '/results/results.json'!r}, 'w').write('{{\"score\": 60}}')"
    notebook["cells"].append(attack.new_cell(writes))
    attack.write(notebook, tmp_path)
    shown = image.submit(tmp_path, metadata())
    assert earned(shown) == EVERYTHING | {"identity": 0}
    assert "SEEN []" in words(shown)
    assert "4711" not in json.dumps(shown.page["tests"])


ASKED = tuple(EVERYTHING)

# The grader's own frames say which question it asks.
MIDWAY = """\
import os, sys, time

def before(answer):
    def asked(*arguments, **options):
        frame = sys._getframe()
        while frame and "request" not in frame.f_locals:
            frame = frame.f_back
        if frame and frame.f_locals["request"]["question"] == QUESTION:
            misbehave()
        return answer(*arguments, **options)
    return asked

def misbehave():
"""
ANSWERS = {
    "port_answer": "PytorchTransformer.forward",
    "identity_answer": "identity_weights",
    "copy_first_answer": "copy_first_weights",
    "unique_answer": "unique_weights",
}
SLEEPS = "    time.sleep(1000)"
# Each process stays below its own limit: together they are too much, and too fast to be seen.
TAKES_MEMORY = """\
    for _ in range(6):
        if os.fork() == 0:
            held = b"1" * 250_000_000
            time.sleep(30)
    held = b"1" * 250_000_000
    time.sleep(30)
"""
TAKES_DISK = """\
    for number in range(100):
        with open(f"large-{number}", "wb") as file:
            try:
                while True:
                    file.write(bytes(1_000_000))
            except OSError:
                pass
"""


def misbehaving(folder: Path, number: int, does: str) -> Path:
    """Write a right notebook that does something else when it is asked the so-manieth question."""
    notebook = attack.right()
    midway = MIDWAY.replace("QUESTION", repr(ASKED[number - 1]))
    place = 1 + notebook["cells"].index(attack.cell(notebook, "imports"))
    notebook["cells"].insert(place, attack.new_cell(midway + does))
    for id, name in ANSWERS.items():
        answer = attack.cell(notebook, id)
        answer["source"] = f"{attack.text(answer)}\n\n{name} = before({name})"
    return attack.write(notebook, folder)


def before_that(number: int) -> dict[str, float]:
    """Return what the questions before one of them earn, and nothing for the others."""
    return {q: p if n < number - 1 else 0 for n, (q, p) in enumerate(EVERYTHING.items())}


@pytest.mark.parametrize("number", range(1, 8) if count(1, 0) else [4])
def test_time_that_is_over_keeps_the_marks_until_then(
    image: SimulatedPlatform, tmp_path: Path, number: int
) -> None:
    """At each question; the grader ends before the platform would, with a whole page."""
    shown = image.submit(misbehaving(tmp_path, number, SLEEPS), metadata(), seconds=24)
    assert not shown.complaint
    assert earned(shown) == before_that(number)
    assert shown.page["extra_data"]["finished"] is True, shown.said
    assert "did not finish in time" in words(shown)


def test_memory_that_is_used_up_costs_one_question(small: Small, tmp_path: Path) -> None:
    """At 768 MB, the process that used it ends, not the grader; other questions count."""
    image, _ = small
    shown = image.submit(misbehaving(tmp_path, 5, TAKES_MEMORY), metadata())
    assert earned(shown) == EVERYTHING | {"identity": 0}
    assert shown.page["extra_data"]["finished"] is True


def test_the_smallest_container_is_enough(small: Small) -> None:
    """The peak of memory that cannot be reclaimed is far from the limit."""
    image, group = small
    shown = image.submit(SUBMISSIONS / NAME / "as_in_the_source.ipynb", metadata())
    assert shown.score == 32
    assert 100_000_000 < group.peak < 500_000_000


@pytest.fixture
def full_disk(image: SimulatedPlatform) -> Iterator[SimulatedPlatform]:
    """Put results and temporary files on one small disk."""
    if not image.whole:
        pytest.skip("only root mounts a disk")
    disk = image.home / "mnt"
    places = {image.home / "tmp": disk / "tmp", image.places.results: disk / "results"}
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=30m", "tmpfs", disk], check=True)
    try:
        for place, own in places.items():
            own.mkdir()
            own.chmod(0o1777 if place.name == "tmp" else 0o700)
            subprocess.run(["mount", "--bind", own, place], check=True)
        yield image
    finally:
        for place in (*places, disk):
            subprocess.run(["umount", "-l", place], check=False)


def test_a_full_disk_costs_nothing(full_disk: SimulatedPlatform, tmp_path: Path) -> None:
    """From the second question on nothing can be written; room for the marks was kept."""
    shown = full_disk.submit(misbehaving(tmp_path, 2, TAKES_DISK), metadata())
    assert not shown.complaint
    assert earned(shown) == EVERYTHING
    assert shown.page["extra_data"]["finished"] is True


def graders(image: SimulatedPlatform) -> list[psutil.Process]:
    """Return the processes in which the judge works."""
    return [
        process
        for process in psutil.process_iter(["cmdline"])
        if (process.info["cmdline"] or [])[1:5]
        == ["-I", "-m", "autograder.platforms.gradescope", "run"]
    ]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP][: count(2, 1)])
def test_a_grader_that_is_gone_leaves_the_marks_until_then(
    image: SimulatedPlatform, tmp_path: Path, number: signal.Signals
) -> None:
    """After kill -9, and when it hangs until its script ends it."""
    path = image.places.results / "results.json"
    seen: list[Shown] = []

    def submit() -> None:
        seen.append(image.submit(misbehaving(tmp_path, 6, SLEEPS), metadata(), seconds=24))

    path.unlink(missing_ok=True)
    student = threading.Thread(target=submit)
    student.start()
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if path.is_file() and json.loads(path.read_text())["score"] == 36:
            break
        time.sleep(0.05)
    (grader,) = graders(image)
    grader.send_signal(number)
    student.join()
    (shown,) = seen
    assert not shown.complaint
    assert earned(shown) == before_that(6)
    assert shown.page["extra_data"]["finished"] is False
    assert "grading was stopped" in words(shown)


def test_a_broken_image_says_so(image: SimulatedPlatform) -> None:
    """Where Python does not start, the script itself speaks."""
    python = next(image.home.glob("opt/*/bin/python")) if image.whole else None
    python = python or image.home / "venv" / "bin" / "python"
    away = python.with_name("python.away")
    python.rename(away)
    try:
        shown = image.submit(SUBMISSIONS / NAME / "perfect.ipynb", metadata())
    finally:
        away.rename(python)
    assert not shown.complaint
    assert "nothing is wrong with your submission" in words(shown)


def test_policies_follow_what_the_platform_says(image: SimulatedPlatform) -> None:
    """This covers lateness by a day and a half, and a third upload where two are allowed."""
    settings_file = image.places.source / "course.json"
    before = settings_file.read_text()
    settings = json.loads(before)
    settings["gradescope"]["attempts_a_day"] = 2
    settings["late"] = {"rule": "deduct", "percent_a_day": 10, "grace_minutes": 0}
    settings_file.write_text(json.dumps(settings))
    dates = {"due_date": "2026-10-31T22:00:00-07:00", "late_due_date": None}
    notebook = SUBMISSIONS / NAME / "perfect.ipynb"
    try:
        first = image.submit(notebook, metadata(assignment=dates))
        assert first.page["score"] == pytest.approx(52 * 0.9)
        assert "10 % of the points" in words(first)
        uploads = [
            {"submission_time": "2026-11-01T06:00:00-07:00", "score": "0.0"},
            {"submission_time": "2026-11-01T07:00:00-07:00", "autograder_error": True},
            {
                "submission_time": "2026-11-01T08:00:00-07:00",
                "score": 46.8,
                "results": dict(first.page),
            },
        ]
        shown = image.submit(notebook, metadata(previous_submissions=uploads))
        # As if a check had been mended since then: the log that it carries is judged again.
        uploads[-1]["results"] = {**first.page, "score": 1.0, "tests": []}
        again = image.submit(notebook, metadata(previous_submissions=uploads))
    finally:
        settings_file.write_text(before)
    assert "This course grades 2 uploads a day" in words(shown)
    for page in (shown.page, again.page):
        assert page["tests"] == first.page["tests"]
        assert page["score"] == first.page["score"]
        assert page["extra_data"]["graded"] is False


def test_setting_up_again_is_short_and_another_homework_may_follow(
    image: SimulatedPlatform, tmp_path: Path
) -> None:
    """hw3_proofs: nothing is installed twice, and an example gets what it gets here.

    It comes last: the image is that homework's from then on.
    """
    (notebook,) = (SUBMISSIONS / NAMES[1]).glob("*.ipynb")
    here = graded_here(NAMES[1], notebook, tmp_path / "here")
    assert "is installed in" in image.build(packed(tmp_path, NAMES[1]))
    same(image.submit(notebook, metadata(notebook.stem)), here / notebook.stem)
