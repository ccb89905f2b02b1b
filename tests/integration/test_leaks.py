"""leaks: what of the secrets would reach a student is seen, wherever it is; all else is left alone."""

import base64
import io
import json
import shutil
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from autograder.authoring import release
from autograder.authoring.leaks.digits import Numbers, numbers_in
from autograder.authoring.leaks.passages import ANSWER, Passages, with_edits
from autograder.authoring.leaks.search import Secrets
from autograder.course import course as courses
from autograder.records.facts import Outcome, SubmissionLog
from autograder.records.homework import Homework
from tests.helpers import ANYONE, drawn
from tests.truth import leaks as seeded

FULL = "0.7310585786300049"


def logged(**values: object) -> SubmissionLog:
    """Return a log in which the instructor's answer to "identity" gave these arrays."""
    arrays = {name: np.asarray(value, dtype=float) for name, value in values.items()}
    return SubmissionLog(
        "hw2_transformer", ANYONE, outcomes=(Outcome("identity", 0, "returned", arrays),)
    )


@pytest.fixture(scope="module")
def secrets(course: Path, hw2: Homework) -> Secrets:
    return Secrets.of(course, hw2)


def said(secrets: Secrets, name: str, data: bytes) -> list[str]:
    return [leak.what for leak in secrets.leaks_in_files({Path(name): data})]


def spoken(secrets: Secrets, text: str) -> list[str]:
    return [leak.what for leak in secrets.leaks_in_text("here", text)]


@pytest.mark.slow
@pytest.mark.turns(5)
def test_every_seeded_leak_is_caught(course: Path, hw2: Homework) -> None:
    """Without the instructor's log all but expected values are seeded, and all are caught."""
    rows = list(seeded.rows(course, hw2, (), drawn(hw2, "a")))
    assert [row for row in rows if not row.good] == []
    assert len(rows) > 45
    assert str(course) not in "".join(row.detail for row in rows)


@pytest.mark.slow
@pytest.mark.turns(5)
def test_chance_gives_no_alarm(course: Path, hw2: Homework) -> None:
    """Other hidden inputs, as other secrets draw them, never look like numbers of the release."""
    files = release.release_files(course, hw2.name)
    for secret in "abcd":
        assert Secrets.of(course, hw2, hidden=drawn(hw2, secret)).leaks_in_files(files) == []


@pytest.mark.parametrize(
    "text",
    [
        "`if self.pos is not None:` asks whether there are positions",
        "def identity_weights():\n    return Km, Qm, Vm",
        "class PytorchTransformer(nn.Module):\n    def __init__(self, input_dim, qk_dim, v_dim):",
        "from torch import nn\nimport math",
        "Our staff. They read it. See https://example.org/home/page and data/home/x.csv",
        "np.zeros((3, 3)), np.eye(3), 1 0 0 0 1 0 0 0 1, 0.5, 1000000",
        "$\\nabla f$, $A:\\mathbb R$ and 50 % of a < b; a sha256: " + 8 * "0a1b2c3d",
        "A_name_that_is_as_long_as_base64_but_is_none",
    ],
)
def test_harmless_texts_are_left_alone(secrets: Secrets, text: str) -> None:
    assert spoken(secrets, text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Set km[ 3 ]=20 first.",
        "my_qm = 20 * np.eye(3)",
        r"print('Km[3] = 20\nQm[3:] = 1')",
        "<code>Qm</code>[:3, :3] = np.<b>eye</b>(3)",
        "Km%5B3%5D%20%3D%2020",
        "\x1b[1mKm\x1b[0m[\x1b[32m3\x1b[0m] = 20",
        "Qm Km^T alone, so Qm R and Km R^-T give the same scores",
        "it says file:///home/someone/hw.py",
        "C:/Users/teacher/hw.py",
        "from staff.reference import transformer",
        "### BEGIN HIDDEN TESTS",
    ],
)
def test_small_leaks_are_seen(secrets: Secrets, text: str) -> None:
    """A line is enough, however it is written; so is a path, a name, a marker."""
    assert spoken(secrets, text)


def test_a_leak_names_both_places_and_quotes_the_beginning(secrets: Secrets) -> None:
    """Where it is, whose it is, and its first words: what an author has to look for."""
    (leak,) = secrets.leaks_in_text("cell 'x'", "try Km[3] = 20")
    said = "a line of the answer 'copy_first_answer': `Km[3] = 20`"
    assert (leak.place, leak.what) == ("cell 'x'", said)


@pytest.mark.parametrize(
    ("line", "leaks"),
    [
        ("rng = np.random.default_rng(0)", False),
        ("torch.manual_seed(1234)", False),
        ("fig, axes = plt.subplots(1, 2, figsize=(8, 3))", False),
        ("values = np.random.default_rng(0).normal(size=3) * 7", True),
    ],
)
def test_what_everybody_writes_is_no_leak(line: str, leaks: bool) -> None:
    """A line of an answer that is an idiom tells nothing of it; a line with more does."""
    passages = Passages([])
    passages.add(f"{line}\n", "the answer", ANSWER, python=True)
    assert bool(list(passages.found(line, feedback=False))) is leaks


def test_edits_of_a_known_answer_are_the_lines_that_they_make(secrets: Secrets) -> None:
    """They are code, of which names and signs count, and no sentences; what they replace is not theirs."""
    answers = ["x = 1\nif x:\n    y = f(x) + 2  # on\n", "z = 3\n"]
    known = '"""Other."""\n\nEDITS = {"f(x)": "g(x)", "z = 3": "z = 4\\nw = 5", "no": "nowhere"}\nA = 1\n'
    made = '"""Other."""\n\n    y = g(x) + 2  # on\nz = 4\nw = 5\nA = 1'
    assert with_edits(known, answers) == made
    for other in ("def broken(", "EDITS = 3\n", "A = {1: 2}\n"):
        assert with_edits(other, answers) == other
    said = spoken(secrets, "scores = K @ Q.T / math.sqrt(K.shape[-1])")
    assert "[queries_and_keys_swapped] of staff/mistakes.toml" in said[0]


def test_what_is_given_on_purpose_is_no_leak(course: Path, hw2: Homework) -> None:
    """`allowed_leaks` names fragments of text, and cells whose numbers may be seen."""
    log = logged(Km=[[0.0296, 2.1645, -0.0705], [0.0967, -1.1599, -1.2063]])
    files = release.release_files(course, hw2.name)
    assert Secrets.of(course, hw2, [log]).leaks_in_files(files)
    giving = replace(hw2, allowed_leaks={"learned": "shown", "Km[3]  = 20": "a hint"})
    secrets = Secrets.of(course, giving, [log])
    assert secrets.leaks_in_files(files) == []
    assert spoken(secrets, "try Km[3] = 20") == []
    assert spoken(secrets, "try Km[3] = 20 and Qm[3:] = 1")


def test_numbers_are_compared_by_what_chance_allows(course: Path, hw2: Homework) -> None:
    """One number in full, or several rounded ones in a row; never one rounded one among many."""
    values = np.random.default_rng(5).normal(size=(40, 50))
    values[3, 4] = float(FULL)
    secrets = Secrets.of(course, hw2, [logged(output=values)])
    row = np.abs(values[7, :5])
    assert spoken(secrets, f"it is {FULL}") == [
        f"a number of the value of 'identity' (output): {FULL}"
    ]
    assert spoken(secrets, "it is 0.7311") == []
    assert spoken(secrets, " | ".join(f"{x:.3f}" for x in row))
    assert spoken(secrets, " ".join(f"{x:.3f}" for x in row[::-1])) == []
    few = Secrets.of(course, hw2, [logged(output=values[3, 3:6])])
    assert spoken(few, "it is 0.73106")


@pytest.mark.parametrize(("text", "leaks"), [("0.5316178919693294", True), ("0.5316179", False)])
def test_equal_to_the_last_digit_is_no_chance(text: str, leaks: bool) -> None:
    """Seven digits may agree by chance, with so many secrets and other long numbers."""
    secrets = Numbers(least=3)
    secrets.add("a hidden input", np.random.default_rng(0).random(100_000))
    secrets.add("another", np.array([0.5316178919693294]))
    assert [*secrets.close(numbers_in(f"arXiv 2203.16634, 1706.03762; {text}."))] == (
        ["a number of another: 0.5316178919693294"] if leaks else []
    )


@pytest.mark.parametrize("text", ["1234567891", "1_234_567_891", "0x499602D3", "1234567891.0"])
def test_a_long_number_is_seen_in_every_form_that_python_reads(text: str) -> None:
    secrets = Numbers(least=3)
    secrets.add("a hidden input", np.array([1234567891.0]))
    assert [*secrets.close(numbers_in(f"seed = {text}"))] == [
        "a number of a hidden input: 1234567891"
    ]


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("up to 256; d > 256", ""),
        ("256, 357", "256, 357"),
        ("0.1234, 0.1234", "0.1234, 0.1234"),
        ("812, 812", "812, 812"),
    ],
)
def test_a_repeated_size_is_one_agreement(text: str, row: str) -> None:
    """A text names a size again and again, and rows of secret numbers may be nearly equal."""
    secrets = Numbers(least=3)
    secrets.add("a hidden input", np.array([256.02, 256.02, 357.04, 0.12341, 0.12341]))
    secrets.add("a hidden input", np.array([812.0, 812.0]))
    (found,) = [*secrets.close(numbers_in(text))] or [""]
    assert found.partition(" in a row of a hidden input: ")[2] == row


def test_designed_matrices_are_seen_in_files(course: Path, hw2: Homework) -> None:
    """A matrix of few different numbers is known as a whole, turned or not; an identity is none."""
    secrets = Secrets.of(course, hw2, [logged(Km=20 * np.eye(3), Qm=[[0], [0], [1], [1], [1]])])
    for array, leaks in (
        (20 * np.eye(3, dtype=np.int8), True),
        (np.array([[0, 0, 1, 1, 1]]), True),
        (np.eye(3), False),
        (np.zeros((3, 3)), False),
        (np.array([0, 0, 1, 1, 1, 0]), False),
    ):
        file = io.BytesIO()
        np.savez(file, start=array)
        assert bool(said(secrets, "data/start.npz", file.getvalue())) == leaks, array


def test_a_picture_in_an_answer_cell_is_a_secret(course: Path, tmp_path: Path) -> None:
    """Nbgrader empties a sample answer and leaves its picture; a release does not have it."""
    copied = tmp_path / "course"
    name = "hw2_transformer"
    shutil.copytree(course / "source" / name, copied / "source" / name)
    shutil.copy(course / "course.toml", copied)
    path = copied / "source" / name / f"{name}.ipynb"
    notebook = json.loads(path.read_text())
    file = io.BytesIO()
    Image.radial_gradient("L").save(file, "PNG")
    cell = next(cell for cell in notebook["cells"] if cell["id"] == "compare_identity")
    cell["attachments"] = {"plot.png": {"image/png": base64.b64encode(file.getvalue()).decode()}}
    path.write_text(json.dumps(notebook))
    secrets = Secrets.of(copied, Homework("", (), name=name))
    files = release.release_files(copied, name)
    assert secrets.leaks_in_files(files) == []
    released = json.loads(files[Path(f"{name}.ipynb")])
    given = next(one for one in released["cells"] if one["id"] == cell["id"])
    assert "attachments" not in given
    given["attachments"] = cell["attachments"]
    files[Path(f"{name}.ipynb")] = json.dumps(released).encode()
    places = [leak.place for leak in secrets.leaks_in_files(files)]
    assert places == [f"release/{name}/{name}.ipynb, cell 'compare_identity', attachments, base64"]


@pytest.mark.slow
@pytest.mark.turns(5)
def test_the_secret_of_a_course(
    course: Path, hw2: Homework, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long one is found inside of words, a short one as a word, a plain word not at all."""
    for secret, text, leaks in (
        ("correct horse battery", "x=correct horse battery!", True),
        ("k9#x", "the k9#x one", True),
        ("k9x", "the k9xy one", False),
        ("tests", "the tests pass", False),
    ):
        monkeypatch.setenv(courses.SECRET_VARIABLE, secret)
        assert bool(spoken(Secrets.of(course, hw2), text)) == leaks, secret


def zipped(files: Mapping[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return file.getvalue()


def array_of(kind: str, size: int) -> bytes:
    """Return a file that claims to have so many numbers, or objects, and does not."""
    file = io.BytesIO()
    header = {"descr": kind, "fortran_order": False, "shape": (size,)}
    np.lib.format.write_array_header_1_0(file, header)
    return file.getvalue() + b"\x80\x04N."


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("huge.csv", b"1,2\n" * 2_000_000),
        ("data/huge.csv", b"1,2\n" * 6_000_000),
        ("data/unknown.bin", b"\xfe\xed\xfa\xce\x00\x01"),
        ("data/utf16.csv", "a,b".encode("utf-16")),
        ("data/weights.pt", b"anything"),
        ("data/table.npy", array_of("|O", 1)),
        ("data/claim.npy", array_of("<f8", 10**14)),
        ("data/broken.png", b"\x89PNG\r\n\x1a\n and nothing more"),
        ("data/broken.zip", b"PK\3\4 and nothing more"),
        ("data/bomb.zip", zipped({f"{n}.txt": b"\0" * 4_000_000 for n in range(9)})),
        ("data/many.zip", zipped({f"{n}.txt": b"" for n in range(1_001)})),
        ("data/nested.zip", zipped({"inner.zip": zipped({"a.txt": b"a"})})),
        ("data/cases.json", b'{"a": 1, "a": 2}'),
        ("data/deep.json", b"[" * 300 + b"]" * 300),
        ("more.ipynb", b"{"),
        ("more.ipynb", b'{"worksheets": []}'),
        ("more.ipynb", b'{"cells": [1]}'),
    ],
)
def test_what_cannot_be_looked_into_is_a_leak(secrets: Secrets, name: str, data: bytes) -> None:
    """The gate fails closed, and quickly."""
    assert "cannot be searched" in " ".join(said(secrets, name, data))


@pytest.mark.parametrize(
    "name",
    [
        ".git/config",
        ".DS_Store",
        "data/.hidden/a.txt",
        "staff/notes.md",
        "figures/solutions_overview.txt",
        "hw2_transformer-checkpoint.ipynb",
        "data/reference.py",
        "data/no_softmax.txt",
        "../elsewhere.txt",
        "/absolute.txt",
    ],
)
def test_names_of_files_tell(secrets: Secrets, name: str) -> None:
    """Even an empty file's name counts."""
    assert said(secrets, name, b'{"cells": []}')


def test_harmless_files_are_left_alone(secrets: Secrets) -> None:
    """Data, pictures and archives go out."""
    picture, array = io.BytesIO(), io.BytesIO()
    Image.linear_gradient("L").save(picture, "PNG")
    np.save(array, np.random.default_rng(3).normal(size=(100, 30)))
    files = {
        "figures/compare_identity.png": picture.getvalue(),
        "data/points.npy": array.getvalue(),
        "data/words.csv": "word,größe\nab,1.25\n".encode(),
        "data/tree.json": b'{"a": [1, 2.5, {"b": null}], "c": true}',
        "data/all.zip": zipped({"points.npy": array.getvalue(), "readme.md": b"# Points"}),
        "data/empty.txt": b"",
    }
    assert secrets.leaks_in_files({Path(name): data for name, data in files.items()}) == []
