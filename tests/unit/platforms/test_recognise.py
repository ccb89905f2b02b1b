"""Exports of platforms and nbgrader's folders: the right student, or one clear line."""

import re
import unicodedata
from pathlib import Path

import nbformat
import pytest
import yaml
from nbformat import v4

from autograder.course.people import People
from autograder.platforms.gradescope import export
from autograder.records.codec import safe
from autograder.records.facts import Receipt
from autograder.submission import archives, discover, opening
from tests.exports import Files, metadata, packed, submission, unpacked

NAME = "port"
NOTEBOOK = nbformat.writes(v4.new_notebook(cells=[v4.new_code_cell("x = 1")])).encode()


def both(tmp_path: Path, name: str, files: Files) -> list[Path]:
    return [unpacked(tmp_path / name, files), packed(tmp_path / f"{name}.zip", files)]


def students(
    *paths: Path, roster: dict[str, dict[str, str]] | None = None
) -> tuple[dict[str, str], list[str]]:
    """Return each student's file, relative to the given path, and the complaints.

    Students without a usable one are among the complaints.
    """
    people = People.of(roster or {})
    found, complaints = discover.find(paths, homework=NAME, roster=people)
    (tops,) = {str(path.parent.resolve()) for path in paths}
    files = {}
    for item in found:
        if item.unusable:
            complaints.append(f"{item.place}: {item.unusable.why}")
        else:
            files[item.student] = str(item.path).removeprefix(tops).split("/", 2)[2]
    assert not [line for line in complaints if not line.isprintable()]
    return files, complaints


def test_an_extension_finds_whom_gradescope_knows_by_an_address(tmp_path: Path) -> None:
    """A receipt has the roster's id and Gradescope's, but never the address."""
    files = {
        "submission_1/port.ipynb": NOTEBOOK,
        "submission_2/port.ipynb": NOTEBOOK,
        export.METADATA: metadata(
            submission_1=submission(("", "ada@x.org")), submission_2=submission(("77", "b@x.org"))
        ),
    }
    roster = {"a001": {"email": "ada@x.org"}, "b002": {"email": "b@x.org"}}
    (ben, ada), _ = discover.find(  # the newest first
        [unpacked(tmp_path / "export", files)], homework=NAME, roster=People.of(roster)
    )
    assert ada.receipt is not None
    assert ben.receipt is not None
    assert (ada.student, ada.receipt.people) == ("a001", ("a001",))
    assert (ben.student, ben.receipt.people) == ("b002", ("77", "b002"))


def test_a_nbgrader_tree_holds_one_homework_of_each_student(tmp_path: Path) -> None:
    """Other homeworks, timestamps and extra notebooks are ignored."""
    files = {
        "ada lovely/port/port.ipynb": NOTEBOOK,
        "ada lovely/port/timestamp.txt": b"2026-03-04 05:06:07 UTC",
        "ada lovely/port/scratch.ipynb": NOTEBOOK,
        "ada lovely/other/other.ipynb": NOTEBOOK,
        "ben/port/mine.ipynb": NOTEBOOK,
        "ben/port/.ipynb_checkpoints/mine-checkpoint.ipynb": NOTEBOOK,
        "chi/other/other.ipynb": NOTEBOOK,
        "dan/port/timestamp.txt": b"",
        "eva/port/a.ipynb": NOTEBOOK,
        "eva/port/b.ipynb": NOTEBOOK,
        "\u7530\u4e2d/port/port.ipynb": NOTEBOOK,
        "left.ipynb": NOTEBOOK,
    }
    for path in both(tmp_path, "submitted", files):
        found, complaints = students(path)
        assert found == {
            "ada_lovely": "ada lovely/port/port.ipynb",
            "ben": "ben/port/mine.ipynb",
            "\u7530\u4e2d": "\u7530\u4e2d/port/port.ipynb",
        }
        assert len(complaints) == 4
        text = "\n".join(complaints)
        assert "/chi: nothing for port is here but other" in text
        assert "/dan: no notebook in it, only timestamp.txt" in text
        assert "/eva: it is unclear which counts of a.ipynb, b.ipynb" in text
        assert "/left.ipynb: it is beside" in text
        (ada,) = (
            item for item in discover.find([path], homework=NAME)[0] if item.student[0] == "a"
        )
        assert ada.note == "of 2 notebooks port.ipynb counts"


def test_a_part_of_a_nbgrader_tree_is_named_after_its_student(tmp_path: Path) -> None:
    """This covers one student's folder, and one homework's, from a shell pattern."""
    files = {f"{who}/port/port.ipynb": NOTEBOOK for who in ("ada", "ben")}
    files |= {"ada/port/submission_log.json": b"{}", "ada/other/other.ipynb": NOTEBOOK}
    top = unpacked(tmp_path / "submitted", files)
    for path in (top / "ada", top / "ada" / "port"):
        (item,), complaints = discover.find([path], homework=NAME)
        assert (item.student, complaints) == ("ada", [])
        assert item.log is not None
    for pattern in ("*", "*/port", "*/port/*.ipynb"):
        found, complaints = discover.find(sorted(top.glob(pattern)), homework=NAME)
        assert [item.student for item in found] == ["ada", "ben"]
        assert not complaints
    (item,), _ = discover.find(
        [unpacked(tmp_path / "chi", {"port/port.ipynb": NOTEBOOK})], homework=NAME
    )
    assert item.student == "chi"
    found, (complaint,) = discover.find([top / "ada"], homework="third")
    assert not found
    assert "nothing for third is here but other, port" in complaint


def test_an_imported_homework_is_one_notebook_of_what_nbgrader_collected(tmp_path: Path) -> None:
    """It ignores other homeworks' notebooks; the homework's own name comes first."""
    files = {
        f"{who}/ps1/{name}.ipynb": NOTEBOOK for who in ("ada", "ben") for name in ("port", "second")
    }
    files |= {"chi/ps1_port/ps1_port.ipynb": NOTEBOOK, "dan/ps2/port.ipynb": NOTEBOOK}
    top = unpacked(tmp_path / "submitted", files)
    options = {"homework": "ps1_port", "collected": "ps1/port"}
    found, (complaint,) = discover.find([top], **options)
    assert [(item.student, Path(str(item.path)).name) for item in found] == [
        ("ada", "port.ipynb"),
        ("ben", "port.ipynb"),
        ("chi", "ps1_port.ipynb"),
    ]
    assert not any(item.note for item in found)
    assert "dan: nothing for ps1_port is here but ps2" in complaint
    for pattern in ("ada", "*/ps1", "*/ps1/port.ipynb"):
        found, complaints = discover.find(sorted(top.glob(pattern)), **options)
        assert [item.student for item in found] == ["ada", "ben"][: len(found)]
        assert (complaints, {Path(str(item.path)).name for item in found}) == ([], {"port.ipynb"})
    one = discover.find_only(opening.given(top / "ada" / "ps1"), student="ada", **options)
    assert Path(str(one.path)).name == "port.ipynb"
    # Whoever brings both means the newer name; side by side, each file is somebody's.
    both = unpacked(tmp_path / "both", {"ps1_port.ipynb": NOTEBOOK, "port.ipynb": NOTEBOOK})
    one = discover.find_only(opening.given(both), student="ada", **options)
    assert Path(str(one.path)).name == "ps1_port.ipynb"
    packed(tmp_path / "eve.zip", {"ps1_port.ipynb": NOTEBOOK})
    assert [item.student for item in discover.find([tmp_path / "eve.zip"], **options)[0]] == ["eve"]
    (tmp_path / "zips").mkdir()
    packed(
        tmp_path / "zips" / "ada.zip", {"ps1/port.ipynb": NOTEBOOK, "ps1/second.ipynb": NOTEBOOK}
    )
    ((item,), complaints) = discover.find([tmp_path / "zips"], **options)
    assert (item.student, Path(str(item.path)).name, complaints) == ("ada", "port.ipynb", [])
    other = unpacked(tmp_path / "submitted2" / "gus", {"ps1/renamed.ipynb": NOTEBOOK})
    one = discover.find_only(opening.given(other / "ps1"), student="gus", **options)
    assert one.note == "it is called renamed.ipynb instead of port.ipynb"
    (tmp_path / "old" / "source").mkdir(parents=True)
    (tmp_path / "old" / "submitted").mkdir()
    found, (complaint,) = discover.find([tmp_path / "old"], **options)
    assert not found
    assert complaint.endswith(
        "this is an nbgrader course; give " + str(tmp_path / "old" / "submitted")
    )
    loose = unpacked(tmp_path / "loose", {"ada.ipynb": NOTEBOOK, "port.ipynb": NOTEBOOK})
    assert {item.student for item in discover.find([loose], **options)[0]} == {"ada", "port"}


def test_notebooks_of_other_homeworks_in_a_person_s_folder_are_left_out(tmp_path: Path) -> None:
    """Names decide if this homework's is there, too; a single different file is graded."""
    files = {f"{who}/{name}.ipynb": NOTEBOOK for who in ("ada", "ben") for name in ("port", "next")}
    files |= {"chi/next.ipynb": NOTEBOOK, "group/port.ipynb": NOTEBOOK, "group/dan.ipynb": NOTEBOOK}
    top = unpacked(tmp_path / "in", files)
    found, complaints = discover.find([top], homework=NAME, others=(NAME, "next"))
    assert [(item.student, Path(str(item.path)).name) for item in found] == [
        ("ada", "port.ipynb"),
        ("ben", "port.ipynb"),
        ("chi", "next.ipynb"),
        ("group-dan", "dan.ipynb"),
        ("group-port", "port.ipynb"),
    ]
    assert not complaints


def test_people_of_the_roster_may_have_other_homeworks_only(tmp_path: Path) -> None:
    """`grade` lists people without a submission; others are reported, unless nobody has one."""
    files = {"ada/port/port.ipynb": NOTEBOOK, "ben/port/port.ipynb": NOTEBOOK}
    files |= {f"{who}/other/other.ipynb": NOTEBOOK for who in ("chi", "dan")}
    top = unpacked(tmp_path / "submitted", files)
    roster = {who: {} for who in ("ada", "ben", "chi")}
    found, (complaint,) = discover.find([top], homework=NAME, roster=People.of(roster))
    assert [item.student for item in found] == ["ada", "ben"]
    assert "/dan: nothing for port is here but other" in complaint
    found, complaints = discover.find([top], homework="prot", roster=People.of(roster))
    assert not found
    assert len(complaints) == 4


def test_a_template_beside_folders_of_students_takes_nothing_from_them(tmp_path: Path) -> None:
    """A folder named after the homework is a student's, if only one of them."""
    files = {f"{who}/x.ipynb": NOTEBOOK for who in ("ada", "ben", "chi")}
    top = unpacked(tmp_path / "in", files | {"port/port.ipynb": NOTEBOOK})
    assert set(students(top)[0]) == {"ada", "ben", "chi", "port"}


def test_gradescope_knows_whose_a_submission_is(tmp_path: Path) -> None:
    """It goes by :sid, then the roster's address, then the submission; all of a group are graded."""
    files = {
        "submission_metadata.yml": metadata(
            submission_11=submission(("b002", "ben@example.org"), ("c003", "chi@example.org")),
            submission_12=submission(("", "Ada@Example.org ")),
            submission_13=submission(("", "zoe@example.org"), ("", "yan@example.org")),
            submission_14=submission(("../../etc", "mallory@example.org")),
            submission_15={":submitters": []},
            submission_16=submission(("077", "dan@example.org")),
        ),
        "submission_16/Zo\u00eb's home work (1).ipynb": NOTEBOOK,
        "submission_11/data/numbers.csv": b"1",
    }
    files |= {f"submission_{n}/port.ipynb": NOTEBOOK for n in range(11, 16)}
    files |= {
        "submission_11/submission_log.json": b"{}",
        "__MACOSX/submission_11/._port.ipynb": b"",
    }
    roster = {"a001": {"email": "ada@example.org"}, "e005": {"email": ""}}
    expected = {
        "b002": "submission_11/port.ipynb",
        "c003": "submission_11/port.ipynb",
        "a001": "submission_12/port.ipynb",
        "submission_13": "submission_13/port.ipynb",
        "submission_13-2": "submission_13/port.ipynb",
        "submission_14": "submission_14/port.ipynb",
        "submission_15": "submission_15/port.ipynb",
        "077": "submission_16/Zo\u00eb's home work (1).ipynb",
    }
    for path in both(tmp_path, "assignment_7_export", files):
        assert students(path, roster=roster) == (expected, [])
        found, _ = discover.find([path], homework=NAME, roster=People.of(roster))
        assert [item.student for item in found if item.log] == ["b002", "c003"]
    wrapped = {f"assignment_7_export/{name}": data for name, data in files.items()}
    found, complaints = discover.find(
        [packed(tmp_path / "download.zip", wrapped)], roster=People.of(roster)
    )
    assert {item.student for item in found} == set(expected)
    assert not complaints


def test_the_roster_says_which_of_two_ids_counts(tmp_path: Path) -> None:
    """A :sid in roster.csv comes first, then its id for the address: grades.csv joins by these."""
    files = {
        "submission_metadata.yml": metadata(
            submission_1=submission(("30001", "ada@example.org")),
            submission_2=submission(("b002", "old@example.org")),
            submission_3=submission(("30003", "chi@example.org")),
        ),
        **{f"submission_{n}/x.ipynb": NOTEBOOK for n in (1, 2, 3)},
    }
    rows = {"a001": "ada@example.org", "b002": "ben@example.org", "x": "chi@example.org"}
    roster = {key: {"email": email} for key, email in rows.items()} | {"y": {"email": rows["x"]}}
    found, complaints = students(packed(tmp_path / "e.zip", files), roster=roster)
    assert set(found) == {"b002", "a001", "30003"}
    assert not complaints


def test_an_address_that_contradicts_a_sid_is_complained_about(tmp_path: Path) -> None:
    """Nobody gets a mark, or the lateness, of somebody whose :sid is mistyped."""
    files = {
        "submission_metadata.yml": metadata(
            submission_1=submission(("b002", "ada@x.org")), submission_2=submission(("", "c@x.org"))
        ),
        **{f"submission_{n}/x.ipynb": NOTEBOOK for n in (1, 2)},
    }
    rows = {"a001": "ada@x.org", "b002": "b@x.org", "c003": "c@x.org"}
    roster = People.of({id: {"email": email} for id, email in rows.items()})
    path = packed(tmp_path / "assignment_1_export.zip", files)
    found, (line,) = discover.find([path], homework=NAME, roster=roster)
    assert {one.student for one in found} == {"submission_1", "c003"}
    assert {one.receipt.people for one in found if one.receipt} == {(), ("c003",)}
    assert "submission_1: its :sid and its address belong to different people" in line


def test_the_newest_of_several_submissions_counts(tmp_path: Path) -> None:
    """It goes by :created_at with its zone, then by number; partners keep joint submissions."""
    ada, ben = ("a001", "ada@example.org"), ("b002", "ben@example.org")
    files = {
        "submission_metadata.yml": metadata(
            submission_30=submission(ada, ben, created="2026-03-04 12:00:00 +02:00"),
            submission_20=submission(ada, created="2026-03-04 11:00:00 Z"),
            submission_9=submission(ada, created="2026-03-03 23:00:00 Z"),
            submission_41=submission(("c003", ""), created="soon"),
            submission_40=submission(("c003", ""), created=""),
        ),
        **{f"submission_{n}/x.ipynb": NOTEBOOK for n in (9, 20, 30, 40, 41)},
    }
    path = packed(tmp_path / "e.zip", files)
    assert students(path) == (
        {
            "a001": "submission_20/x.ipynb",
            "b002": "submission_30/x.ipynb",
            "c003": "submission_41/x.ipynb",
        },
        [],
    )
    notes = {item.student: item.note for item in discover.find([path])[0]}
    assert notes == {
        "a001": "older than the one that counts: submission_30, submission_9",
        "b002": "",
        "c003": "older than the one that counts: submission_40",
    }


def test_what_gradescope_lacks_is_one_line_each(tmp_path: Path) -> None:
    """This covers missing folders, entries and notebooks, a shared :sid, two logs, and a zip."""
    ada, ben = ("a001", "ada@example.org"), ("b002", "ben@example.org")
    files = {
        "submission_metadata.yml": metadata(
            submission_1=submission(ada),
            submission_2=submission(ben, ("c003", "chi@example.org")),
            submission_3=submission(("d004", "dan@example.org")),
            submission_4=submission(("D004", "eva@example.org")),
            submission_5=submission(("f006", "fay@example.org")),
        ),
        "submission_2/work.zip": b"",
        "submission_2/a\x1b[2J.pdf": b"",
        "submission_3/x.ipynb": NOTEBOOK,
        "submission_4/x.ipynb": NOTEBOOK,
        "submission_5/deep/port.ipynb": NOTEBOOK,
        "submission_5/deep/er/port.ipynb": NOTEBOOK,
        "submission_6/x.ipynb": NOTEBOOK,
    }
    for path in both(tmp_path, "assignment_7_export", files):
        found, complaints = students(path)
        assert found == {
            "f006": "submission_5/deep/port.ipynb",
            "submission_3": "submission_3/x.ipynb",
            "submission_4": "submission_4/x.ipynb",
        }
        text = "\n".join(complaints)
        assert len(complaints) == 5  # two submitted submission_2 together
        assert "two people share an id in submission_3, submission_4" in text
        assert "lists submission_1, but there is no such folder" in text
        assert "/submission_6: submission_metadata.yml does not show who submitted it" in text
        lacking = re.findall(r"/submission_2 \((\w+)\): no notebook in it, only .*work\.zip", text)
        assert len(set(lacking)) == 2
        assert "example.org" not in text
        assert "Person" not in text


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "lists no submissions"),
        (b"- 1\n", "lists no submissions"),
        (b"submission_1: [\n", "not YAML in line 2"),
        (
            b"submission_1: {':submitters': []}\nsubmission_1: {}\n",
            "is not a submission in Gradescope's form",
        ),
        (b"submission_1: text\n", "submission_1 is not a submission in Gradescope's form"),
        (b"\xff\xfe\xff", "not YAML"),
        (b"submission_1: {':results': " + b"[" * 300_000, "nested more than 200 deep"),
        (b"? " + b"[" * 300_000, "nested more than 200 deep"),
        (b"submission_1: {':submitters': [" + b"{}," * 1_000 + b"]}", "more than 100 submitters"),
        (
            b"a: &a [1]\n" + b"".join(b"b%d: [*a]\n" % n for n in range(9)),
            "not a submission in Gradescope",
        ),
    ],
)
def test_broken_metadata_is_one_line_and_grades_nothing(
    tmp_path: Path, data: bytes, complaint: str
) -> None:
    """Without it, the owners are unknown, and nothing is guessed."""
    path = packed(
        tmp_path / "e.zip", {"submission_metadata.yml": data, "submission_1/x.ipynb": NOTEBOOK}
    )
    found, (line,) = students(path)
    assert not found
    assert complaint in line
    assert "download the export again" in line


def test_metadata_is_read_up_to_a_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A larger one cannot be a list of submissions."""
    monkeypatch.setattr(export, "MAX_BYTES", 1_000_000)
    files = {"submission_metadata.yml": b"a" * 1_000_001, "submission_1/x.ipynb": NOTEBOOK}
    found, (line,) = students(packed(tmp_path / "e.zip", files))
    assert not found
    assert "more than 1 MB; this is not a list of submissions" in line


@pytest.mark.parametrize("loader", [yaml.BaseLoader, export.LOADER])
def test_metadata_as_ruby_writes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loader: type
) -> None:
    """This covers tags, aliases, leading zeros, empty keys and depth, with both parsers."""
    monkeypatch.setattr(export, "LOADER", loader)
    text = """---
submission_1:
  :submitters:
  - :name: &1 Ada Example
    :sid: 0123
    :email: &2 ada@example.org
  :created_at: !ruby/object:Time 2026-03-04 05:06:07.123456789 Z
  :results:
    tests: [{extra_data: {name: *1, deep: [[[[1]]]]}}]
submission_2: !ruby/hash:ActiveSupport::HashWithIndifferentAccess
  :submitters:
  - :name: *1
    :sid: 0123
    :email: *2
  :created_at: 2026-03-05 05:06:07 -08:00
submission_3:
  :submitters:
  - :name: Null
    :sid: null
    :email:
"""
    files = {"submission_metadata.yml": text.encode()}
    files |= {f"submission_{n}/x.ipynb": NOTEBOOK for n in (1, 2, 3)}
    assert students(packed(tmp_path / "e.zip", files)) == (
        {"0123": "submission_2/x.ipynb", "submission_3": "submission_3/x.ipynb"},
        [],
    )


def test_a_student_cannot_pretend_to_be_an_export(tmp_path: Path) -> None:
    """Among several folders, none counts as one by its files, nor does a folder of folders."""
    claim = {"submission_metadata.yml": metadata(submission_1=submission(("ada", "")))}
    claim |= {"submission_1/x.ipynb": NOTEBOOK}
    claims = {"ben": claim, "chi": {"victim_666_1_x.ipynb": NOTEBOOK}}
    claims |= {"dan": {"ada/port/x.ipynb": NOTEBOOK}}
    for who, files in claims.items():
        unpacked(tmp_path / "in" / who, files)
    unpacked(tmp_path / "in" / "eva", {"x.ipynb": NOTEBOOK})
    found, _ = discover.find(sorted((tmp_path / "in").iterdir()), homework=NAME)
    assert [item.student for item in found] == ["ben", "chi", "dan", "eva"]
    assert list(students(tmp_path / "in")[0]) == ["ben", "chi", "dan", "eva"]
    zips = [packed(tmp_path / f"{who}_1_2_submissions.zip", f) for who, f in claims.items()]
    assert list(students(*zips)[0]) == [zipped.stem for zipped in zips]
    exports = [tmp_path / "submissions (1).zip", tmp_path / "assignment_7_export.zip"]
    for path, who in zip(exports, ("chi", "ben"), strict=True):
        packed(path, claims[who])
    assert list(students(*exports)[0]) == ["666", "ada"]


def test_a_student_without_a_notebook_is_named(tmp_path: Path) -> None:
    """This covers folders of students; a data folder beside notebooks is nobody's."""
    files = {"ada/x.ipynb": NOTEBOOK, "ben/x.IPYNB": NOTEBOOK, "chi/x.docx": b"", "dan/": b""}
    path = unpacked(tmp_path / "in", files)
    assert students(path) == (
        {"ada": "ada/x.ipynb", "ben": "ben/x.IPYNB"},
        [
            f"{path}/chi: no notebook in it, only x.docx; it needs a .ipynb file",
            f"{path}/dan: no notebook in it; it needs a .ipynb file",
        ],
    )
    files = {"ada.ipynb": NOTEBOOK, "ben.ipynb": NOTEBOOK, "data/x.csv": b""}
    assert not students(unpacked(tmp_path / "flat", files))[1]


CANVAS = {
    "lovelaceada_101_9001_port.ipynb": NOTEBOOK,
    "lovelaceada_101_9002_submission_log.json": b"{}",
    "o\u0308zben_LATE_102_9003_port-1.ipynb": NOTEBOOK,
    "o\u0308zben_LATE_102_9010_port-2.ipynb": NOTEBOOK,
    "m\u00fcllerchi_103_9004_Chi's work_202_9999_x (1).ipynb": NOTEBOOK,
    "dan_104_text.html": b"<p>",
    "eva_105_9005_port.pdf": b"",
    "fay_106_9006_one.ipynb": NOTEBOOK,
    "fay_106_9007_two.ipynb": NOTEBOOK,
    "gus_107_9008_scratch.ipynb": NOTEBOOK,
    "gus_107_9009_port-0f8fad5b-d9cb-469f-a165-70867728950e.ipynb": NOTEBOOK,
    "anon_Xy9_9011_x.ipynb": NOTEBOOK,
    "LATE_anon_Ab1_9012_x.ipynb": NOTEBOOK,
    "12345_108_9013_x.ipynb": NOTEBOOK,
    "group one_109_9014_x.ipynb": NOTEBOOK,
    "stray.ipynb": NOTEBOOK,
    "__MACOSX/._lovelaceada_101_9001_port.ipynb": b"",
}


def test_canvas_writes_ids_into_names(tmp_path: Path) -> None:
    """The user's id counts, never the name; the newest of equal uploads wins; file names do not."""
    for path in both(tmp_path, "course-port_submissions", CANVAS):
        found, complaints = students(path)
        assert {student: re.split(r"_(?=90)", name)[1] for student, name in found.items()} == {
            "101": "9001_port.ipynb",
            "102": "9010_port-2.ipynb",
            "103": "9004_Chi's work_202_9999_x (1).ipynb",
            "107": "9009_port-0f8fad5b-d9cb-469f-a165-70867728950e.ipynb",
            "anon_Xy9": "9011_x.ipynb",
            "anon_Ab1": "9012_x.ipynb",
            "108": "9013_x.ipynb",
            "109": "9014_x.ipynb",
        }
        stray, *rest = complaints
        assert "stray.ipynb: all other files have names from a platform" in stray
        assert [line.split(", ", 1)[1].split(";")[0] for line in rest] == [
            "104: no notebook in it, only dan_104_text.html",
            "105: no notebook in it, only port.pdf",
            "106: it is unclear which counts of one.ipynb, two.ipynb",
        ]
        items = {item.student: item for item in discover.find([path], homework=NAME)[0]}
        assert items["102"].note == "of 2 notebooks port.ipynb counts, the newest"
        late = {
            id for id, item in items.items() if item.receipt == Receipt(late=True, people=(id,))
        }
        assert late == {"102", "anon_Ab1"}
        assert {item.receipt for id, item in items.items() if id not in late} == {None}
        assert items["101"].log is not None
    files = sorted((tmp_path / "course-port_submissions").glob("*_90*.ipynb"))
    found, _ = discover.find(files, homework=NAME)
    assert {item.student for item in found} == set(items) - {"104", "105"}
    zips = [packed(files[0].with_name(f"eve_11{n}_906{n}_x.zip"), {"x.ipynb": b""}) for n in (0, 1)]
    other = packed(files[0].with_name("other.zip"), {"x.ipynb": NOTEBOOK})
    found, _ = discover.find([*files, *zips], homework=NAME)
    assert {item.student for item in found} == set(items) - {"104", "105"} | {"110", "111"}
    found, _ = discover.find([*files[:2], other], homework=NAME)  # it is no part of the export
    assert "other" in {item.student for item in found}


def test_a_class_s_zip_with_a_date_is_no_student_s(tmp_path: Path) -> None:
    """Canvas's names look like this, but not alone, nor outside an export's folder."""
    both = {f"{who}/x.ipynb": NOTEBOOK for who in ("ada", "bob")}
    path = packed(tmp_path / "hw1_2026_10_05.zip", both)
    assert list(students(path)[0]) == ["ada", "bob"]
    more = packed(
        tmp_path / "hw2_2026_10_05.zip", {f"{who}/x.ipynb": NOTEBOOK for who in ("cy", "di")}
    )
    assert list(students(path, more)[0]) == ["ada", "bob", "cy", "di"]
    folder = tmp_path / "submissions"
    folder.mkdir()
    zips = [packed(folder / f"eve_11{n}_90{n}_x.zip", {"x.ipynb": NOTEBOOK}) for n in (0, 1)]
    assert list(students(*zips)[0]) == ["110", "111"]


def test_a_class_s_zip_may_lie_among_a_platform_s_files(tmp_path: Path) -> None:
    """It begins with the homework's name; a zip elsewhere leaves the files beside each other."""
    folder, late = tmp_path / "submissions", tmp_path / "late"
    folder.mkdir()
    late.mkdir()
    both = {f"{who}/port.ipynb": NOTEBOOK for who in ("ada", "bob")}
    path = packed(folder / f"{NAME}_2026_10_05.zip", both)
    found, complaints = discover.find([path], homework=NAME)
    assert ([item.student for item in found], complaints) == (["ada", "bob"], [])
    files = [folder / f"{who}_11{n}_90{n}_port.ipynb" for n, who in enumerate(("cy", "di"))]
    for one in files:
        one.write_bytes(NOTEBOOK)
    elsewhere = packed(late / "eve_113_903_port.zip", {"port.ipynb": NOTEBOOK})
    found, _ = discover.find([*files, path], homework=NAME)
    assert {item.student for item in found} == {"110", "111", "ada", "bob"}
    found, _ = discover.find([*files, elsewhere], homework=NAME)
    assert {"110", "111"} < {item.student for item in found}


def test_one_id_with_two_names_is_nobodys(tmp_path: Path) -> None:
    """A name in Canvas that looks like numbers takes nobody's place silently."""
    files = {
        "ada_101_9001_x.ipynb": NOTEBOOK,
        "mallory_101_1__102_9002_x.ipynb": NOTEBOOK,
        "ben_103_9003_x.ipynb": NOTEBOOK,
    }
    found, (complaint,) = students(packed(tmp_path / "submissions.zip", files))
    assert set(found) == {"103"}
    assert "submissions of 2 names have the id 101" in complaint


@pytest.mark.parametrize("in_folders", [True, False])
def test_moodle_writes_ids_into_names(tmp_path: Path, in_folders: bool) -> None:
    """With or without folders; typed text is not a notebook, and a dot may be a first name."""
    mark = "assignsubmission_file_" + "/" * in_folders
    files = {
        f"Ada Example_501_{mark}port.ipynb": NOTEBOOK,
        f"Ada Example_501_{mark}submission_log.json": b"{}",
        f"Zo\u00eb O'Neil_502_{mark}x_9_assignsubmission_file_y.ipynb": NOTEBOOK,
        "Ben Sample_503_assignsubmission_onlinetext_" + "/" * in_folders + "onlinetext.html": b"",
        f". Sukarno_504_{mark}port.ipynb": NOTEBOOK,
        f"._. Sukarno_504_{mark}port.ipynb": b"",
    }
    for path in both(tmp_path, "port-55", files):
        found, complaints = students(path)
        assert set(found) == {"501", "502", "504"}
        assert len(complaints) == 1
        assert ", 503: no notebook in it, only onlinetext.html" in complaints[0]
        assert [item.student for item in discover.find([path])[0] if item.log] == ["501"]


def test_names_in_both_forms_of_unicode_are_one(tmp_path: Path) -> None:
    """An accent may be one letter or two: it is the same student, whatever packed the folder."""
    name = "Zo\u00eb Ex\u00e1mple"
    forms = [unicodedata.normalize(form, name) for form in ("NFC", "NFD")]
    assert forms[0] != forms[1]
    ids = [
        set(
            students(
                packed(tmp_path / f"{n}.zip", {f"{form}/x.ipynb": NOTEBOOK, "b/y.ipynb": NOTEBOOK})
            )[0]
        )
        for n, form in enumerate(forms)
    ]
    assert ids[0] == ids[1] == {"Zo\u00eb_Ex\u00e1mple", "b"}
    clash = {f"{form}/x.ipynb": NOTEBOOK for form in forms}
    found, complaints = students(packed(tmp_path / "clash.zip", clash))
    assert set(found) == {"Zo\u00eb_Ex\u00e1mple", "Zo\u00eb_Ex\u00e1mple-2"}
    assert not complaints


def test_names_that_some_disks_do_not_tell_apart_are_numbered(tmp_path: Path) -> None:
    """Results of Ada and ada would mix on some disks: both are graded, and a note tells."""
    files = {"Ada/x.ipynb": NOTEBOOK, "ada/x.ipynb": NOTEBOOK, "ben/x.ipynb": NOTEBOOK}
    path = packed(tmp_path / "in.zip", files)
    found, complaints = discover.find([path])
    assert [item.student for item in found] == ["Ada", "ada-2", "ben"]
    assert [item.note for item in found] == [
        "",
        f"called ada-2, since {path}/Ada/x.ipynb is also called ada",
        "",
    ]
    assert not complaints


@pytest.mark.parametrize("name", ["\U00010400" * 200, "a" * 300, "..", "../..", "\x00", "", "a/b"])
def test_any_name_makes_one_folder(tmp_path: Path, name: str) -> None:
    """Whatever the student's name, results get one folder below OUT."""
    (tmp_path / safe(name)).mkdir()
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("encoding", ["utf-8", "cp437"])
def test_old_zips_have_names_without_their_encoding(tmp_path: Path, encoding: str) -> None:
    """Unmarked UTF-8 and CP437 are both read, and both files open."""
    name = "J\u00fcrgen \u00c9x"
    path = packed(tmp_path / "in.zip", {"AAAAAAAAAA/x.ipynb": NOTEBOOK, "ben/x.ipynb": NOTEBOOK})
    raw = name.encode(encoding).ljust(10, b"_")
    path.write_bytes(path.read_bytes().replace(b"A" * 10, raw[:10]))
    found, complaints = discover.find([path])
    assert not complaints
    assert {item.student for item in found} == {safe(raw[:10].decode(encoding)), "ben"}
    assert all(archives.read_bytes(item.path, limit=10**6) == NOTEBOOK for item in found)


def test_a_zip_of_a_folder_is_that_folder(tmp_path: Path) -> None:
    """Finder and Explorer put the folder itself into the zip; its name is nobody's."""
    files = {f"collected/{who}/x.ipynb": NOTEBOOK for who in ("ada", "ben")}
    found, complaints = students(packed(tmp_path / "collected.zip", files))
    assert set(found) == {"ada", "ben"}
    assert not complaints
