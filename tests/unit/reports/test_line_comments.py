"""Comments on lines of code: text in an answer's comment, shown beside the lines."""

import pytest

from autograder.records.facts import SubmissionId, SubmissionLog
from autograder.records.marks import Grade, HandMarks, Mark
from autograder.reports import line_comments, report

ME = SubmissionId("someone", "notebook", "1" * 64)
CODE = "def mean(x):\n    return sum(x)\n\n# <b>done</b>"


@pytest.mark.parametrize(
    ("comment", "rest", "found"),
    [
        ("", "", {}),
        ("Well done.", "Well done.", {}),
        ("Line 2: divide", "", {2: "divide"}),
        ("Good.\nLine 1: a name\n  Line 4: why?  \nSee me.", "Good.\nSee me.", {1: "a name", 4: "why?"}),
        ("Line 2: one\nLine 2: two", "", {2: "one two"}),
        ("Line 0: no\nLine 5: beyond", "Line 0: no\nLine 5: beyond", {}),
        ("In Line 2: not so\nline 2: nor so\nLine 2:nor so", "In Line 2: not so\nline 2: nor so\nLine 2:nor so", {}),
        ("+1: Line 2: an item", "+1: Line 2: an item", {}),
        ("Line 99999: much", "Line 99999: much", {}),
    ],
)  # fmt: skip
def test_a_comment_is_parted(comment: str, rest: str, found: dict[int, str]) -> None:
    """Remarks on no existing line stay where they were."""
    assert line_comments.parted(comment, 4) == (rest, found)


def page(comment: str, message: str = report.MARKED, **answers: str) -> str:
    """Return a report with one question that a person marked."""
    mark = Mark("argue", 2.0, 1.0, message, by_hand=True)
    log = SubmissionLog("toy", ME, written={"argue": "answered"})
    return report.html(
        Grade(ME, (mark,)),
        log,
        title="Toy",
        course="",
        explain=True,
        given=HandMarks(comments={"argue": comment}, code=answers),
    )


def test_a_report_has_each_comment_below_its_line() -> None:
    """They are escaped like all of people's text; the rest of the comment stays in place."""
    text = page("Nearly.\nLine 2: divide by <i>n</i>", argue=CODE)
    place = text.index("return sum(x)</code>\n")
    below = '<strong class="on-line">Line 2: divide by &lt;i&gt;n&lt;/i&gt;</strong><code></code>'
    assert text[place:].startswith(f"return sum(x)</code>\n{below}")
    assert "<strong>Comment:</strong> Nearly.</p>" in text
    assert "# &lt;b&gt;done&lt;/b&gt;" in text


@pytest.mark.parametrize(
    "text",
    [
        page("Line 2: divide"),
        page("Line 2: divide", report.MARKED_BEFORE, argue=CODE),
        page("Line 9: divide", argue=CODE),
    ],
)
def test_elsewhere_it_is_words(text: str) -> None:
    """This covers answers without code, changed answers, and lines that do not exist."""
    assert ": divide</p>" in text
    assert 'class="on-line"' not in text


def test_code_without_such_a_comment_is_not_repeated() -> None:
    """The student has it anyway."""
    assert "with comments on its lines" not in page("Nearly.", argue=CODE)
