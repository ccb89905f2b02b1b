"""A folder of graded submissions -> a server for its marking page on this machine."""

import contextlib
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import sqlalchemy
import uvicorn
from starlette.applications import Starlette

from autograder.course import homework, rubrics
from autograder.course.people import People
from autograder.records.errors import UserError
from autograder.staff.marking_page import guard
from autograder.staff.marking_page.answer_html import Reader
from autograder.staff.marking_page.marking_session import Room
from autograder.staff.marking_page.marks.double_marking import Second
from autograder.staff.marking_page.marks.question import Question
from autograder.staff.marking_page.marks.rows import questions
from autograder.store import results

ADDRESS = "127.0.0.1"


def share(text: str) -> tuple[int, int]:
    """Parse a part such as `2/3`; raise UserError for anything else."""
    part, _, parts = text.partition("/")
    if not (part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts) <= 1000):
        raise UserError(f"--share {text}: write which part of how many, as 2/3")
    return int(part), int(parts)


def rooms(
    engine: sqlalchemy.Engine,
    folder: Path,
    root: Path,
    reader: Reader,
    *,
    wanted: str = "",
    people: People,
    named: bool = False,
    part: tuple[int, int] = (1, 1),
    second: str = "",
) -> dict[tuple[str, str], Room]:
    """Return the questions of the folder's homework that people mark, by the names of both.

    Raises:
        UserError: there is nothing to mark, or no such question, or a rubric is malformed.
    """
    found: dict[tuple[str, str], Room] = {}
    # A gradebook has the answers of a whole term, but the folder has one homework's.
    name = results.homework_of(results.folders(folder), folder)
    there = {question for mine, question, _ in questions(engine) if mine == name}
    loaded = homework.load(root, name)
    written = rubrics.of(root / "source" / name / "staff")
    for one in loaded.questions:
        if not one.by_hand or one.formative or one.id not in there or wanted not in ("", one.id):
            continue
        where = (engine, name, one.id, one.points)
        marks = Second(*where, second) if second else Question(*where)
        about = root, marks, loaded, written.get(one.id), folder, reader
        room = Room(*about, people=people, named=named, share=part)
        if room.students:
            found[name, one.id] = room
    if not found:
        what = f"answers to {wanted}" if wanted else "written answers"
        if second:
            raise UserError(
                f"nobody but {second} has marked any {what} of {folder} yet, so there is nothing to "
                "mark a second time"
            )
        raise UserError(
            f"the gradebook has no {what} of {folder}; run `autograder mark {folder} --fill` first"
        )
    return found


@contextlib.contextmanager
def listening(port: int) -> Iterator[socket.socket]:
    """Open a port on this machine only; raise UserError if it is taken or cannot be opened."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as place:
        place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            place.bind((ADDRESS, port))
            place.listen()  # from now on, nobody else can bind it
        except (OSError, OverflowError) as error:
            raise UserError(
                f"port {port} is taken or cannot be opened; name another: --port"
            ) from error
        yield place


def serve(
    application: Starlette,
    folder: Path,
    place: socket.socket,
    *,
    host: str,
    marker: str,
    say: Callable[[str], None],
) -> None:
    """Serve pages until a signal, only for this machine or behind a proxy with TLS (`host`)."""
    port = place.getsockname()[1]
    token = guard.token(folder)
    hosts = [host.lower()] if host else [f"{ADDRESS}:{port}", f"localhost:{port}"]
    guarded = guard.Guard(
        application, token, hosts, secure=bool(host), marker=marker, name=str(port)
    )
    begin = f"https://{host}" if host else f"http://{ADDRESS}:{port}"
    say(f"{begin}/?token={token}")
    settings = uvicorn.Config(
        guarded,
        access_log=False,  # the link has the token
        log_level="warning",
        lifespan="off",
        ws="none",
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=2,
    )
    uvicorn.Server(settings).run(sockets=[place])
