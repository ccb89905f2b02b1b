"""`autograder new`: a course and its homeworks, from nothing to marks, without torch anywhere."""

import csv
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.turns(10, whole=True)]

TABLES = (
    '''# %% provided
import pandas as pd

# %% kit

# %% answer heaviest
def heaviest(animals):
    """Return the heaviest animal of each kind: columns kind, name and weight, by kind."""
    ### BEGIN SOLUTION
    found = animals.sort_values("weight").groupby("kind", as_index=False).last()
    return found[["kind", "name", "weight"]]
    ### END SOLUTION

# %% check heaviest 5
def heaviest_complaint():
    animals = pd.DataFrame({"kind": ["cat", "dog", "cat"], "name": ["a", "b", "c"], "weight": [1.0, 2.0, 1.5]})
    found = heaviest(animals)
    if list(found["name"]) != ["c", "b"]:
        return f"of these animals b and c are the heaviest, yours are {list(found['name'])}"


check("heaviest", heaviest_complaint)
''',
    '''"""Tables of pandas."""

import pandas as pd

from autograder.kit import Homework, Question, Table

KINDS = ("ant", "bee", "cat")


def animals(rng):
    def table(size):
        weights = rng.permutation(size) + rng.uniform(0.1, 0.9, size)
        names = [f"{letter}{size}" for letter in rng.permutation(list("abcdefghij"))[:size]]
        return pd.DataFrame({"kind": rng.choice(KINDS, size), "name": names, "weight": weights})

    return [{"animals": table(size)} for size in (3, 8, 8)]


def heaviest(animals):
    rows = {}
    for row in animals.to_dict("records"):
        if row["kind"] not in rows or row["weight"] > rows[row["kind"]]["weight"]:
            rows[row["kind"]] = row
    found = pd.DataFrame([rows[kind] for kind in sorted(rows)])
    return found[["kind", "name", "weight"]]


HOMEWORK = Homework(
    title="Tables",
    warm=("pandas",),
    questions=(Question("heaviest", check=Table(heaviest), cases=animals),),
)
''',
    {
        "lightest": (
            "heaviest",
            'found = animals.sort_values("weight").groupby("kind", as_index=False).last()',
            'found = animals.sort_values("weight").groupby("kind", as_index=False).first()',
        )
    },
)
PLOTS = (
    '''# %% provided
import contextlib
import io

import matplotlib.pyplot as plt

# %% kit

# %% answer draw_losses
def draw_losses(losses):
    """Draw the losses of a training by step, from 1, with a logarithmic axis and labels."""
    ### BEGIN SOLUTION
    figure, axes = plt.subplots()
    axes.plot(range(1, len(losses) + 1), losses)
    axes.set(xlabel="step", ylabel="loss", yscale="log", title="Training")
    return figure
    ### END SOLUTION

# %% check draw_losses 5
def draw_losses_complaint():
    axes = draw_losses([4.0, 2.0, 1.0]).axes[0]
    plt.close("all")
    if axes.get_yscale() != "log":
        return "the axis of the losses should be logarithmic"
    if list(axes.lines[0].get_xdata()) != [1, 2, 3]:
        return "the first step is 1"


check("draw_losses", draw_losses_complaint)

# %% answer tell
def tell(losses):
    """Print the number of each step, from 1, and its loss with two digits."""
    ### BEGIN SOLUTION
    for step, loss in enumerate(losses, start=1):
        print(f"{step}: {loss:.2f}")
    ### END SOLUTION

# %% check tell 3
def tell_complaint():
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        tell([1.0])
    if printed.getvalue().split() != ["1:", "1.00"]:
        return f"the first line should be '1: 1.00', yours is {printed.getvalue()!r}"


check("tell", tell_complaint)

# %% answer best
def best(losses):
    """Return the smallest loss; ValueError where there is none."""
    ### BEGIN SOLUTION
    if not losses:
        raise ValueError("there is no loss")
    return min(losses)
    ### END SOLUTION

# %% check best 2
def best_complaint():
    if best([3.0, 2.0]) != 2.0:
        return "of 3 and 2 the smallest is 2"
    try:
        best([])
    except ValueError:
        return None
    return "without a loss it should raise ValueError"


check("best", best_complaint)
''',
    '''"""Figures, printed text and errors."""

from autograder.kit import ANY, Homework, Picture, Prints, Question, Raises


def losses(rng):
    return [{"losses": rng.uniform(0.1, 4, size).tolist()} for size in (3, 5, 5)]


def losses_or_none(rng):
    return [{"losses": []}, *losses(rng)]


def draw_losses(losses):
    line = [(step, loss) for step, loss in enumerate(losses, start=1)]
    return {"lines": [line], "x_label": "step", "y_label": "loss", "y_scale": "log", "title": ANY}


def tell(losses):
    return "\\n".join(f"{step}: {loss:.2f}" for step, loss in enumerate(losses, start=1))


def best(losses):
    if not losses:
        raise ValueError
    return min(losses)


HOMEWORK = Homework(
    title="Plots",
    warm=("matplotlib.pyplot",),
    questions=(
        Question("draw_losses", check=Picture(draw_losses), cases=losses),
        Question("tell", check=Prints(tell), cases=losses),
        Question("best", check=Raises(best), cases=losses_or_none),
    ),
)
''',
    {
        "steps_from_zero": ("draw_losses", "range(1, len(losses) + 1)", "range(len(losses))"),
        "linear_axis": ("draw_losses", 'yscale="log", ', ""),
        "one_digit": ("tell", "{loss:.2f}", "{loss:.1f}"),
        "no_error": ("best", 'raise ValueError("there is no loss")', "return None"),
    },
)


def link(origin: str, goal: str) -> None:
    """Link a file, or copy it where it is on another disk."""
    try:
        os.link(origin, goal)
    except OSError:
        shutil.copy2(origin, goal)


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a Python with all that is here but torch."""
    place = tmp_path_factory.mktemp("without_torch")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    (mine,) = place.glob("lib/python*/site-packages")
    shutil.copytree(
        sysconfig.get_path("purelib"),
        mine,
        ignore=shutil.ignore_patterns("torch*", "functorch*"),
        copy_function=link,
        dirs_exist_ok=True,
    )
    found = place / "bin" / "python"
    assert subprocess.run([found, "-c", "import torch"], capture_output=True).returncode == 1
    return found


def run(python: Path, *words: object, course: Path) -> str:
    """Run the program in a course; return what it printed."""
    done = subprocess.run(
        [python, "-m", "autograder", *map(str, words)],
        cwd=course,
        capture_output=True,
        text=True,
        env={**os.environ, "AUTOGRADER_SECRET": ""},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, python: Path) -> Path:
    """Return a course with what `new` writes, and two homeworks that were made of it."""
    folder = tmp_path_factory.mktemp("courses") / "course"
    run(python, "new", "course", folder, "--title", "Numbers", course=folder.parent)
    assert (folder / "secret.txt").stat().st_mode & 0o77 == 0
    settings = folder / "course.toml"
    named = settings.read_text().replace("packages = []", 'packages = ["matplotlib", "pandas"]')
    settings.write_text(named)
    for name in ("hw1", "tables", "plots"):
        run(python, "new", "homework", name, course=folder)
    for name, (text, spec, mistakes) in {"tables": TABLES, "plots": PLOTS}.items():
        source = folder / "source" / name
        for path in [*source.glob("staff/*/*"), *source.glob("staff/*.toml")]:
            path.unlink()
        (source / "staff" / "wrong").mkdir()
        (source / f"{name}.py").write_text(text)
        (source / "staff" / "spec.py").write_text(spec)
        for mistake, (question, before, after) in mistakes.items():
            (source / "staff" / "wrong" / f"{mistake}.py").write_text(
                f'"""A mistake."""\n\nFAILS = ("{question}",)\nNUDGE = "Look."\n'
                f'EXPLANATION = "It is one."\nEDITS = {{{before!r}: {after!r}}}\n'
            )
        run(python, "release", name, "--execute", course=folder)
    return folder


@pytest.mark.parametrize("name", ["hw1", "tables", "plots"])
def test_it_is_sound(course: Path, python: Path, name: str) -> None:
    """Every clause holds; `run` looks at the status, too."""
    said = run(python, "check", name, course=course)
    assert " | NO | " not in said
    assert "wrong loses its own" in said


def test_what_new_writes_fits_on_two_screens(course: Path) -> None:
    """The notebook as text on one, all of staff/ on another."""
    source = course / "source" / "hw1"
    assert len((source / "hw1.py").read_text().splitlines()) <= 80
    files = [path for path in source.glob("staff/**/*.*") if path.parent.name != "__pycache__"]
    assert sum(len(path.read_text().splitlines()) for path in files) <= 100


def test_submissions_are_graded(course: Path, python: Path) -> None:
    """The solution earns everything, the release nothing, and a wrong one is told what is wrong."""
    for name in ("hw1", "tables", "plots"):
        inbox = course / "collected" / name
        inbox.mkdir(parents=True)
        solution = (course / "solutions" / name / f"{name}.ipynb").read_text()
        for student in ("right", "empty", "wrong"):
            (inbox / student).mkdir()
        (inbox / "right" / "mine.ipynb").write_text(solution)
        release = course / "release" / name / f"{name}.ipynb"
        (inbox / "empty" / "mine.ipynb").write_bytes(release.read_bytes())
        wrong = solution.replace("last()", "head(1)").replace('ylabel=\\"loss\\"', 'ylabel=\\"\\"')
        (inbox / "wrong" / "mine.ipynb").write_text(wrong.replace("[0].upper()", "[0]"))
        out = course / "graded" / name
        run(python, "grade", name, inbox, "--out", out, "-j", "1", course=course)
        run(python, "report", out, course=course)
        rows = {
            row["id"]: row
            for row in csv.DictReader(
                (out / "grades.csv").read_text(encoding="utf-8-sig").splitlines()
            )
        }
        waits = name == "hw1"
        assert float(rows["right"]["score"]) == {"hw1": 8, "tables": 5, "plots": 10}[name]
        assert float(rows["empty"]["score"]) == 0
        assert ("waits" in rows["right"]["state"]) is waits
        marks = json.loads((out / "wrong" / "grade.json").read_text())["marks"]
        (lost,) = (one for one in marks if one["earned"] == 0 and not one["by_hand"])
        assert {
            "hw1": "is right but for spaces or capital letters",
            "tables": "rows",
            "plots": "`y_label` is missing",
        }[name] in lost["message"]


def test_a_text_that_is_no_cell_is_one_line(course: Path, python: Path) -> None:
    """File, line, and what there is."""
    path = course / "source" / "hw1" / "hw1.py"
    before = path.read_text()
    path.write_text(before.replace("# %% check initials 4", "# %% check initials"))
    done = subprocess.run(
        [python, "-m", "autograder", "release", "hw1"], cwd=course, capture_output=True, text=True
    )
    path.write_text(before)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "hw1.py: line 20: `# %% check initials` is not a cell; there are text, provided" in line
