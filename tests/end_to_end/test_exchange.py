"""nbgrader's exchange as on a JupyterHub: a teacher and two students, each a Unix user of their own."""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from autograder.course.course import SECRET_VARIABLE
from tests.gradebooks import grades, make_course
from tests.helpers import TOY, write_class

pytestmark = [pytest.mark.slow, pytest.mark.turns(10, whole=True)]

BIN = Path(sys.executable).parent
ACTIVATED = {"PATH": f"{BIN}:{os.environ['PATH']}", SECRET_VARIABLE: ""}
COURSE = "attention101"
USERS = {"root": 0, "ada": 4001, "ben": 4002, "nobody": 65534}
# In a mount namespace of its own there are more users, and they can read the Python that runs this.
AS_USER = """
set -e
mount --bind "$1" /etc/passwd
if [ -n "$2" ]; then
    mount --bind "$3" "$4"; mount -t tmpfs -o mode=755 tmpfs "$2"; mkdir -p "$3"; mount --bind "$4" "$3"
fi
user="$5"; shift 5
exec setpriv --reuid "$user" --regid "$user" --clear-groups "$@"
"""


@dataclass
class Hub:
    """A disk that all users share: the course, the exchange, and a home for each student."""

    place: Path

    @property
    def course(self) -> Path:
        return self.place / "course"

    @property
    def exchange(self) -> Path:
        return self.place / "exchange"

    def call(self, user: str, *words: object, fails: bool = False) -> str:
        """Run a program as a user, in the course or at home; return what it said."""
        prefix = Path(sys.base_prefix)
        closed = next((str(p) for p in prefix.parents if not p.stat().st_mode & 1), "")
        arguments = [self.place / "passwd", closed, prefix, self.place / "python", USERS[user]]
        home = self.course if user == "root" else self.place / user
        done = subprocess.run(
            [
                *("unshare", "--mount", "--propagation", "private", "sh", "-c", AS_USER, "sh"),
                *map(str, (*arguments, *words)),
            ],
            cwd=home,
            env={**os.environ, **ACTIVATED, "HOME": str(home), "USER": user},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode != 0) == fails, f"{words}: {done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def nbgrader(self, user: str, *words: object) -> str:
        return self.call(user, BIN / "nbgrader", *words)


@pytest.fixture(scope="module")
def hub() -> Iterator[Hub]:
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        assert not os.environ.get("REQUIRE_PLATFORM"), "root and unshare are required here"
        pytest.skip("users of their own need root and unshare")
    if closed := [folder for folder in BIN.parents if not folder.stat().st_mode & 0o001]:
        pytest.skip(f"users of their own cannot enter {closed[-1]}")
    hub = Hub(Path(tempfile.mkdtemp()))
    try:
        _furnish(hub)
        yield hub
    finally:
        shutil.rmtree(hub.place)


def _furnish(hub: Hub) -> None:
    hub.place.chmod(0o755)
    (hub.place / "python").mkdir()
    entries = [f"{name}:x:{id}:{id}::{hub.place / name}:/bin/sh" for name, id in USERS.items()]
    known = Path("/etc/passwd").read_text().splitlines()
    others = [line for line in known if line.split(":")[0] not in USERS]
    (hub.place / "passwd").write_text("\n".join([*entries, *others]) + "\n")
    hub.exchange.mkdir()
    hub.exchange.chmod(0o777)
    settings = (
        f"c.CourseDirectory.course_id = {COURSE!r}\nc.Exchange.root = {str(hub.exchange)!r}\n"
    )
    make_course(hub.course, like=TOY)
    hub.course.chmod(0o700)
    config = hub.course / "nbgrader_config.py"
    config.write_text(f"{config.read_text()}\n{settings}")
    for student in USERS.keys() - {"root"}:
        home = hub.place / student
        home.mkdir(mode=0o700)
        (home / "nbgrader_config.py").write_text(f"c = get_config()\n{settings}")
        for path in (home, home / "nbgrader_config.py"):
            os.chown(path, USERS[student], USERS[student])


def test_a_homework_goes_out_and_comes_back_marked(hub: Hub) -> None:
    """release, fetch, submit, collect, autograde, feedback: each student gets their own page alone."""
    solved = write_class(hub.place / "answers")
    hub.nbgrader("root", "generate_assignment", "toy", "--force")
    hub.nbgrader("root", "release_assignment", "toy")
    for student, answer in (("ada", "perfect"), ("ben", "wrong")):
        hub.nbgrader(student, "fetch_assignment", "toy")
        notebook = hub.place / student / "toy" / "toy.ipynb"
        assert notebook.stat().st_uid == USERS[student]
        notebook.write_text((solved / f"{answer}.ipynb").read_text())
        hub.nbgrader(student, "submit", "toy")
    inbound = hub.exchange / COURSE / "inbound"
    assert len(list(inbound.iterdir())) == 2
    assert "Permission denied" in hub.call("ben", "ls", inbound, fails=True)
    assert "Permission denied" in hub.call("ben", "ls", hub.course, fails=True)
    hub.nbgrader("root", "collect", "toy")
    hub.nbgrader("root", "autograde", "toy")
    assert grades(hub.course, "ada")["count"][0] == 2
    assert grades(hub.course, "ben")["count"][0] == 0
    assert grades(hub.course, "ada")["argue"] == (None, None, None, True)
    hub.nbgrader("root", "generate_feedback", "toy")
    hub.nbgrader("root", "release_feedback", "toy")
    pages = {student: _feedback(hub, student) for student in ("ada", "ben")}
    assert "Is zero above zero?" not in pages["ada"]
    assert pages["ada"] != pages["ben"]
    for page in pages.values():
        assert "count" in page
        assert "<script" not in page


def test_a_watch_gives_reports_back_through_the_exchange(hub: Hub) -> None:
    """`autograder watch` in place of collect to release_feedback; a forged name is left out.

    So is a folder of a user whom the course does not know; one of staff who are named counts.
    """
    inbound = hub.exchange / COURSE / "inbound"
    newest = max(path for path in inbound.iterdir() if path.name.startswith("ben+"))
    forged = {
        owner: inbound / f"ada+toy+{year}-01-01 00:00:00.000000 UTC+x"
        for owner, year in (("ben", 2098), ("nobody", 2099))
    }
    for owner, folder in forged.items():
        hub.call(owner, "cp", "-r", newest, folder)
    words = ("watch", "toy", hub.exchange / COURSE, "--out", hub.course / "graded", "--once")
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(hub.exchange / COURSE / "feedback")
    said = hub.call("root", BIN / "autograder", *words, fails=True)
    for owner in forged:
        assert f"it belongs to {owner} but has the name of ada; it is ignored" in said
    assert "ada: 5 of 7 points; its report: " in said
    assert "ben: 3 of 7 points; its report: " in said
    pages = {student: _feedback(hub, student) for student in ("ada", "ben")}
    for student, page in pages.items():
        assert page == (hub.course / "graded" / student / "report.html").read_text()
    feedback = hub.exchange / COURSE / "feedback"
    assert "Permission denied" in hub.call("ben", "ls", feedback, fails=True)
    settings = hub.course / "course.toml"
    settings.write_text(f'{settings.read_text()}\n[exchange]\nstaff = ["nobody"]\n')
    said = hub.call("root", BIN / "autograder", *words, fails=True)
    assert "belongs to nobody" not in said
    assert "ada: 3 of 7 points" in said


def _feedback(hub: Hub, student: str) -> str:
    """Fetch a student's feedback as they do, and return it."""
    shutil.rmtree(hub.place / student / "toy" / "feedback", ignore_errors=True)
    hub.nbgrader(student, "fetch_feedback", "toy")
    (page,) = (hub.place / student / "toy" / "feedback").glob("*/toy.html")
    return page.read_text()
