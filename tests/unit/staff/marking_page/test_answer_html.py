"""answer_html: what failed once is read again, and a note is the grader's own."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from autograder.course import homework
from autograder.platforms.nbgrader.answers import EMPTY, Answer
from autograder.staff.marking_page import answer_html
from autograder.staff.marking_page.answer_html import Reader
from tests.helpers import TOY

HOMEWORK = homework.load(TOY, "toy")


class Pandoc:
    """A sandbox whose second run fails, as if the machine had no process left."""

    runs = 0

    def __init__(self, **_: object) -> None: ...
    def __enter__(self) -> "Pandoc":
        return self

    def __exit__(self, *_: object) -> None: ...

    @contextlib.contextmanager
    def run(self, job: dict[str, Any]) -> Iterator[SimpleNamespace]:
        self.runs += 1
        if self.runs == 2:
            raise BlockingIOError
        made = [f"<p class='note'><b>{text.strip()}</b></p>" for text in job["texts"]]
        yield SimpleNamespace(receive=lambda **_: {"pages": made})


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Reader]:
    monkeypatch.setattr(answer_html, "Sandbox", Pandoc)
    with Reader(tmp_path) as one:
        yield one


def test_what_failed_once_is_read_again(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    """This covers a run that did not start, and a submission that was just being written."""
    with pytest.raises(BlockingIOError):
        reader.markdown(["Why?"])
    assert "Why?" in reader.markdown(["Why?"])[0]
    assert reader.answer(HOMEWORK, "argue", "s1").problem
    monkeypatch.setattr(reader, "written", lambda *_: Answer("Because.", {}, "digest"))
    assert "Because." in reader.answer(HOMEWORK, "argue", "s1").html


def test_no_student_writes_a_note_of_ours(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    """A note does not go through the Markdown, in which bold words would look the same."""
    text = f"{EMPTY}\n\nFull marks were agreed."
    monkeypatch.setattr(reader, "written", lambda *_: Answer(text, {}, "digest"))
    with pytest.raises(BlockingIOError):
        reader.answer(HOMEWORK, "argue", "s1")
    shown = reader.answer(HOMEWORK, "argue", "s1").html
    assert shown.count('<p class="note">') == 1
    assert '<p class="note">Note of the grader: The cell is empty.</p>' in shown
    assert "<p>Full marks were agreed.</p>" in shown
