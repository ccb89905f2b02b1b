"""export --mail-from: reports as mails, by a real server, each once."""

import csv
import email
import email.policy
import fcntl
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller

from autograder.course import homework
from autograder.grading import unmarked
from autograder.platforms import mails
from autograder.store import results
from tests.gradebooks import give, make_course, put, run
from tests.helpers import COURSE, TOY, of_code, with_cells
from tests.marking_course import free_port

pytestmark = pytest.mark.slow


class Server:
    """Keeps what it is sent; one address is nobody's."""

    def __init__(self, sent: Path | None = None) -> None:
        self.got: list[Any] = []
        self.sent, self.locked = sent, set[bool]()

    async def handle_RCPT(  # noqa: N802
        self, server: Any, session: Any, envelope: Any, address: str, options: Any
    ) -> str:
        if address.startswith("nobody"):
            return "550 unknown"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        parsed = email.message_from_bytes(envelope.content, policy=email.policy.default)
        self.got.append((envelope.rcpt_tos, parsed))
        if self.sent:
            self.locked.add(is_locked(self.sent))
        return "250 OK"


def is_locked(path: Path) -> bool:
    """Return whether a program that wants to change a file now would wait."""
    with path.with_name(f".{path.name}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


@pytest.fixture
def server(course: Path) -> Iterator[tuple[Server, str]]:
    handler, port = Server(course / "out" / mails.SENT), free_port()
    controller = Controller(handler, hostname="127.0.0.1", port=port)
    controller.start()
    yield handler, f"127.0.0.1:{port}"
    controller.stop()


@pytest.fixture
def course(tmp_path: Path) -> Path:
    root = make_course(tmp_path / "course", like=TOY)
    toy = homework.load(TOY, "toy")
    blank = replace(of_code(), cells=toy.cells)
    for student in ("ana", "bo", "cy", "di"):
        put(root / "out", student, with_cells(blank, argue=f"I am {student}."), toy)
    (root / "roster.csv").write_text(
        "id,name,email\nana,Ana,ana@uni.example\nbo,Bo,nobody@uni.example\ncy,Cy,\n"
        'di,Di,"di@uni.example\r\nBcc: all@uni.example"\n'
    )
    return root


def judge(course: Path, text: str) -> None:
    """Give one of Ana's answers another message, as a regrade does; report.html is an older one."""
    ana = course / "out" / "ana"
    first, *others = results.read_grade(ana).marks
    results.write_grade(
        ana, replace(results.read_grade(ana), marks=(replace(first, message=text), *others))
    )


def export(course: Path, *words: str) -> tuple[int, str]:
    """Export with marks that are not final, since nobody has marked the written answers."""
    return run(course, "export", course / "out", "--provisional", *words)


def test_mails_are_files_that_a_program_opens(course: Path) -> None:
    """To the person's address alone, with the report; who has no address is named, and no header is smuggled in."""
    status, said = export(course, "--mail-from", "ta@uni.example")
    assert status == 0, said
    assert "cy: no email (no address in roster.csv)" in said
    with zipfile.ZipFile(course / "out" / mails.PACKED) as archive:
        assert archive.namelist()[:2] == ["ana.eml", "bo.eml"]
        one = email.message_from_bytes(archive.read("ana.eml"), policy=email.policy.default)
        for name in archive.namelist():
            assert b"Bcc" not in archive.read(name)
    assert (one["To"], one["From"]) == ("ana@uni.example", "ta@uni.example")
    (report,) = one.iter_attachments()
    page = (course / "out" / "ana" / "report.html").read_text()
    page = page.replace(f"{COURSE.title}, ", "Toys, ")  # `put` graded for another course
    assert report.get_content().splitlines() == page.splitlines()


def test_a_mail_and_its_page_have_the_same_marks(course: Path) -> None:
    """Those of now, with people's comments, though `report` ran before people marked."""
    run(course, "gradebook", course / "out")
    run(course, "report", course / "out")
    give(course, "ana", "argue", 1.25, "Say why.")
    status, said = run(course, "export", course / "out", "--mail-from", "ta@uni.example")
    assert status == 0, said
    with zipfile.ZipFile(course / "out" / mails.PACKED) as archive:
        one = email.message_from_bytes(archive.read("ana.eml"), policy=email.policy.default)
    (page,) = one.iter_attachments()
    assert "1.25 of 7 points." in one.get_body(("plain",)).get_content()
    assert "<td>1.25 / 7</td>" in page.get_content()
    assert "Say why." in page.get_content()


def test_only_finished_marks_are_mailed(course: Path) -> None:
    """A grader that was killed left marks which are no score: they are named, and not mailed."""
    ana = course / "out" / "ana"
    results.write_grade(ana, replace(results.read_grade(ana), complete=False))
    status, said = export(course, "--mail-from", "ta@uni.example")
    assert status == 0, said
    assert "grading did not finish" in said
    with zipfile.ZipFile(course / "out" / mails.PACKED) as archive:
        assert "ana.eml" not in archive.namelist()
        assert "bo.eml" in archive.namelist()


def test_each_report_is_sent_once(course: Path, server: tuple[Server, str]) -> None:
    """A dry run first; one refused address does not stop the others; a report that is new is sent again."""
    handler, place = server
    words = ("--mail-from", "ta@uni.example", "--smtp", place)
    status, said = export(course, *words)
    assert status == 0
    assert "would be sent" in said
    assert handler.got == []
    status, said = export(course, *words, "--yes")
    assert status == 2
    assert "bo: not sent (the server refuses the address)" in said
    assert next(to for to, _ in handler.got) == ["ana@uni.example"]
    before = len(handler.got)
    export(course, *words, "--yes")
    assert len(handler.got) == before
    assert handler.locked == {True}
    first = results.read_grade(course / "out" / "ana").marks[0].message
    judge(course, "New.")
    export(course, *words, "--yes")
    assert [to for to, _ in handler.got[before:]] == [["ana@uni.example"]]
    rows = list(csv.reader((course / "out" / mails.SENT).read_text().splitlines()))
    assert [row[0] for row in rows].count("ana") == 2
    judge(course, first)  # somebody who takes a change back sends the earlier report again
    export(course, *words, "--yes")
    assert [to for to, _ in handler.got[before:]] == 2 * [["ana@uni.example"]]


def test_a_preview_sends_nothing_and_a_submission_can_be_left_out(
    course: Path, server: tuple[Server, str]
) -> None:
    """--preview and --without mean the same as for a platform's file."""
    handler, place = server
    words = ("--mail-from", "ta@uni.example", "--smtp", place, "--yes", "--without", "bo")
    status, said = export(course, *words, "--preview")
    assert status == 0, said
    assert "ana: ana@uni.example" in said
    assert "bo: " not in said
    assert "Nothing was written" in said
    assert handler.got == []
    assert export(course, *words)[0] == 0
    assert [to for to, _ in handler.got] == [["ana@uni.example"]]


def test_an_address_that_the_server_cannot_take_stops_nobody_else_s(course: Path) -> None:
    """Not every server knows addresses with letters beyond ASCII; the person is named."""
    people = "ana,Ana,ana@müller.example\nbo,Bo,nobody@uni.example\ndi,Di,di@uni.example\n"
    (course / "roster.csv").write_text(f"id,name,email\n{people}", encoding="utf-8")
    handler, port = Server(), free_port()
    controller = Controller(handler, hostname="127.0.0.1", port=port, enable_SMTPUTF8=False)
    controller.start()
    words = ("--mail-from", "ta@uni.example", "--smtp", f"127.0.0.1:{port}", "--yes")
    status, said = export(course, *words)
    controller.stop()
    assert status == 2
    assert "ana: not sent (the server takes only ASCII addresses" in said
    assert "1 email sent" in said
    assert [to for to, _ in handler.got] == [["di@uni.example"]]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_a_full_disk_stops_the_emails_and_blames_no_server(
    course: Path, server: tuple[Server, str]
) -> None:
    """Without a record, the next run would send everything again; the one who got it is named."""
    handler, place = server
    (course / "out" / mails.SENT).symlink_to("/dev/full")
    status, said = export(course, "--mail-from", "ta@uni.example", "--smtp", place, "--yes")
    assert status == 2
    assert "ana has this email, and would get it again" in said
    assert "cannot be used" not in said
    assert [to for to, _ in handler.got] == [["ana@uni.example"]]


def test_what_cannot_be_sent_is_one_line(course: Path) -> None:
    for words, said in (
        (("--mail-from", "no address"), "is not an address"),
        (("--mail-from", "ta@uni.example", "--without", "zoe"), "--without zoe: no submission"),
        (("--mail-from", "ta@uni.example", "--column", "hw1"), "leave out --canvas, --moodle"),
        (("--smtp", "mail.example"), "needs --mail-from"),
        (("--mail-from", "t@u.example", "--smtp", "127.0.0.1:1", "--yes"), "cannot be used"),
        (("--mail-from", "t@u.example", "--smtp", "h:x", "--yes"), "write a host, or host:port"),
    ):
        status, text = export(course, *words)
        assert status == 2
        assert said in text
        assert "Traceback" not in text


def test_marks_that_are_not_final_are_mailed_only_on_request(course: Path) -> None:
    """As for a platform; where that leaves nobody, no empty zip is called done."""
    words = ("export", course / "out", "--mail-from", "ta@uni.example")
    status, said = run(course, *words)
    assert status == 2
    assert "nobody gets an email: ana: no email (1 answer is not marked yet; --provisional" in said
    assert not (course / "out" / mails.PACKED).exists()


def test_a_changed_answer_and_an_unreadable_submission_are_not_mailed(course: Path) -> None:
    """A person has to look at both; each is named."""
    toy = homework.load(TOY, "toy")
    blank = replace(of_code(), cells=toy.cells)
    run(course, "gradebook", course / "out")
    for student in ("ana", "bo"):
        give(course, student, "argue", 2)
    put(course / "out", "ana", with_cells(blank, argue="Another text."), toy)
    unmarked.refuse(course / "out" / "di", "it is not a notebook")
    status, said = run(course, "export", course / "out", "--mail-from", "ta@uni.example")
    assert status == 0, said
    assert "ana: no email (1 answer is not marked yet; --provisional sends it anyway)" in said
    assert "di: no email (the submission is unreadable)" in said
    with zipfile.ZipFile(course / "out" / mails.PACKED) as archive:
        assert archive.namelist() == ["bo.eml"]


def test_a_roster_without_addresses_is_one_line(course: Path) -> None:
    """It says which column is missing."""
    (course / "roster.csv").write_text("id,name\nana,Ana\nbo,Bo\ncy,Cy\ndi,Di\n")
    status, said = export(course, "--mail-from", "ta@uni.example")
    assert status == 2
    assert "roster.csv has no addresses; add a column `email`" in said
    assert not (course / "out" / mails.PACKED).exists()
