"""discover: the owner of a submission, by any form of id, with several per person."""

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.course.people import People, parsed
from autograder.grading import inbox
from autograder.submission import discover, ids
from tests.exports import metadata, packed, submission, unpacked
from tests.helpers import found_in

NOTEBOOK = b'{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
IDS = [
    "anna@uni.example",
    "DOM\\bert",
    "o'brien",
    "anna maria",
    "_x",
    "rene\u0301",
    "a_b",
    "a b",
    "Bo",
]
ROSTER = parsed(
    "id,name,canvas,moodle,github,gradescope\n"
    + "".join(f'"{id}",N {n},5010{n},70{n},git-{n},sid-{n}\n' for n, id in enumerate(IDS))
)


def from_gradescope(top: Path) -> list[Path]:
    every = {f"submission_{n}": submission((f"sid-{n}", "")) for n in range(len(IDS))}
    files = {f"{name}/x.ipynb": NOTEBOOK for name in every}
    return [unpacked(top, {"submission_metadata.yml": metadata(**every), **files})]


def written(top: Path, name: str) -> Path:
    """Write a notebook for each person, at a place with their id or number."""
    names = [name.format(id=id, capitals=id.upper(), n=n) for n, id in enumerate(IDS)]
    return unpacked(top, dict.fromkeys(names, NOTEBOOK))


WAYS: dict[str, Callable[[Path], list[Path]]] = {
    "in folders": lambda top: [written(top, "{id}/x.ipynb")],
    "side by side": lambda top: [written(top, "{capitals}.ipynb")],
    "each by a pattern": lambda top: sorted(written(top, "{id}/x.ipynb").iterdir()),
    "files by a pattern": lambda top: sorted(written(top, "{id}/port.ipynb").glob("*/*.ipynb")),
    "by nbgrader": lambda top: [written(top / "submitted", "{id}/port/port.ipynb")],
    "from Canvas": lambda top: [written(top, "doe_5010{n}_90{n}_port.ipynb")],
    "from Moodle": lambda top: [written(top, "N {n}_70{n}_assignsubmission_file_/x.ipynb")],
    "from Gradescope": from_gradescope,
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_each_way_in_finds_each_person_once(
    tmp_path: Path, way: Callable[[Path], list[Path]]
) -> None:
    """This covers addresses, backslashes, quotes, blanks, accents, capitals and platforms' numbers."""
    found = found_in(*way(tmp_path / "in"), homework="port", roster=ROSTER)
    people = [ROSTER.in_folder(item.student) for item in found]
    assert sorted(one.id for one in people if one) == sorted(one.id for one in ROSTER)
    assert [item.student for item in found] == [one.folder for one in people if one]


def test_an_exchange_has_each_person_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest under any id counts; people outside the roster have their own folder."""
    clock = itertools.count(0.0, inbox.SETTLED_SECONDS)
    monkeypatch.setattr(inbox.time, "monotonic", lambda: next(clock))
    for number, id in enumerate([*(f"git-{n}" for n in range(4)), *IDS, "c d", "c@d"]):
        name = f"{id}+port+2026-03-01 10:00:{number:02} UTC+x7"
        unpacked(tmp_path / "inbound" / name, {"port.ipynb": NOTEBOOK})
    look = inbox.Arrivals(tmp_path, "port", ROSTER)
    look.new()
    found, complaints = look.new()
    assert complaints == []
    by_id = {ROSTER.id_of(item.student): item for item in found}
    assert len(by_id) == len(found) == len(IDS) + 2
    assert by_id["DOM\\bert"].receipt is not None
    assert by_id["DOM\\bert"].receipt.people == ("DOM\\bert",)
    assert {one.id for one in ROSTER} < by_id.keys()


def test_a_list_of_people_goes_before_numbers_of_the_roster(tmp_path: Path) -> None:
    """Two platforms may give the same number to two people."""
    path = tmp_path / "list.csv"
    path.write_text("Identifier,Email\nParticipant 50100,git-1\n")
    known = ids.read(path, ["50100"], ROSTER)
    assert known["50100"].id == "DOM\\bert"


PEOPLE = parsed("id\na01\na20\n")


@pytest.mark.parametrize("given", ["folder", "own folder", "pattern", "files", "zip", "its zips"])
def test_of_two_notebooks_of_one_person_nobody_can_tell_which_counts(
    tmp_path: Path, given: str
) -> None:
    """One line names the person and both files; the person is listed, and no one else appears."""
    files = {"a20/first try.ipynb": NOTEBOOK, "a20/final.ipynb": NOTEBOOK, "a01/x.ipynb": NOTEBOOK}
    top = unpacked(tmp_path / "in", files)
    paths = {
        "folder": [top],
        "own folder": [top / "a20"],
        "pattern": [top / "a01", top / "a20"],
        "files": sorted(top.glob("*/*.ipynb")),
    }
    if given == "zip":
        paths[given] = [packed(tmp_path / "class.zip", files)]
    if given == "its zips":
        (zips := tmp_path / "zips").mkdir()
        packed(zips / "a20.zip", {"first try.ipynb": NOTEBOOK, "final.ipynb": NOTEBOOK})
        packed(zips / "a01.zip", {"x.ipynb": NOTEBOOK})
        paths[given] = [zips]
    found = found_in(*paths[given], homework="port", roster=PEOPLE)
    mine = {item.student: item for item in found}
    assert mine.keys() == ({"a20"} if given == "own folder" else {"a01", "a20"})
    why = mine["a20"].unusable
    assert why
    assert "final.ipynb" in why.why
    assert "first try.ipynb" in why.why
    assert "a20" in mine["a20"].place
    assert "keep only one, or call it port.ipynb" in why.why


@pytest.mark.parametrize("roster", [PEOPLE, People()])
def test_two_with_the_homework_s_name_are_not_to_be_called_so(
    tmp_path: Path, roster: People
) -> None:
    """They are in separate folders, which the line names."""
    files = {"a20/v1/port.ipynb": NOTEBOOK, "a20/v2/port.ipynb": NOTEBOOK, "a01/x.ipynb": NOTEBOOK}
    files = {f"submitted/{name.replace('/', '/port/', 1)}": data for name, data in files.items()}
    top = unpacked(tmp_path / "in", files)
    found, _ = discover.find([top], homework="port", roster=roster)
    (why,) = [item.unusable.why for item in found if item.unusable]
    assert why.endswith("keep only one")
    assert "v1/port.ipynb" in why


def test_the_notebook_with_the_homework_s_name_counts(tmp_path: Path) -> None:
    """This includes several folders and files of one person, and a subfolder."""
    files = {"a20/port.ipynb": NOTEBOOK, "a20/try.ipynb": NOTEBOOK, "A20.ipynb": NOTEBOOK}
    files |= {"a01/x.ipynb": NOTEBOOK, "a01/old/y.ipynb": NOTEBOOK}
    found = found_in(unpacked(tmp_path / "in", files), homework="port", roster=PEOPLE)
    places = {item.student: str(item.path) for item in found}
    assert places == {
        "a20": str(tmp_path / "in" / "a20" / "port.ipynb"),
        "a01": str(tmp_path / "in" / "a01" / "x.ipynb"),
    }
    assert all("counts" in item.note for item in found)


@pytest.mark.parametrize("packed_up", [False, True])
@pytest.mark.parametrize(
    "place", ["group{0}/a{0}.ipynb", "g/A{0}.ipynb", "g {0}/a{0}/x.ipynb", "all/g/a{0}.ipynb"]
)
def test_in_a_folder_of_nobody_s_files_are_called_after_people(
    tmp_path: Path, place: str, packed_up: bool
) -> None:
    """The folder may be a group's, a section's or a tutor's; other files stay the folder's."""
    files = {place.format(n): NOTEBOOK for n in ("01", "20")} | {"g/new.ipynb": NOTEBOOK}
    top = packed(tmp_path / "x.zip", files) if packed_up else unpacked(tmp_path / "in", files)
    found = found_in(top, homework="port", roster=PEOPLE)
    assert {"a01", "a20"} < {item.student for item in found}
    assert len(found) == 3


def test_a_file_in_a_person_s_folder_is_that_person_s(tmp_path: Path) -> None:
    """Whatever name it has: students choose the names of files."""
    top = unpacked(tmp_path / "in", {"a20/a01.ipynb": NOTEBOOK, "zz/x.ipynb": NOTEBOOK})
    found, _ = discover.find([top], homework="port", roster=PEOPLE)
    assert {item.student for item in found} == {"a20", "zz"}


def test_a_hidden_folder_with_a_notebook_is_named(tmp_path: Path) -> None:
    """An id may begin with a dot; files left by programs get no line."""
    files = dict.fromkeys((".x/p.ipynb", "a01/p.ipynb", ".git/config"), NOTEBOOK)
    files[".ipynb_checkpoints/p.ipynb"] = NOTEBOOK
    top = unpacked(tmp_path / "in", files)
    found, complaints = discover.find([top], homework="port", roster=PEOPLE)
    assert [item.student for item in found] == ["a01"]
    assert complaints == [f"{top}/.x: a hidden folder; rename it to grade it"]


def test_a_group_s_folder_has_a_submission_each_file(tmp_path: Path) -> None:
    """If no roster knows its name, it may not be one person's."""
    files = {"group 1/ada.ipynb": NOTEBOOK, "group 1/ben.ipynb": NOTEBOOK}
    found, _ = discover.find([unpacked(tmp_path / "in", files)], homework="port", roster=People())
    assert [item.student for item in found] == ["group_1-ada", "group_1-ben"]
