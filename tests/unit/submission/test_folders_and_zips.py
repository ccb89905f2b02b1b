"""find: students' folders beside students' zips."""

import zipfile
from pathlib import Path

import pytest

from autograder.course.people import parsed
from autograder.records.errors import UserError
from autograder.submission import archives, choice, discover, opening
from autograder.submission.archives import Entry, File
from tests.exports import packed, unpacked
from tests.helpers import found_in

NOTEBOOK = b'{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'


def test_beside_a_zip_a_folder_with_another_form_of_file_is_a_student_s(tmp_path: Path) -> None:
    """Nobody is lost silently; neither a folder of figures nor an unpacked zip is a person."""
    with zipfile.ZipFile(tmp_path / "ada.zip", "w") as archive:
        archive.writestr("toy.ipynb", "{}")
    for name in ("ben/toy.docx", "figures/head.png", "ada/toy.pdf"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("")
    found = found_in(tmp_path, homework="toy")
    assert [one.student for one in found] == ["ada", "ben"]
    assert "ignored: toy.pdf" in found[0].note
    assert found[1].unusable
    assert "no notebook in it, only toy.docx" in found[1].unusable.why


def test_beside_one_usable_folder_nobody_is_lost(tmp_path: Path) -> None:
    """A folder with another form of file is a person's, and so is one that the roster knows."""
    files = {"ana/toy.ipynb": NOTEBOOK, "bo/toy.ipynb.txt": NOTEBOOK, "cy/toy.pdf": b"%PDF"}
    top = unpacked(tmp_path / "in", files | {"figures/head.png": b"", "dan/": b"", "new/": b""})
    found = found_in(top, homework="toy", roster=parsed("id\nana\ndan\n"))
    whose = {one.student: one.unusable is None for one in found}
    assert whose == {"ana": True, "bo": False, "cy": False, "dan": False}
    (top / "ana" / "toy.ipynb").unlink()
    assert [one.student for one in found_in(top, homework="toy")] == ["bo", "cy"]


@pytest.mark.parametrize("zips", [False, True])
def test_by_a_pattern_a_student_does_not_choose_a_name(tmp_path: Path, zips: bool) -> None:
    """Of several notebooks in one of several given paths, each has the path's name, too."""
    people = {"ana": ("bo.ipynb", "toy.ipynb"), "bo": ("toy.ipynb",)}
    paths = [
        packed(tmp_path / f"{name}.zip", dict.fromkeys(files, NOTEBOOK))
        if zips
        else unpacked(tmp_path / name, dict.fromkeys(files, NOTEBOOK))
        for name, files in people.items()
    ]
    found = found_in(*paths, homework="toy")
    assert [one.student for one in found] == ["ana-bo", "ana-toy", "bo"]


def test_a_person_with_only_hidden_files_is_listed_from_a_zip(tmp_path: Path) -> None:
    """The zip need not have an entry for the folder: it lists the same people as the folder."""
    hidden = ".ipynb_checkpoints/toy-checkpoint.ipynb"
    files = {"ana/toy.ipynb": NOTEBOOK, "bo/toy.ipynb": NOTEBOOK, f"cy/{hidden}": NOTEBOOK}
    files |= {"__MACOSX/ana/._toy.ipynb": b"", ".git/config": b""}
    for top in (packed(tmp_path / "class.zip", files), unpacked(tmp_path / "class", files)):
        found = found_in(top, homework="toy")
        assert [one.student for one in found if not one.unusable] == ["ana", "bo"]
        assert [one.student for one in found if one.unusable] == ["cy"]


@pytest.mark.parametrize(
    "name",
    ["./{}/toy.ipynb", "{}\\toy.ipynb", ".\\{}\\toy.ipynb", "/{}/toy.ipynb", "C:\\{}\\toy.ipynb"],
)
def test_names_in_a_zip_are_read_as_other_programs_read_them(tmp_path: Path, name: str) -> None:
    """Some programs write ./, backslashes or absolute names."""
    files = {name.format("ana"): NOTEBOOK, name.format("bo"): NOTEBOOK}
    found = found_in(packed(tmp_path / "class.zip", files), homework="toy")
    assert [one.student for one in found] == ["ana", "bo"]
    assert str(found[0].path) == f"{tmp_path}/class.zip/ana/toy.ipynb"
    with found[0].path.reader() as file:
        assert file.read() == NOTEBOOK


@pytest.mark.parametrize(
    "name", ["../a.ipynb", "ana/../../a.ipynb", "..\\a.ipynb", "b/..\\a.ipynb"]
)
def test_no_name_leads_out_of_a_zip(tmp_path: Path, name: str) -> None:
    """Such a file is left out, however its name is written."""
    found, _ = discover.find([packed(tmp_path / "x.zip", {name: NOTEBOOK, "ok.ipynb": NOTEBOOK})])
    assert [one.path.name for one in found] == ["ok.ipynb"]


def test_a_backslash_in_a_folder_s_name_is_kept(tmp_path: Path) -> None:
    """An id may have one; only in a name without any slash does it separate folders."""
    files = {"DOM\\ana/toy.ipynb": NOTEBOOK, "DOM\\bo/toy.ipynb": NOTEBOOK}
    roster = parsed("id\nDOM\\ana\nDOM\\bo\n")
    found, _ = discover.find([packed(tmp_path / "x.zip", files)], homework="toy", roster=roster)
    assert [roster.id_of(one.student) for one in found] == ["DOM\\ana", "DOM\\bo"]


def test_a_small_zip_in_the_format_for_large_ones_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some programs write every zip in it; a long list of files is refused in it, too."""
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 0)
    (tmp_path / "class").mkdir()
    files = {"pictures.png": bytes(100_000), "toy.ipynb": NOTEBOOK}
    path = packed(tmp_path / "class" / "ana.zip", files)
    data = bytearray(path.read_bytes())
    found = found_in(tmp_path / "class")
    assert [one.student for one in found] == ["ana"]
    places = {data.rindex(b"PK\x06\x06") + 40: 20_000_000, data.rindex(b"PK\x06\x07") + 8: 0}
    for place, number in places.items():
        damaged = data.copy()
        damaged[place : place + 8] = number.to_bytes(8, "little")
        path.write_bytes(damaged)
        found, (line,) = discover.find([tmp_path / "class"])
        assert not found
        assert "the zip's list of files is over 10,000,000 bytes" in line


def with_zips(top: Path, name: str, **zips: bytes) -> Path:
    """Write a class of two people with notebooks, and a third with zips."""
    unpacked(top, {"bo/toy.ipynb": NOTEBOOK, "cy/toy.ipynb": NOTEBOOK, f"{name}/": b""})
    for stem, data in zips.items():
        path = top / name / f"{stem}.zip"
        packed(path, {"toy.ipynb": data}) if data else path.write_bytes(b"Rar!")
    return top


def test_a_zip_whose_notebook_counts_is_not_called_ignored(tmp_path: Path) -> None:
    """Other files beside the zip are, once."""
    top = with_zips(tmp_path / "in", "ana", toy=NOTEBOOK)
    assert [one.note for one in discover.find([top], homework="toy")[0]] == ["", "", ""]
    (top / "ana" / "toy.pdf").write_bytes(b"%PDF")
    (note,) = filter(None, (one.note for one in discover.find([top], homework="toy")[0]))
    assert note == "ignored: toy.pdf"


def test_of_two_zips_the_one_with_the_homework_s_name_counts(tmp_path: Path) -> None:
    """As among notebooks; if it is unclear which counts, staff and student are told about zips."""
    top = with_zips(tmp_path / "in", "ana", old=NOTEBOOK, toy=NOTEBOOK)
    (ana,) = [one for one in discover.find([top], homework="toy")[0] if one.student == "ana"]
    assert (str(ana.path), ana.note) == (f"{top}/ana/toy.zip/toy.ipynb", "ignored: old.zip")
    (ana,) = [one for one in discover.find([top], homework="port")[0] if one.student == "ana"]
    assert ana.unusable is not None
    assert "it has several zips: old.zip, toy.zip; keep only one" in ana.unusable.why
    assert ana.unusable.said == "it contains several zips; submit one .ipynb file"


def test_a_zip_that_cannot_be_opened_gets_its_reason(tmp_path: Path) -> None:
    """In any person's folder, as in a platform's."""
    found = found_in(with_zips(tmp_path / "in", "ana", hw=b""), homework="toy")
    (why,) = [one.unusable.why for one in found if one.unusable]
    assert "no notebook in it, only hw.zip" in why
    assert "hw.zip: it cannot be searched" in why


@pytest.mark.parametrize("name", ["class.tar.gz", "class.tgz", "class.tar", "class.7z", "a.rar"])
def test_a_given_archive_that_is_not_a_zip_must_be_unpacked(tmp_path: Path, name: str) -> None:
    """Nobody is called class.tar."""
    path = tmp_path / name
    path.write_bytes(b"x")
    found, complaints = discover.find([path], homework="toy")
    assert not found
    assert complaints == [
        f"{path}: tar and other archives must be unpacked; give the folder, or a zip"
    ]


@pytest.mark.parametrize("packed_up", [False, True])
def test_data_beside_a_notebook_are_named(tmp_path: Path, packed_up: bool) -> None:
    """A notebook may need them, and they are not used; copies of the homework's data/ are normal."""
    files = {
        "ana/toy.ipynb": NOTEBOOK,
        "ana/k.txt": b"0",
        "ana/mine/k.csv": b"0",
        "ana/data/x.csv": b"0",
    }
    files |= {
        "bo/toy.ipynb": NOTEBOOK,
        "bo/timestamp.txt": b"",
        "roster.csv": b"id\n",
        "ana/Thumbs.db": b"",
    }
    top = packed(tmp_path / "x.zip", files) if packed_up else unpacked(tmp_path / "in", files)
    found = found_in(top, homework="toy")
    assert [one.note for one in found] == ["ignored: k.txt, mine/k.csv", ""]
    if not packed_up:
        found = found_in(top / "ana", homework="toy")
        assert [one.note for one in found] == ["ignored: k.txt"]
        (top / "ana" / "old.ipynb").write_bytes(NOTEBOOK)
        found, _ = discover.find([top], homework="toy", roster=parsed("id\nana\nbo\n"))
        assert "ignored: k.txt, mine/k.csv" in found[0].note


@pytest.mark.parametrize("first", ["", "# -*- coding: utf-8 -*-\n"])
def test_a_script_by_colab_needs_no_cell_marks(tmp_path: Path, first: str) -> None:
    """Its first text says where it comes from."""
    made = f'{first}"""toy.ipynb\n\nAutomatically generated by Colab.\n"""\n\nx = 1\n'
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "toy.py").write_text(made)
    assert [item.student for item in found_in(tmp_path)] == ["ada"]


def test_a_script_without_cell_marks_is_told_of_them(tmp_path: Path) -> None:
    """It does not count among other files, because it may be anything."""
    files = {"ana/toy.py": b"x = 1\n", "bo/toy.ipynb": NOTEBOOK, "cy/toy.ipynb": NOTEBOOK}
    found, _ = discover.find([unpacked(tmp_path / "in", files)], homework="toy")
    (why,) = [one.unusable.why for one in found if one.unusable]
    assert why == (
        "no notebook in it, only toy.py; it needs a .ipynb file, or cell marks (`# %%`) in the script"
    )


def test_of_thousands_of_scripts_a_few_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The zip of a project is opened for each, and its packages are no submission."""
    files = {f"venv/lib/p{n}.py": b"x = 1\n" for n in range(3000)}
    files |= {"venv/a.py": b"# %%\nx = 1\n", "src/lib/mine/toy.py": b"# %%\nx = 1\n"}
    path = packed(tmp_path / "ada.zip", files)
    read: list[File] = []
    monkeypatch.setattr(
        choice, "has_cells", lambda file: read.append(file) or archives.beginning(file, 1) == b"#"
    )
    found = choice.choose([Entry(opening.given(path), (), "ada.zip")], choice.Known("toy"))
    assert (found.file.name, len(read)) == ("toy.py", choice.MAX_SCRIPTS)
    other = [Entry(opening.given(path), (), "ada.zip")]
    monkeypatch.setattr(choice, "has_cells", lambda _: False)
    with pytest.raises(UserError, match="only 200 of its 3,002 scripts were read"):
        choice.choose(other, choice.Known("toy"))


def test_a_folder_of_hidden_files_takes_nothing_from_the_folder_of_a_zip(tmp_path: Path) -> None:
    """The zip is named after the folder that it was made from, and another lies beside it."""
    files = {"class/ana.ipynb": NOTEBOOK, "class/bo.ipynb": NOTEBOOK, "x/.git/config": b""}
    found = found_in(packed(tmp_path / "class.zip", files))
    assert [one.student for one in found] == ["ana", "bo"]
