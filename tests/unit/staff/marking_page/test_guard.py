"""guard: a page's secret is never empty, and an open page stays its marker's."""

import asyncio
import http.cookies
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from autograder.staff.marking_page import guard


def test_a_secret_that_was_never_written_is_made_anew(tmp_path: Path) -> None:
    """The disk was full after the file was made: an empty secret would be everybody's."""
    (tmp_path / guard.TOKEN_FILE).touch()
    made = guard.token(tmp_path)
    assert len(made) > 40
    assert guard.token(tmp_path) == made


async def marks(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the name under which a mark would be recorded."""
    await PlainTextResponse(Request(scope).state.marker)(scope, receive, send)


def ask(method: str, query: str = "", **headers: str) -> tuple[int, str, dict[str, str]]:
    """Return a guarded page's status, text and cookies."""
    got: list[Any] = []

    async def send(message: Any) -> None:
        got.append(message)

    async def receive() -> Any:
        return {"type": "http.request"}

    given = {"host": "here", "origin": "http://here", "content-type": "application/json", **headers}
    scope = {
        "type": "http",
        "method": method,
        "path": "/",
        "query_string": query.encode(),
        "headers": [(n.replace("_", "-").encode(), value.encode()) for n, value in given.items()],
    }
    guarded = guard.Guard(marks, "T", ["here"], secure=False, marker="Ana", name="1")
    asyncio.run(guarded(scope, receive, send))
    set_now: http.cookies.SimpleCookie = http.cookies.SimpleCookie()
    for name, value in got[0]["headers"]:
        if name == b"set-cookie":
            set_now.load(value.decode())
    made = {name: one.value for name, one in set_now.items()}
    return got[0]["status"], got[1]["body"].decode(), made


def test_an_open_page_marks_for_nobody_else() -> None:
    """A second person opens their link in the same browser: the first page's name is not theirs."""
    for link, status, said in (
        ("J%C3%B6rg", 200, "J\xf6rg"),
        (
            "Ben",
            403,
            "This page belongs to J\xf6rg, but somebody has since opened the link of Ben ",
        ),
    ):
        *_, made = ask("GET", f"token=T&marker={link}")
        session = "; ".join(f"{name}={value}" for name, value in made.items())
        got, text, _ = ask("POST", cookie=session, x_marker="J%C3%B6rg")
        assert (got, text[: len(said)]) == (status, said)
        assert ask("POST", cookie=session, x_marker=link)[0] == 200
    *_, made = ask("GET", "token=T&marker=50%2520")  # a name may look like a quoted one
    session = "; ".join(f"{name}={value}" for name, value in made.items())
    assert ask("GET", cookie=session)[:2] == (200, "50%20")
