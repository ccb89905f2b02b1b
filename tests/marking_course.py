"""What tests and benchmarks of the marking page share: a graded class, and the page served beside it."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from autograder.course import homework
from autograder.staff.marking_page.marks.connection import connect
from autograder.staff.marking_page.marks.question import Question
from tests.gradebooks import make_course, put, run
from tests.helpers import TOY, of_code, with_cells

BROWSER = shutil.which("chromium")


@dataclass
class Served:
    """A marking page: its process, and the link that it printed."""

    process: subprocess.Popen[str]
    link: str

    @property
    def address(self) -> str:
        return self.link.split("/?")[0]


def make_class(place: Path, texts: Sequence[str]) -> Path:
    """Make a course in which each student has written one of these texts; it is in the gradebook."""
    make_course(place, like=TOY)
    toy = homework.load(TOY, "toy")
    blank = replace(of_code(), cells=toy.cells)
    for number, text in enumerate(texts):
        put(place / "graded", f"s{number:04}", with_cells(blank, argue=text), toy)
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


def scores(course: Path) -> dict[str, float | None]:
    """Return each student's mark, as nbgrader's own table has it."""
    question = Question(connect(str(course / "gradebook.db")), "toy", "argue", 2)
    return {one.student: one.score for one in question.all()}
