"""feedback: file names that platforms accept, and notebooks without active content."""

import io
import json
import re
import zipfile
from pathlib import Path

import nbformat

from autograder.platforms import canvas, feedback_files, moodle
from autograder.records.homework import Homework
from tests.exports import packed
from tests.helpers import COURSE
from tests.sample_grade import EVIL, GRADE


def names(data: bytes) -> list[str]:
    return zipfile.ZipFile(io.BytesIO(data)).namelist()


def test_moodle_finds_participant_and_file_in_a_name() -> None:
    """As in importziplib.php: name, number, kind of plugin, plugin, and the rest."""
    (name,) = names(moodle.feedback({"501": b"page"}))
    assert name.split("_", 4)[1:] == ["501", "assignfeedback", "file", "report.html"]


def test_canvas_finds_person_and_upload_in_a_name(tmp_path: Path) -> None:
    """As in abstract_assignment.rb: the first two numbers; the newest notebook counts."""
    files = {
        "exampleada_501_9001_hw.ipynb": b"",
        "exampleada_LATE_501_9007_hw-1.ipynb": b"",
        "exampleada_501_9009_notes.pdf": b"",
        "samplebenno_502_9002_17_18.ipynb": b"",
        "anon_x1Y2_9003_hw.ipynb": b"",
        "muster_503_text.html": b"",
        "../evil_504_9004_hw.ipynb": b"",
    }
    starts = canvas.uploads(packed(tmp_path / "submissions.zip", files))
    assert starts["501"] == "student_501_9007"
    assert set(starts) == {"501", "502", "anon_x1Y2"}
    for name in names(canvas.feedback(dict.fromkeys(starts.values(), "{}"))):
        parts = name.split("_")
        found = parts[1:3] if parts[0] == "anon" else [p for p in parts if re.fullmatch(r"\d+", p)]
        assert found[:2] in (["501", "9007"], ["502", "9002"], ["x1Y2", "9003"])


def test_a_notebook_of_feedback_is_text_alone(toy: Homework) -> None:
    """It opens as a notebook with every mark and comment, and without a student's tags."""
    text = feedback_files.notebook(
        GRADE, toy, COURSE, explain=False, comments={"port": f"Well done {EVIL}", "cell-3": "here"}
    )
    book = nbformat.reads(text, as_version=4)
    nbformat.validate(book)
    assert {cell.cell_type for cell in book.cells} == {"markdown"}
    whole = "\n".join(cell.source for cell in book.cells)
    assert "<script" not in whole
    assert "<img" not in whole
    for mark in GRADE.marks:
        assert f"## `{mark.question}`" in whole
    assert "Comment: Well done" in whole
    assert "Comment: here" in whole
    assert json.loads(text)["nbformat"] == 4
