"""What tests and benchmarks of the marking page share: a graded class, and the page served beside it."""

import contextlib
import functools
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from autograder.course import homework
from autograder.records.facts import Submission
from autograder.records.homework import Homework
from autograder.staff.marking_page.marks.connection import connect
from autograder.staff.marking_page.marks.question import Question
from tests.gradebooks import make_course, put, run
from tests.helpers import TOY, of_code, with_cells
from tests.marking import HOMEWORK, QUESTION

BROWSER = shutil.which("chromium")


@dataclass
class Served:
    """A marking page: its process, and the link that it printed."""

    process: subprocess.Popen[str]
    link: str

    @property
    def address(self) -> str:
        return self.link.split("/?")[0]


@functools.cache
def _toy() -> tuple[Homework, Submission]:
    toy = homework.load(TOY, "toy")
    return toy, replace(of_code(), cells=toy.cells)


def hand_in(graded: Path, student: str, text: str) -> Path:
    """Write the results of the toy with this written answer, as if no cell could run."""
    toy, blank = _toy()
    return put(graded, student, with_cells(blank, argue=text), toy)


def make_class(place: Path, texts: Sequence[str]) -> Path:
    """Make a course in which each student has written one of these texts; it is in the gradebook."""
    make_course(place, like=TOY)
    for number, text in enumerate(texts):
        hand_in(place / "graded", f"s{number:04}", text)
    status, said = run(place, "gradebook", place / "graded")
    assert status == 0, said
    return place


def free_port() -> int:
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        port: int = place.getsockname()[1]
        return port


@contextlib.contextmanager
def serve(
    course: Path, *words: str, port: int = 0, verb: Sequence[str] = ("mark", "graded")
) -> Iterator[Served]:
    """Serve a course's page in a process of its own."""
    served = start(course, *words, port=port, verb=verb)
    try:
        yield served
    finally:
        served.process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            served.process.wait(20)
        served.process.kill()
        served.process.wait()
        if served.process.stdout:
            served.process.stdout.close()


def start(
    course: Path, *words: str, port: int = 0, verb: Sequence[str] = ("mark", "graded")
) -> Served:
    """Start a course's page, and wait until it is there."""
    command = [sys.executable, "-m", "autograder", *verb, *words]
    process = subprocess.Popen(
        [*command, "--port", str(port or free_port())],
        cwd=course,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout
    for line in process.stdout:
        if line.startswith("http"):
            link = line.strip()
            break
    else:
        process.stdout.close()
        raise AssertionError(f"no page: status {process.wait()}")
    address = link.split("//")[1].split("/")[0].split(":")
    for _ in range(200):
        with contextlib.suppress(OSError), socket.create_connection((address[0], int(address[1]))):
            return Served(process, link)
        time.sleep(0.05)
    raise AssertionError("the page does not answer")


class Session:
    """A marker's session at a served page, without a browser."""

    def __init__(self, served: Served, marker: str = "") -> None:
        self._address = served.address
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        link = served.link.removeprefix(served.address)
        self.first = self.ask(f"{link}&marker={marker}" if marker else link)

    def ask(self, place: str, body: Mapping[str, object] | None = None) -> tuple[int, str]:
        """Return the status and the text of a page, or of the answer to a body."""
        headers = {"Origin": self._address, "Content-Type": "application/json"}
        sent = json.dumps(body).encode() if body else None
        request = urllib.request.Request(f"{self._address}{place}", sent, headers if sent else {})
        try:
            with self._opener.open(request, timeout=300) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()


def watch(page: Any, address: str = "") -> list[str]:
    """Return a list that fills with all that a page complains of, and with requests that leave it."""
    found: list[str] = []
    page.on("console", lambda message: found.append(message.text))
    page.on("pageerror", lambda error: found.append(str(error)))

    def asked(dialog: Any) -> None:
        found.append("a dialog")
        dialog.dismiss()

    def left(request: Any) -> None:
        if not address or not request.url.startswith(f"{address}/"):
            found.append(request.url)

    page.on("dialog", asked)
    page.on("request", left)
    return found


@contextlib.contextmanager
def visit(browser: Any, served: Served, *, harmless: bool = False, **looks: Any) -> Iterator[Any]:
    """Open a page in a session of its own; addresses without a host are below the page's.

    With `harmless`, fail if the page complains or if a request leaves the machine.
    """
    with browser.new_context(base_url=served.address, **looks) as context:
        page = context.new_page()
        complaints = watch(page, served.address) if harmless else []
        page.goto(served.link)
        yield page
    assert complaints == []


def check_access(page: Any) -> None:
    """Fail if axe finds that somebody could not use a page; its policy has to let axe in."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def written_question(course: Path) -> Question:
    """Return the marks of the one question that people mark."""
    return Question(connect(str(course / "gradebook.db")), HOMEWORK, QUESTION, worth=2)


def scores(course: Path) -> dict[str, float | None]:
    """Return each student's mark, as nbgrader's own table has it."""
    return {one.student: one.score for one in written_question(course).all()}
