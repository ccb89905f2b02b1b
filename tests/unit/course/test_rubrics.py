"""Rubrics: their contents, and one line with file, line and expectation for each slip."""

import shutil
from pathlib import Path

import pytest

from autograder.authoring.leaks.search import Secrets
from autograder.authoring.new import TEMPLATES
from autograder.course import homework, rubrics
from autograder.course.homework import HomeworkError
from autograder.course.rubrics import RubricItem
from tests.helpers import TOY

RIGHT = """# why

## Question
Why is the mean of
no numbers 0?

## Items
- **1** Says that $0/0$ is undefined,
  for any `sum`.
- **0.75** Names a use.
- **0** Writes neatly.
- **-0.5** Claims that it is 1.

## Full marks
Everything:

```python
# a comment, and no section
## nor is this
```

## Half marks
One of both.

## No marks
"Because."

## Sample answer
It is undefined.
### A smaller heading

## Notes
Costs \\$5.
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "source" / "hw" / "staff" / "rubrics" / "why.md"
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_rubric_has_everything_that_a_marker_needs(tmp_path: Path) -> None:
    """Items are in order, on one line each, with their texts unchanged."""
    rubric = rubrics.read(written(tmp_path, RIGHT))
    assert rubric.question == "why"
    assert rubric.text == "Why is the mean of\nno numbers 0?"
    assert rubric.items == (
        RubricItem(1, "Says that $0/0$ is undefined, for any `sum`."),
        RubricItem(0.75, "Names a use."),
        RubricItem(0, "Writes neatly."),
        RubricItem(-0.5, "Claims that it is 1."),
    )
    assert rubric.points == 1.75
    assert rubric.full.endswith("## nor is this\n```")
    assert (rubric.half, rubric.none) == ("One of both.", '"Because."')
    assert rubric.sample == "It is undefined.\n### A smaller heading"
    assert rubric.notes == "Costs \\$5."
    assert rubrics.of(tmp_path / "source" / "hw" / "staff") == {"why": rubric}
    assert rubrics.unwritten(rubric) == []
    again = tmp_path / "why.md"
    again.write_text(rubrics.as_text(rubric), encoding="utf-8")
    assert rubrics.read(again) == rubric


def test_notes_may_be_absent_and_so_may_rubrics(tmp_path: Path) -> None:
    """A homework without a written answer has no folder of rubrics."""
    text = RIGHT[: RIGHT.index("## Notes")]
    assert rubrics.read(written(tmp_path, text)).notes == ""
    assert rubrics.of(tmp_path) == {}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("# why\n", "# because\n", ", line 1: expected `# why`, the file's own name"),
        (RIGHT, "", ", line 1: expected `# why`"),
        ("# why\n", "# why\nNotes.\n", ", line 2: expected `## Question` before any text"),
        ("## Items", "## Item", ", line 7: `## Item` is not a section; use `## Question`"),
        ("## Half marks", "# Half marks", ", line 22: `# Half marks` is not a section"),
        ("## Half marks", "##Half marks", ", line 22: `##Half marks` is not a section"),
        ("## Half marks", "## Items", ", line 22: `## Items` appears a second time"),
        (
            "## Half marks\nOne of both.\n\n",
            "",
            ", line 22: expected `## Half marks` before `## No marks`",
        ),
        (
            RIGHT[RIGHT.index("## No") :],
            "",
            ", line 24: the file ends without `## No marks`, `## S",
        ),
        ('"Because."\n', "", ", line 25: `## No marks` is empty"),
        (
            "- **1** Says",
            "- 1 Says",
            ", line 8: this is not an item; write `- **1** States that ...`",
        ),
        ("  for any", "for any", ", line 9: this is not an item"),
        ("**1** Says", "**1, one** Says", ", line 8: the points are '1, one'; write only a number"),
        ("**0.75**", "**nan**", ", line 10: the points are 'nan'; write only a number"),
        ("**0.75**", "**0.7**", ", line 10: 0.7 points; write a multiple of 0.25 up to 1000"),
        ("**0.75**", "**5000**", ", line 10: 5000 points; write a multiple of 0.25 up to 1000"),
        (" Names a use.", "", ", line 10: the item has no words"),
        ("Names a use.", "Writes neatly.", ", line 11: two items have the same words"),
        ("$0/0$", "$0/0", r", line 8: a \$ is not closed; a formula has one on each side"),
        ("`sum`", "`sum", ", line 8: a ` is not closed"),
        (
            RIGHT[RIGHT.index("- **1**") : RIGHT.index("## Full")],
            "",
            ", line 7: `## Items` has no item; write",
        ),
        (
            "- **0** Writes neatly.\n",
            "".join(f"- **0** Writes {n} words.\n" for n in range(8)),
            ", line 18: there are 11 items; the limit is 9",
        ),
    ],
)
def test_a_slip_is_one_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    """It names the file relative to the course's folder, the line, and the expected text."""
    assert old in RIGHT
    with pytest.raises(HomeworkError) as caught:
        rubrics.read(written(tmp_path, RIGHT.replace(old, new, 1)))
    assert str(caught.value).startswith(f"source/hw/staff/rubrics/why.md{said}".replace(r"\$", "$"))
    assert "\n" not in str(caught.value)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    """For a missing file, the message explains how one begins."""
    path = written(tmp_path, RIGHT)
    path.write_bytes(b"# why\n\xff")
    with pytest.raises(HomeworkError, match=r"rubrics/why\.md is not UTF-8; save it as UTF-8"):
        rubrics.read(path)
    path.unlink()
    with pytest.raises(HomeworkError, match=r"why\.md cannot be read .*begins with `# why` and"):
        rubrics.read(path)


def test_its_points_are_the_questions(tmp_path: Path) -> None:
    """Deductions do not count; a question that nobody marks has items worth 0."""
    rubric = rubrics.read(written(tmp_path, RIGHT))
    assert rubrics.complaint(rubric, 1.75) == ""
    assert rubrics.complaint(rubric, 2).startswith(
        "its items give 1.75 points in all, but the question"
    )
    assert rubrics.complaint(rubric, 0).startswith("the question has no points, so each item has 0")


def test_the_question_is_no_secret_and_all_else_is(tmp_path: Path) -> None:
    """Students have the question, but the marking criteria are a secret."""
    kept = rubrics.secret(RIGHT)
    assert "no numbers" not in kept
    assert RIGHT.replace("## Question\nWhy is the mean of\nno numbers 0?\n\n", "") == f"{kept}\n"
    course = shutil.copytree(TOY, tmp_path / "course")
    found = Secrets.of(course, homework.load(course, "toy"))
    asked = "Why does the text of mean_positive have to say what the mean of no numbers is?"
    looked_for = "Says that without numbers the mean is undefined: a sum over nothing"
    assert found.leaks_in_text("release", asked) == []
    assert found.leaks_in_text("release", looked_for) != []


def test_the_templates_rubric_is_one(tmp_path: Path) -> None:
    """`autograder new homework` starts with a rubric that fits its question."""
    text = (TEMPLATES / "homework/staff/rubrics/robust.md.txt").read_text(encoding="utf-8")
    path = written(tmp_path, text).with_name("robust.md")
    path.write_text(text, encoding="utf-8")
    assert rubrics.complaint(rubrics.read(path), 2) == ""


def test_the_toys_rubric_is_one(toy: homework.Homework) -> None:
    """It fits its question."""
    found = rubrics.of(TOY / "source" / "toy" / "staff")
    assert found.keys() == {"argue"}
    assert rubrics.complaint(found["argue"], toy.question("argue").points) == ""
