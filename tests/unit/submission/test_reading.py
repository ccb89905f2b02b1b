"""reading: submissions are found, named and read, or refused in one clear line."""

import json
import os
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import jupytext
import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nbformat import v4

from autograder.grading import wire
from autograder.program.build import build
from autograder.program.repair import repair
from autograder.program.written_answers import written
from autograder.records.codec import safe
from autograder.records.errors import UserError
from autograder.records.facts import Submission
from autograder.records.homework import Homework
from autograder.submission import archives, discover, opening, reading
from tests.helpers import FUZZ, TOY, count, found_in, sentences

RELEASE = TOY / "release" / "toy" / "toy.ipynb"


def notebook(*sources: str) -> str:
    return nbformat.writes(v4.new_notebook(cells=[v4.new_code_cell(s) for s in sources]))


def write(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def read(path: Path, homework: Homework) -> Submission:
    (found,) = found_in(path)
    return reading.read(found, homework)


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("a.ipynb", "not json", "not a notebook: not JSON"),
        ("a.ipynb", "", "the file is empty"),
        ("a.ipynb", "[" * 100_000, "not a notebook"),
        ("a.ipynb", b"\xff\xfe\x00", "not a notebook"),
        ("a.ipynb", '{\n<<<<<<< HEAD\n"a": 1\n=======\n>>>>>>> b\n}', "marks of a merge conflict"),
        ("a.ipynb", '{"cells": []}'.encode("utf-16"), "it is in UTF-16; save it as UTF-8"),
        ("a.ipynb", '{"cells": []}'.encode("utf-16-be"), "it is in UTF-16; save it as UTF-8"),
        ("a.ipynb", b"PK\x03\x04" + bytes(30), "it is a zip"),
        ("a.ipynb", b"\x1f\x8b\x08" + bytes(30), "it is a gzip"),
        ("a.ipynb", "\n<!DOCTYPE html><html></html>", "it is a saved web page"),
        ("a.ipynb", '{"a": 1}', "JSON but not a notebook"),
        ("a.ipynb", "[1]", "JSON but not a notebook"),
        ("a.ipynb", '{"cells": 3, "nbformat": 4}', "it cannot be read|is empty"),
        ("a.ipynb", notebook(), "is empty"),
        ("a.ipynb", notebook(*["x = 1\n" * 3_000] * 60), "more than 500,000 characters of code"),
        ("a.ipynb", notebook("", " "), "is empty"),
        ("a.py", "print(1)\n", "without `# %%` cells"),
        ("a.py", "# %%\nx = 1\n" * 40_000, "it has 40,000 cells; the limit is 5,000"),
        ("a.py", "# In[1]:\nx = 1\n" * 40_000, "it has 40,000 cells; the limit is 5,000"),
        ("a.py", "a\n\n" * 200_000, "a script of more than 500,000 characters"),
        ("a.py", "# %%\n" + "x = 1\n" * 400_000, "a script has at most 2 MB"),
        ("a.py", b"# %%\n\xff", "not UTF-8"),
        ("a.ipynb", '{"cells": [' + "[]," * 2_000_000 + "[]]}", "too many parts"),
        ("a.ipynb", '{"cells": [' + "1," * 10_000_001 + "1]}", "too many parts"),
        ("a.ipynb", '{"nbformat": 3, "worksheets": [5, {"cells": 5}]}', "is empty"),
        ("submission_log.json", "{", "not JSON"),
        ("submission_log.json", "[1]", "neither a notebook nor a submission log"),
        ("submission_log.json", '{"a": 1}', "is not submitted as a submission_log.json"),
        ("submission_log.json", '{"attention_by_content": [NaN]}', "NaN"),
        ("submission_log.json", '{"attention_by_content": [1e999]}', "too large"),
    ],
)
def test_bad_files_are_refused_in_one_line(
    tmp_path: Path, toy: Homework, name: str, content: str | bytes, complaint: str
) -> None:
    """Each kind of unusable file gets a sentence with the problem and the remedy."""
    with pytest.raises(UserError, match=complaint) as error:
        read(write(tmp_path / name, content), toy)
    assert "\n" not in str(error.value)


def test_a_huge_file_is_not_read(tmp_path: Path, toy: Homework) -> None:
    """A 200 MB file is refused by its size, before it is opened."""
    path = tmp_path / "huge.ipynb"
    with path.open("wb") as file:
        file.truncate(200_000_000)
    with pytest.raises(UserError, match="more than 100 MB"):
        read(path, toy)


def test_old_notebooks_and_byte_order_marks_are_read(tmp_path: Path, toy: Homework) -> None:
    """Format 3 and a UTF-8 BOM are nobody's fault."""
    old = {
        "nbformat": 3,
        "nbformat_minor": 0,
        "metadata": {},
        "worksheets": [
            {
                "metadata": {},
                "cells": [
                    {
                        "cell_type": "code",
                        "input": "x = 1",
                        "language": "python",
                        "metadata": {},
                        "outputs": [],
                        "collapsed": False,
                    }
                ],
            }
        ],
    }
    submission = read(write(tmp_path / "old.ipynb", json.dumps(old)), toy)
    assert [cell.source for cell in submission.cells] == ["x = 1"]
    submission = read(
        write(tmp_path / "bom.ipynb", b"\xef\xbb\xbf" + notebook("y = 2").encode()), toy
    )
    assert [cell.source for cell in submission.cells] == ["y = 2"]


def test_a_notebook_that_is_large_by_its_outputs_is_read(tmp_path: Path, toy: Homework) -> None:
    """At 60 MB, the first pictures are kept for printing, but no other outputs."""
    picture = {"output_type": "display_data", "data": {"image/png": "A" * 15_000_000}}
    text = {"output_type": "stream", "name": "stdout", "text": "B" * 15_000_000}
    cells = [
        {"cell_type": "code", "source": f"x = {n}", "metadata": {}, "outputs": [text, picture]}
        for n in range(2)
    ]
    cells.append(
        {"cell_type": "markdown", "source": "Mine.", "attachments": {"a": {"image/png": "CC"}}}
    )
    path = write(tmp_path / "a.ipynb", json.dumps({"nbformat": 4, "cells": cells}))
    assert path.stat().st_size > 60_000_000
    submission = read(path, toy)
    assert [cell.source for cell in submission.cells] == ["x = 0", "x = 1", "Mine."]
    first, second, written = submission.cells
    assert [output["data"] for output in first.outputs] == [picture["data"]]
    assert second.outputs == ()
    assert written.attachments == {"a": "CC"}
    assert "only pictures were kept" in submission.remarks[0].text


def test_a_notebook_that_is_large_without_its_outputs_is_refused(
    tmp_path: Path, toy: Homework, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit applies to the rest."""
    monkeypatch.setattr(reading, "MAX_KEPT", 1_000_000)
    cell = {
        "cell_type": "markdown",
        "source": "x",
        "attachments": {"a": {"image/png": "A" * 1_100_000}},
    }
    path = write(tmp_path / "a.ipynb", json.dumps({"nbformat": 4, "cells": [cell]}))
    with pytest.raises(UserError, match="more than 1 MB without its outputs"):
        read(path, toy)


def test_broken_outputs_and_metadata_decide_nothing(tmp_path: Path, toy: Homework) -> None:
    """Only the cells of a notebook matter: other oddities do no harm."""
    cells = [
        {"cell_type": "code", "source": ["x = 1\n", "y = 2"], "outputs": None, "metadata": None},
        {"cell_type": "code", "source": "z = 3", "outputs": [{"output_type": ["odd"]}, 5]},
        {"cell_type": "code", "source": 5},
        {"cell_type": "markdown", "source": "smile \ud83d"},
        "no cell at all",
    ]
    text = json.dumps({"nbformat": 4, "cells": cells})
    submission = read(write(tmp_path / "odd.ipynb", text), toy)
    assert [cell.source for cell in submission.cells] == ["x = 1\ny = 2", "z = 3", "", "smile ?"]


def test_the_same_file_twice_is_one_submission(tmp_path: Path) -> None:
    """A shell pattern may name a file twice."""
    path = write(tmp_path / "a.ipynb", notebook("1"))
    assert len(found_in(path, path)) == 1


@pytest.mark.parametrize(
    "script",
    [
        "# coding: utf-8\n\n# # Title\n\n# In[1]:\n\n\nx = 1\n\n\n# Mine.\n\n# In[ ]:\n\n\ny = 2",
        "# Databricks notebook source\n# MAGIC %md # Title\n\n# COMMAND ----------\n\nx = 1\n\n"
        "# COMMAND ----------\n\n# MAGIC %md Mine.\n\n# COMMAND ----------\n\ny = 2",
        "#%% md\n# # Title\n#%%\nx = 1\n#%% md\n# Mine.\n#%%\ny = 2",
    ],
    ids=["nbconvert", "databricks", "pycharm"],
)
def test_scripts_of_other_tools_are_notebooks(tmp_path: Path, toy: Homework, script: str) -> None:
    """Databricks, PyCharm and nbconvert write them: code and text, each in its cell."""
    (found,), _ = discover.find([write(tmp_path / "a.py", script)])
    cells, _ = repair(reading.read(found, toy).cells, toy.cells)
    assert [(cell.type, cell.source) for cell in cells] == [
        ("markdown", "# Title"),
        ("code", "x = 1"),
        ("markdown", "Mine."),
        ("code", "y = 2"),
    ]


def test_a_plain_script_with_an_answer_is_taken(tmp_path: Path, toy: Homework) -> None:
    """Without any marks it must define an answer; anything else is refused."""
    answer = "import numpy as np\n\ndef count_positive(numbers):\n    return (numbers > 0).sum()\n"
    (found,), _ = discover.find([write(tmp_path / "a.py", answer)])
    assert "def count_positive" in reading.read(found, toy).cells[-1].source
    (found,), _ = discover.find([write(tmp_path / "b.py", "print(1)")])
    with pytest.raises(UserError, match="submit the notebook"):
        reading.read(found, toy)


@pytest.mark.parametrize("form", ["py:percent", "py:light"])
def test_scripts_are_read_as_jupytext_writes_them(tmp_path: Path, toy: Homework, form: str) -> None:
    """Texts, tags, magics, long strings and grade_ids come back cell by cell."""
    odd = [
        v4.new_markdown_cell("# Title\n\ntext with ```\n# + no mark\n``` and `# %%`"),
        v4.new_code_cell("%matplotlib inline\n!ls\nx = 1", metadata={"tags": ["a", "b"]}),
        v4.new_code_cell("%%time\nx = 1\n\n\ny = 2"),
        v4.new_code_cell('T = """\n# %% no mark\n\nat the margin\n"""\n\nz = 3'),
        v4.new_raw_cell("raw\n\ntext"),
        v4.new_code_cell("def f():\n    return 1\n\n\ndef g():\n    return 2"),
        v4.new_markdown_cell("- a list\n+ of two"),
    ]
    notebook = nbformat.read(RELEASE, 4)
    notebook.cells += odd
    script = jupytext.writes(notebook, fmt=form)
    read_back = jupytext.reads(script, fmt=form).cells
    submission = read(write(tmp_path / "a.py", script), toy)
    assert [(cell.type, cell.source) for cell in submission.cells] == [
        (cell.cell_type, cell.source) for cell in read_back
    ]
    given = [cell.grade_id for cell in submission.cells if cell.grade_id]
    assert given == [cell.grade_id for cell in toy.cells if cell.grade_id]


def test_a_string_without_an_end_hides_no_cells(tmp_path: Path, toy: Homework) -> None:
    """A broken cell costs only itself; Markdown may also be one long string."""
    script = '# %%\nx = """\n# %%\ny = 2\n# %% [markdown]\nr"""\ntext\n"""\n'
    submission = read(write(tmp_path / "a.py", script), toy)
    assert [cell.source for cell in submission.cells] == ['x = """', "y = 2", "text"]


def test_a_script_with_cells_is_a_notebook(tmp_path: Path, toy: Homework) -> None:
    """A .py file with `# %%` cells is read as its cells."""
    text = "# %% [markdown]\n# Words\n\n# %%\nx = 1\n\n# %%\ny = 2\n"
    submission = read(write(tmp_path / "a.py", text), toy)
    assert [(cell.type, cell.source) for cell in submission.cells] == [
        ("markdown", "Words"),
        ("code", "x = 1"),
        ("code", "y = 2"),
    ]


def test_folders_are_looked_through(tmp_path: Path) -> None:
    """A folder's only notebook is a submission, and so is each of several; subfolders count, too."""
    write(tmp_path / "ada" / "hw.ipynb", notebook("1"))
    write(tmp_path / "ada" / "submission_log.json", "{}")
    write(tmp_path / "ada" / ".ipynb_checkpoints" / "hw-checkpoint.ipynb", notebook("1"))
    write(tmp_path / "ben" / "hw.ipynb", notebook("1"))
    write(tmp_path / "ben" / "data" / "numbers.csv", "1")
    write(tmp_path / "chi" / "submission_log.json", "{}")
    found = found_in(tmp_path)
    assert [(item.student, item.log is not None) for item in found] == [
        ("ada", True),
        ("ben", False),
        ("chi", False),
    ]


def test_several_notebooks_and_one_log_are_ambiguous(tmp_path: Path) -> None:
    """The log's owner is unclear; the notebooks are graded anyway."""
    for name in ("a.ipynb", "b.ipynb"):
        write(tmp_path / name, notebook("1"))
    write(tmp_path / "submission_log.json", "{}")
    found, complaints = discover.find([tmp_path])
    assert [item.student for item in found] == ["a", "b"]
    assert [item.log for item in found] == [None, None]
    assert "whose it is" in complaints[0]


def test_paths_without_submissions_are_named(tmp_path: Path) -> None:
    """A folder without notebooks, a missing path and a symlink: one line each."""
    (tmp_path / "empty").mkdir()
    write(tmp_path / "real.ipynb", notebook("1"))
    (tmp_path / "link.ipynb").symlink_to(tmp_path / "real.ipynb")
    paths = [tmp_path / name for name in ("empty", "nothing", "link.ipynb")]
    found, complaints = discover.find(paths)
    assert not found
    assert [c.split(": ", 1)[1][:20] for c in complaints] == [
        "no notebook in this ",
        "there is no such fil",
        "symbolic links are n",
    ]


def test_what_is_no_file_in_a_folder_is_named(tmp_path: Path) -> None:
    """Links and pipes are neither followed nor read, and nobody's submission is lost silently."""
    write(tmp_path / "class" / "anna" / "hw.ipynb", notebook("1"))
    (tmp_path / "class" / "bert").symlink_to(tmp_path / "class" / "anna")
    (tmp_path / "class" / "cleo").mkdir()
    os.mkfifo(tmp_path / "class" / "cleo" / "hw.ipynb")
    (tmp_path / "class" / "anna" / "data.csv").symlink_to("/nowhere")
    found, complaints = discover.find([tmp_path / "class"])
    assert [item.student for item in found] == ["anna"]
    assert len([c for c in complaints if "a link or special file" in c]) == 2
    assert any("bert: " in c for c in complaints)
    assert any("cleo/hw.ipynb: " in c for c in complaints)


def test_names_are_safe_and_never_shared(tmp_path: Path) -> None:
    """Odd characters are removed; colliding names are numbered, with a note."""
    write(tmp_path / "x" / "Zoë's home work (1).ipynb", notebook("1"))
    (item,), _ = discover.find([tmp_path / "x"])
    assert item.student == "Zoë_s_home_work_1"
    for path in ("p/a/hw.ipynb", "p/d/hw.ipynb", "q/a/hw.ipynb", "q/b/hw.ipynb", "q/c/hw.ipynb"):
        write(tmp_path / path, notebook("1"))
    for paths in ([tmp_path / "p", tmp_path / "q"], [tmp_path / "q", tmp_path / "p"]):
        found, complaints = discover.find(paths)
        names = {
            Path(str(item.path)).parent.relative_to(tmp_path).as_posix(): item.student
            for item in found
        }
        assert names == {"p/a": "a", "p/d": "d", "q/a": "a-2", "q/b": "b", "q/c": "c"}
        assert not complaints
        (note,) = filter(None, (item.note for item in found))
        assert note == f"called a-2, since {tmp_path}/p/a/hw.ipynb is also called a"


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("grades.csv", "grades_csv"),
        ("Mistakes.CSV", "Mistakes_CSV"),
        ("grades.csv.tmp", "grades.csv_tmp"),
        (".lock", "lock"),
        ("-rf", "rf"),
        ("--help", "help"),
        (".-.", "submission"),
        ("12.5", "12.5"),
    ],
)
def test_no_name_is_one_of_ours_an_option_or_hidden(tmp_path: Path, name: str, made: str) -> None:
    """Results are in folders beside grades.csv, where a shell pattern may find them."""
    assert safe(name) == made
    found, _ = discover.find([write(tmp_path / f"{name}.ipynb", notebook("1"))])
    assert [item.student for item in found] == [made]


def test_nobody_is_lost_in_a_flat_folder(tmp_path: Path, toy: Homework) -> None:
    """Each person's zip is opened and gives the name; unused files cost a line each."""
    top = tmp_path / "class"
    write(top / "bob.ipynb", notebook("x = 1"))
    write(top / "carl.ipynb.txt", notebook("x = 2"))
    write(top / "dora.docx", "x")
    write(top / "eva.zip", "no zip")
    zipped(top / "ada.zip", work__hw=notebook("x = 3"))
    with zipfile.ZipFile(top / "fay.zip", "w") as archive:
        archive.writestr("fay.pdf", "")
    found, complaints = discover.find([top])
    assert {item.student: item.path.name for item in found} == {
        "ada": "hw.ipynb",
        "bob": "bob.ipynb",
    }
    by_name = {item.student: reading.read(item, toy).cells[0].source for item in found}
    assert by_name == {"ada": "x = 3", "bob": "x = 1"}
    assert sorted(line.removeprefix(f"{top}/").split("; ")[0] for line in complaints) == [
        "carl.ipynb.txt: ignored",
        "dora.docx: ignored",
        "eva.zip: no notebook in it, only eva.zip",
        "fay.zip: no notebook in it, only fay.pdf",
    ]


def test_a_zip_in_somebodys_folder_is_opened(tmp_path: Path, toy: Homework) -> None:
    """That needs no notebook beside it, in a folder and in a zip; otherwise a note mentions it."""
    top = tmp_path / "class"
    (top / "ada").mkdir(parents=True)
    zipped(top / "ada" / "work.zip", deep__hw=notebook("x = 1"))
    write(top / "ben" / "hw.ipynb", notebook("x = 2"))
    zipped(top / "ben" / "old.zip", hw=notebook("x = 3"))
    write(top / "ben" / "table.csv", "1")
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for path in sorted(top.glob("*/*")):
            archive.write(path, path.relative_to(top))
    for folder in (top, tmp_path / "all.zip"):
        found = found_in(folder)
        sources = {item.student: reading.read(item, toy).cells[0].source for item in found}
        assert sources == {"ada": "x = 1", "ben": "x = 2"}
        assert [item.note for item in found if item.student == "ben"] == [
            "ignored: old.zip, table.csv"
        ]


def test_a_zip_whose_list_is_long_is_not_opened(tmp_path: Path) -> None:
    """Its reader would need a gigabyte of memory for names."""
    (tmp_path / "class").mkdir()
    path = zipped(tmp_path / "class" / "ada.zip", hw=notebook("1"))
    data = bytearray(path.read_bytes())
    place = data.rindex(b"PK\x05\x06")
    data[place + 12 : place + 16] = (20_000_000).to_bytes(4, "little")
    path.write_bytes(data)
    found, (line,) = discover.find([tmp_path / "class"])
    assert not found
    assert "the zip's list of files is over 10,000,000 bytes" in line


def test_one_persons_thousand_notebooks_are_few_submissions(tmp_path: Path) -> None:
    """A line says so; a class with two thousand files, side by side or in groups, stays complete."""
    for name in ("ada", "ben", "chi"):
        write(tmp_path / "class" / name / "toy.ipynb", notebook("1"))
    for number in range(200):
        write(tmp_path / "class" / "ben" / f"a{number}.ipynb", "{}")
        write(tmp_path / "flat" / f"s{number}.ipynb", "{}")
        write(tmp_path / "groups" / f"g{number % 3}" / f"s{number}.ipynb", "{}")
    found, (line,) = discover.find([tmp_path / "class"], homework="toy")
    mine = [item.student for item in found if item.student.startswith("ben")]
    assert len(mine) == discover.MAX_OF_ONE
    assert "ben-toy" in mine
    assert line == (
        f"{tmp_path}/class/ben: 201 notebooks in one folder, of which only 20 are graded; keep only the one that counts"
    )
    for name in ("flat", "groups"):
        found, complaints = discover.find([tmp_path / name])
        assert (len(found), complaints) == (200, [])


def test_a_student_does_not_choose_a_name(tmp_path: Path) -> None:
    """The folder where a submission was collected names it, whatever its file's name."""
    for path in ("alice/bob.ipynb", "bob/toy.ipynb", "carl/a.ipynb", "carl/b.ipynb"):
        write(tmp_path / path, notebook("1"))
    found = found_in(tmp_path)
    assert {item.student: item.path.name for item in found} == {
        "alice": "bob.ipynb",
        "bob": "toy.ipynb",
        "carl-a": "a.ipynb",
        "carl-b": "b.ipynb",
    }
    found, _ = discover.find([tmp_path / "alice" / "bob.ipynb", tmp_path / "bob" / "toy.ipynb"])
    assert [item.student for item in found] == ["alice", "bob"]
    found, _ = discover.find([tmp_path / "alice", tmp_path / "bob"])
    assert [item.student for item in found] == ["alice", "bob"]


def test_a_deep_folder_is_looked_at_so_far(tmp_path: Path) -> None:
    """A thousand nested folders cause no failure."""
    write(tmp_path / "ada" / "hw.ipynb", notebook("1"))
    deep = tmp_path / "ben" / "/".join("d" * 900)
    deep.mkdir(parents=True)
    found, _ = discover.find([tmp_path])
    assert [item.student for item in found] == ["ada"]


def test_a_log_made_from_other_answers_is_remarked(tmp_path: Path, toy: Homework) -> None:
    """answers_sha256 differs: there is a remark, and the notebook counts."""
    source = RELEASE.read_bytes()
    write(tmp_path / "a" / "hw.ipynb", source)
    write(tmp_path / "a" / "submission_log.json", '{"answers_sha256": "0"}')
    submission = read(tmp_path / "a", toy)
    assert "made from different answers" in submission.remarks[0].text
    write(tmp_path / "a" / "submission_log.json", "{")
    assert "was ignored" in read(tmp_path / "a", toy).remarks[0].text


def zipped(path: Path, **files: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "/") + ".ipynb", text)
    return path


def test_a_zip_is_a_folder(tmp_path: Path, toy: Homework) -> None:
    """Its notebooks are read without unpacking, and named as in a folder."""
    path = zipped(tmp_path / "all.zip", ada__hw=notebook("x = 1"), ben__hw=notebook("x = 2"))
    found = found_in(path)
    assert [item.student for item in found] == ["ada", "ben"]
    assert reading.read(found[1], toy).cells[0].source == "x = 2"
    (alone,), _ = discover.find([zipped(tmp_path / "carl.zip", hw=notebook("x"))])
    assert alone.student == "hw"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all.zip", "carl.zip"]


def test_the_folder_that_a_menu_puts_into_a_zip_is_nobody(tmp_path: Path) -> None:
    """Students' folders are looked for inside; one student's folders stay together."""
    files = {"pile__ada__hw": notebook("x = 1"), "pile__ben__hw": notebook("x = 2")}
    found = found_in(zipped(tmp_path / "pile.zip", **files))
    assert [item.student for item in found] == ["ada", "ben"]
    one = {"ada__hw": notebook("x = 1"), "ada__old__draft": notebook("x = 2")}
    found, _ = discover.find([zipped(tmp_path / "one.zip", **one)])
    assert [item.student for item in found] == ["ada-hw", "ada-draft"]


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"PK\x05\x06" + bytes(18), b"no zip"])
def test_a_broken_zip_is_one_line(tmp_path: Path, data: bytes) -> None:
    """It may be empty, truncated, or no zip at all."""
    found, (complaint,) = discover.find([write(tmp_path / "a.zip", data)])
    assert not found
    assert "\n" not in complaint


def test_a_name_in_a_complaint_is_one_line(tmp_path: Path, toy: Homework) -> None:
    """Escapes and line breaks in a file's name do not reach a terminal."""
    (found,), _ = discover.find([write(tmp_path / "a\x1b[2J\n.ipynb", "{}")])
    assert found.place.isprintable()


def test_too_many_cells_are_refused(tmp_path: Path, toy: Homework) -> None:
    """Nobody writes 6,000 cells."""
    cells = [{"cell_type": "code", "source": "", "metadata": {}}] * 6_000
    with pytest.raises(UserError, match="6,000 cells"):
        read(write(tmp_path / "a.ipynb", json.dumps({"cells": cells, "nbformat": 4})), toy)


def test_python_files_beside_a_notebook_are_part_of_it(tmp_path: Path, toy: Homework) -> None:
    """It can import them; a changed one makes a new submission; their names stay secret."""
    text = RELEASE.read_bytes()
    alone = read(write(tmp_path / "a" / "hw.ipynb", text), toy)
    write(tmp_path / "b" / "ada" / "hw.ipynb", text)
    write(tmp_path / "b" / "ada" / "ada_lovelace.py", "x = 1\n")
    write(tmp_path / "b" / "ada" / "not a name.py", "x = 2\n")
    first = read(tmp_path / "b", toy)
    write(tmp_path / "b" / "ada" / "ada_lovelace.py", "x = 3\n")
    second = read(tmp_path / "b", toy)
    assert (alone.helpers, first.helpers) == ({}, {"ada_lovelace.py": "x = 1\n"})
    assert len({submission.id.sha256 for submission in (alone, first, second)}) == 3
    assert sentences(first.remarks) == [
        "1 Python file was submitted beside the notebook, which can import it."
    ]


@pytest.mark.parametrize(
    ("files", "taken", "said"),
    [
        ({f"a{n}.py": b"" for n in range(21)}, 20, True),
        ({"a.py": b"\xff"}, 0, True),
        ({"a.py": b"# -*- coding: latin-1 -*-\nx = '\xe4'\n"}, 1, False),
        ({"a.py": b"# -*- coding: unheard-of -*-\n"}, 0, True),
        ({"a.py": b" " * 1_000_001, "b.py": b""}, 1, True),
    ],
    ids=["many", "no text", "an old encoding", "no encoding", "large"],
)
def test_python_files_that_cannot_be_taken_are_left_out(
    tmp_path: Path, toy: Homework, files: dict[str, bytes], taken: int, said: bool
) -> None:
    """The notebook is graded anyway, and the student is told."""
    write(tmp_path / "ada" / "hw.ipynb", notebook("1"))
    for name, data in files.items():
        write(tmp_path / "ada" / name, data)
    submission = read(tmp_path, toy)
    assert len(submission.helpers) == taken
    assert any("cannot import some" in remark for remark in sentences(submission.remarks)) is said


def test_notebooks_side_by_side_share_no_python_files(tmp_path: Path) -> None:
    """Their owner is unknown."""
    for name in ("a.ipynb", "b.ipynb"):
        write(tmp_path / name, notebook("1"))
    write(tmp_path / "helper.py", "x = 1")
    found, _ = discover.find([tmp_path])
    assert [item.helpers for item in found] == [{}, {}]


def test_one_submission_is_found_among_what_a_student_uploads(tmp_path: Path) -> None:
    """A zip is opened if no notebook is beside it; a log may have a browser's number."""
    text = notebook("1")
    folder = opening.given(write(tmp_path / "a" / "submission_log (1).json", "{}").parent)
    assert discover.find_only(folder, student="s", homework="hw").path.name.endswith("(1).json")
    write(tmp_path / "a" / "notes.py", "x = 1")
    with zipfile.ZipFile(tmp_path / "a" / "all.zip", "w") as archive:
        archive.writestr("work/hw.ipynb", text)
        archive.writestr("work/helper.py", "x = 1")
        archive.writestr("__MACOSX/work/._hw.ipynb", "")
    found = discover.find_only(folder, student="s", homework="hw")
    assert (found.student, found.path.name, set(found.helpers)) == ("s", "hw.ipynb", {"helper.py"})
    write(tmp_path / "a" / "hw (2).ipynb", text)
    assert discover.find_only(folder, student="s", homework="hw").path.name == "hw (2).ipynb"


def test_python_files_travel_with_their_notebook(tmp_path: Path, toy: Homework) -> None:
    """This covers graders in other processes and on other machines."""
    write(tmp_path / "ada" / "hw.ipynb", notebook("import helper"))
    write(tmp_path / "ada" / "helper.py", "x = 1\n")
    (found,), _ = discover.find([tmp_path])
    sent = wire.Sent.read(found, limit=10**6).found()
    assert reading.read(sent, toy) == reading.read(found, toy)


_TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(
        st.sampled_from(
            ["# %%", "# %% [markdown]", "# +", "# -", '"""', "def count_positive(numbers):", "    x = (",
             "    return 1", "import x", "@f", "%%time", "```", "f'{d['a']}'", "", "\x00", "\\", "\t"]
        ),
        max_size=12,
    ).map("\n".join),
)  # fmt: skip
_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
_CELLS = st.lists(
    st.fixed_dictionaries(
        {
            "cell_type": st.sampled_from(["code", "markdown", "raw"]) | _ANYTHING,
            "source": _TEXTS | _ANYTHING,
        },
        optional=dict.fromkeys(
            ("id", "metadata", "outputs", "attachments", "input", "level"), _ANYTHING
        ),
    )
    | _ANYTHING,
    max_size=5,
)
_FILES = st.one_of(
    st.tuples(st.just("a.py"), _TEXTS.map(str.encode)),
    st.tuples(st.just("a.ipynb"), st.binary(max_size=50)),
    st.tuples(
        st.just("a.ipynb"),
        st.builds(
            lambda cells, old, version: json.dumps(
                {"worksheets": [{"cells": cells}] if old else None, "cells": None if old else cells}
                | {"nbformat": version}
            ).encode(),
            _CELLS,
            st.booleans(),
            st.sampled_from([4, 3, None]) | _ANYTHING,
        ),
    ),
)


@settings(FUZZ, max_examples=count(full=5_000, slice=80))
@given(file=_FILES)
def test_whatever_is_handed_in_is_read_or_refused(toy: Homework, file: tuple[str, bytes]) -> None:
    """Reading gives a submission with a program, or a complaint, nothing else."""
    name, data = file
    found = discover.Found("someone", archives.received(name, data))
    complaint = ""
    try:
        submission = reading.read(found, toy)
    except UserError as error:
        complaint = str(error)
    else:
        build(submission, toy)
        written(submission, toy)
    assert "\n" not in complaint


IN_R = {
    "kernelspec": {"name": "ir", "display_name": "R", "language": "R"},
    "language_info": {"name": "R", "version": "4.4.1"},
}


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        (IN_R, "R"),
        ({"kernelspec": {"language": "julia", "name": "julia-1.11"}}, "Julia"),
        ({"language_info": {"name": "julia"}}, "Julia"),
        ({"kernelspec": {"language": "python"}, "language_info": {"name": "R"}}, ""),
        ({"language_info": {"name": "ipython"}}, ""),
        ({"kernelspec": {"language": "<script>"}}, ""),
        ({"kernelspec": {"language": ["R"]}, "language_info": 5}, ""),
        ({}, ""),
    ],
)
def test_the_language_of_a_notebook_is_told_where_nothing_in_it_is_an_answer(
    tmp_path: Path, toy: Homework, metadata: dict[str, Any], said: str
) -> None:
    """Its Python answers always count, whatever its metadata says."""
    notebook = nbformat.read(RELEASE, 4)
    notebook.metadata = metadata
    answered = read(write(tmp_path / "a.ipynb", v4.writes(notebook)), toy)
    assert not any(
        "notebook in" in sentence for sentence in sentences(build(answered, toy).repairs)
    )
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.source = "f <- function(numbers) {\n  sum(numbers > 0)\n}"
    other = read(write(tmp_path / "b.ipynb", v4.writes(notebook)), toy)
    first = build(other, toy).repairs[0].text
    assert (first == f"It is a notebook in {said}; this homework is in Python.") is bool(said)


def test_answers_in_an_earlier_form_are_added_below_their_cells(
    tmp_path: Path, toy: Homework
) -> None:
    """The homework defines them; the report names them, and current notebooks stay unchanged."""

    def of_an_earlier_form(code: Sequence[str]) -> dict[int, str]:
        return {n: "def mean(x): return saved" for n, text in enumerate(code) if "saved =" in text}

    homework = replace(toy, read_notebook=of_an_earlier_form)
    old = read(write(tmp_path / "old.ipynb", notebook("saved = 3", "saved += 1")), homework)
    new = read(write(tmp_path / "new.ipynb", notebook("def mean(x): return x")), homework)
    sources = [cell.source for cell in old.cells]
    assert sources == ["saved = 3", "def mean(x): return saved", "saved += 1"]
    assert "does not define `mean`" in " ".join(sentences(old.remarks))
    assert (len(new.cells), new.remarks) == (1, ())
