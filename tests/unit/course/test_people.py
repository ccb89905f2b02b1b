"""people: roster.csv as people write it, and each person found by any id in any form."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.course import course
from autograder.course.people import People, key, parsed, roster
from autograder.marking.lateness import lateness
from autograder.records.errors import UserError
from autograder.records.facts import Receipt
from autograder.reports import tables
from autograder.reports.tables import text as spreadsheet
from autograder.staff.term.table import table as term_table
from autograder.staff.term.totals import Total
from tests.helpers import FUZZ

NFD = "rene\u0301"
ODD = [
    "anna@uni.example",
    "DOM\\bert",
    "o'brien",
    "anna maria",
    "_x",
    NFD,
    "a.b",
    "A-1",
    "grades.csv",
]


ROWS = ["No.", "Nr", "nr.", "#", "Row", "Lfd. Nr.", "N\xb0"]


@pytest.mark.parametrize(
    "text",
    [
        "id,name,email\na01,Bo Ek,bo@x.org\na02,Ana,\n,,\n , ,\n\n",
        "\ufeffID , Name, E-Mail\r\na01 , Bo Ek , bo@x.org\r\na02, Ana,,,\r\n",
        "name;id;email\nBo Ek;a01;bo@x.org\nAna;a02;\n;;\n",
        'id\tname\temail address\na01\t"Bo Ek"\tbo@x.org\na02\tAna\n',
        "sep=;\nid;name;email\na01;Bo Ek;bo@x.org\na02;Ana;\n",
        "\n,,\nid,name,email\na01,Bo Ek,bo@x.org\na02,Ana",
    ],
)
def test_a_roster_is_read_as_people_make_it(tmp_path: Path, text: str) -> None:
    """This covers commas, blanks, byte order marks, capitals, and spreadsheets' separators."""
    (tmp_path / "roster.csv").write_text(text, newline="")
    people = [(one.id, one.name, one.email) for one in roster(tmp_path)]
    assert people == [("a01", "Bo Ek", "bo@x.org"), ("a02", "Ana", "")]


def test_a_quoted_name_may_have_a_comma() -> None:
    """Also after a blank."""
    (one,) = parsed('id, name, email\na01, "Ek, Bo" , bo@x.org\n')
    assert (one.name, one.email) == ("Ek, Bo", "bo@x.org")
    (one,) = parsed('id\tname\temail\r\na01\t"Ek ""B""\r\nBo"\t5" bo\r\n')
    assert (one.name, one.email) == ('Ek "B"\r\nBo', '5" bo')


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "columns id, name, email, with commas"),
        ("name,email\nAda,a@example.org\n", "columns id, name, email, with commas"),
        ("id,name\na001,Ada\na001,Ben\n", "the id 'a001' is in two lines"),
        ("id,name\na001,Ada\nA001 ,Ben\n", "the id 'A001' is in two lines"),
        (f"id\nren\u00e9\n{NFD}\n", "is in two lines"),
        ("id,name\n,Ada\n", "line 2: it has no id"),
        ("id,name,email\na01,Ek, Bo,bo@x.org\n", "line 2: it has 4 cells but the first line has 3"),
        ('id,name\na01,"Bo\na02,Ana\n', "line 2: a quote in it is not closed"),
        ('id,name\na01,"Bo\na02,"Ana\n', "line 2: a quote in it is not closed or has text after"),
        ('id,name\na00,"A\nB"\n\na01,"Bo" Ek\n', "line 5: a quote in it is not closed or has text"),
        ('sep=;\nid;name\na01;"Bo\n', "line 3: a quote in it is not closed"),
        ("id,email\na01,x@x.org\na02,X@x.org\n", "a01 and a02 both have the id 'X@x.org'"),
        ("id,canvas\na01,501\na02,501\n", "in the column canvas"),
        ("id,github\na01,a02\na02,bert\n", "both have the id"),
        ("id,canvas,moodle\na01,501,\na02,,501\n", "in the column moodle"),
    ],
)
def test_a_roster_that_cannot_be_used_is_one_line(tmp_path: Path, text: str, said: str) -> None:
    """It names the problem and the place."""
    (tmp_path / "roster.csv").write_text(text)
    with pytest.raises(UserError, match=f"^roster.csv.*{said}") as error:
        roster(tmp_path)
    assert "\n" not in str(error.value)


def test_what_many_share_is_no_id() -> None:
    """This covers sections, first names, and signs for "none"."""
    people = parsed(
        "id,first name,section,canvas\na01,Bo,1,-\na02,Bo,1,n/a\na03,Ana,2,-\na04,Ek,2,504\n"
    )
    assert [people.find(text) for text in ("Bo", "Ana", "1", "2", "-", "n/a")] == [None] * 6
    assert people.id_of("504") == "a04"


@pytest.mark.parametrize("column", ["canvas", "moodle id", "GitHub", "email"])
@pytest.mark.parametrize("other", ["seat", "nickname", "matriculation"])
def test_a_column_named_after_a_platform_wins(column: str, other: str) -> None:
    """A number in another column may be anything."""
    people = parsed(f"id,{other},{column}\na01,1,2\nb01,2,3\nc01,3,1\nd01,7,8\n")
    found = {id: people.id_of(id) for id in ("1", "2", "3", "7", "8")}
    assert found == {"1": "c01", "2": "a01", "3": "b01", "7": "d01", "8": "d01"}


@pytest.mark.parametrize(
    "text",
    [
        *(f"{title},id,email\n2,a1,a@x.org\n1,b1,b@x.org\n3,c1,c@x.org\n" for title in ROWS),
        ",id,email\n0,a1,a@x.org\n1,b1,b@x.org\n2,c1,c@x.org\n",
        "seat,id,email\n1,a1,a@x.org\n2,b1,b@x.org\n3,c1,c@x.org\n",
    ],
)
def test_a_line_s_number_is_nobody_s_id(text: str) -> None:
    """Moodle numbers other people from 1; a spreadsheet's numbers are in order, or have a title."""
    people = parsed(text)
    assert [people.find(number) for number in "0123"] == [None] * 4
    assert people.id_of("B@x.org") == "b1"
    assert parsed("id,canvas\na1,1\nb1,2\n").id_of("2") == "b1"
    assert parsed("id,seat\na1,2\nb1,1\n").id_of("2") == "a1"


@pytest.mark.parametrize(
    "text",
    [
        "id,first name,last name,email\na1,Ada,Lovelace,ada@x.org\n",
        "id,Surname,Forename,Mail\na1,Lovelace,Ada,ada@x.org\n",
        "ID;Nachname;Vorname;E-Mail-Adresse\na1;Lovelace;Ada;ada@x.org\n",
        "id,Full Name,Email_Address\na1,Ada Lovelace,ada@x.org\n",
        "id,family_name,given-name,e-mail adress\na1,Lovelace,Ada,ada@x.org\n",
        "id;Name;Vorname;Email\na1;Lovelace;Ada;ada@x.org\n",
        "id,Name,Surname,Email\na1,Ada,Lovelace,ada@x.org\n",
        "id,Name,First name,Email\na1,Ada Lovelace,Ada,ada@x.org\n",
        "id,Name,First name,Last name,Email\na1,Ada Lovelace,Ada Augusta,King,ada@x.org\n",
    ],
)
def test_a_name_may_be_in_parts(text: str) -> None:
    """Platforms and offices write it so; an address counts under any of its names."""
    (one,) = parsed(text)
    assert (one.name, one.email) == ("Ada Lovelace", "ada@x.org")
    assert one.ids == {"a1", "ada@x.org"}


@pytest.mark.parametrize("sign", ["\u200b", "\u200e", "\ufeff", "\u2060", "\xa0", "\u3000"])
def test_blanks_that_nobody_sees_are_blanks(sign: str) -> None:
    """They may be copied from a page, before or after an id."""
    people = parsed(f"id,name,canvas\n{sign}a1{sign},Ada{sign},50{sign}\n")
    assert [(one.id, one.name) for one in people] == [("a1", "Ada")]
    assert people.id_of(f"{sign}50") == people.id_of(f"A1{sign}") == "a1"


@pytest.mark.parametrize("nothing", ["0", "TBA", "unknown", "n/a", "None", "-"])
@pytest.mark.parametrize("column", ["canvas", "moodle id", "github"])
def test_a_word_for_nothing_is_no_id(column: str, nothing: str) -> None:
    """Many people may have it."""
    people = parsed(f"id,{column}\na1,{nothing}\nb1,{nothing}\nc1,5\n")
    assert people.find(nothing) is None
    assert people.id_of("5") == "c1"


def test_any_column_finds_a_person_in_any_form() -> None:
    """Ids match trimmed, in capitals, and with decomposed accents; names find nobody."""
    people = parsed(f"id,name,canvas,github,matriculation\n{NFD},Ada,50100,ada-x,0077\nb,Bo,,,\n")
    for id in ("ren\u00e9", NFD.upper(), " 50100 ", "ADA-X", "0077"):
        assert people.id_of(people.folder(id)) == "ren\u00e9"
    assert people.find("Ada") is None
    assert people.find("") is None


def test_what_was_graded_before_the_roster_had_an_id_is_found() -> None:
    """Its folder has the platform's name for the person."""
    people = parsed("id,canvas,email\na01,50100,bo@x.org\n")
    assert people.id_of("50100") == people.id_of("bo_x.org") == "a01"
    folders = [Path("out/50100"), Path("out/a01"), Path("out/zoe")]
    kept, (complaint,) = people.one_each(folders)
    assert kept == folders[1:]
    assert "a01 has two submissions, out/50100 and out/a01; the latter counts" in complaint


@FUZZ
@given(
    st.sets(st.sampled_from(ODD) | st.text(min_size=1, max_size=9), min_size=1, max_size=8),
    st.sets(st.text(min_size=1, max_size=9), max_size=8),
)
def test_each_person_has_one_folder_and_one_line(ids: set[str], strangers: set[str]) -> None:
    """This holds for any ids: folders are as distinct as people, and lead back to them."""
    people = People.of({id: {} for id in {key(id): id for id in ids if key(id)}.values()})
    others = {id for id in strangers if people.find(id) is None}
    folders = people.folders([*(one.id for one in people), *others])
    assert len({key(folders[one.id]) for one in people}) == len(people)
    assert [people.in_folder(folders[one.id]) for one in people] == list(people)
    assert not any(people.in_folder(folders[id]) for id in others)
    totals = {one.id: Total(0.0) for one in people}
    for text in (
        tables.table({folders[one.id]: tables.Row({"port": 1.0}) for one in people}, people),
        term_table(totals, {}, ("a",), people),
    ):
        rows = list(csv.DictReader(io.StringIO(text)))
        assert [row["state"] for row in rows] == ["complete"] * len(people)
        assert len({row["id"] for row in rows}) == len({spreadsheet(one.id) for one in people})


def test_ids_that_make_one_name_have_folders_of_their_own() -> None:
    """An id that is a folder's name keeps it, whoever else is in the roster."""
    people = People.of({"a b": {}, "a@b": {}, "a_b": {}})
    folders = {one.id: one.folder for one in people}
    assert folders["a_b"] == "a_b"
    assert len(set(folders.values())) == 3
    assert People.of({"a@b": {}}).folder("a b") != People.of({"a@b": {}}).folder("a@b") == "a_b"


def test_an_extension_is_a_persons_under_any_id(tmp_path: Path) -> None:
    """Also for a submission graded under a different id."""
    (tmp_path / "source" / "toy").mkdir(parents=True)
    (tmp_path / "roster.csv").write_text("id,canvas,email\na01,50100,bo@x.org\na02,50101,\n")
    for id in ("a01", "50100", "BO@x.org", "A01"):
        (tmp_path / "course.toml").write_text(
            'title = "T"\nterm = "S"\n[homework.toy]\ndue = 2026-03-01T12:00:00Z\n'
            f'[homework.toy.extensions]\n"{id}" = 2026-03-03T12:00:00Z\n'
        )
        settings = course.read(tmp_path)
        for called in ("a01", "50100"):
            receipt = Receipt(settings.moment(settings.homework["toy"].due), people=(called,))
            due, _ = settings.dates_for("toy", receipt)
            assert due == settings.homework["toy"].extensions[id]
            assert lateness(receipt, settings, "toy") is None
        assert settings.extension("toy", Receipt(people=("a02",))) is None
        assert "x.org" not in course.packed(settings, "toy").replace(f'"{id}"', "")


@pytest.mark.parametrize(
    "text",
    [
        "id,canvas section\na01,2\na02,2\n",
        "id,moodle group,user type\na01,1,guest\na02,1,guest\n",
        "id,group\na01,1\na02,2\na03,3\na04,3\n",
        "id,note\na01,late\na02,late\na03,x\na04,y\n",
        "id;name, first;email, own\na01;Bo;bo@x.org\na02;Ana;\n",
    ],
)
def test_columns_that_have_no_ids_stop_nobody(text: str) -> None:
    """Groups, notes and kinds may belong to anybody; a title may contain a comma."""
    people = parsed(text)
    assert [one.id for one in people][:2] == ["a01", "a02"]
    assert people.find("1") is None or people.find("1") == people.find("a01")
    assert people.find("guest") is people.find("late") is None


@pytest.mark.parametrize("column", ["section", "Section", "SECTIONS"])
def test_a_section_is_no_id(column: str) -> None:
    """Even if all sections are different, or one equals somebody else's name."""
    people = parsed(f"id,{column}\na1,b2\nb2,Tuesday\nc3,\n")
    assert [one.section for one in people] == ["b2", "Tuesday", ""]
    assert people.id_of("b2") == "b2"
    assert people.find("Tuesday") is None


def test_without_a_roster_spellings_of_an_id_are_one(tmp_path: Path) -> None:
    """An extension or excuse counts however its address is written."""
    (tmp_path / "source" / "toy").mkdir(parents=True)
    (tmp_path / "course.toml").write_text(
        'title = "T"\nterm = "S"\n[total.excused]\ntoy = ["Ada@X.org"]\n'
        "[homework.toy]\ndue = 2026-03-01T12:00:00Z\n"
        '[homework.toy.extensions]\n"Ada@X.org" = 2026-03-03T12:00:00Z\n'
    )
    settings = course.read(tmp_path)
    assert settings.extension("toy", Receipt(people=("ada@x.org",))) is not None
    assert settings.extension("toy", Receipt(people=("ben@x.org",))) is None
    assert settings.excused("ada@x.org") == ["toy"]
