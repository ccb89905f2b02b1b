"""The marking page's addresses: requests of a browser -> rooms, and HTML in return."""

import base64
import contextlib
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import jinja2
import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from autograder.marking.mark import counted, number, points
from autograder.platforms.nbgrader.answers import released
from autograder.records.errors import UserError
from autograder.reports import line_comments, sanitize, style
from autograder.reports.feedback_text import prose, texts
from autograder.staff.marking_page.marking_session import Room, View
from autograder.staff.marking_page.marks import suggestions
from autograder.staff.marking_page.marks.records import Conflict
from autograder.store import executed, results

HERE = Path(__file__).parent
MAX_WIDTH = 1_600
MAX_AROUND = 16
"""The most cells above an answer that are shown with it."""
KEYS = (
    ("1 – 9", "give or take back an item"),
    ("0", "no item is true: 0 points"),
    ("f", "full: all items that add points"),
    ("n, Enter or →", "next answer that waits"),
    ("← and j", "previous and next answer, marked or not"),
    ("c", "write a comment; Escape leaves the field"),
    ("l", "the lines of code: Tab goes on, Enter opens a comment on a line"),
    ("a", "adjust the points of this answer alone"),
    ("g", "give the mark and comment to all answers with the same text"),
    ("s", "texts that are nearly the same: what differs"),
    ("G", "give the mark and comment to the selected ones"),
    ("u", "undo your last change"),
    ("k", "keep the mark, although the text has changed"),
    ("r", "replace the mark that was given in formgrader"),
    ("q", "the question and how to mark it"),
    ("m", "the notebook around this answer, and the machine's marks"),
    ("?", "this list"),
)


class Change(msgspec.Struct, frozen=True):
    """A page's message: the new state, and the state that it showed.

    Args:
        sha256: The digest of the text that it showed; `texts`: those of nearly equal ones.
        request: A key that is new for each wish to undo, and the same if the message is repeated.
    """

    version: int = 0
    item: int = 0
    on: bool = False
    points: float = 0.0
    text: str = ""
    seen: str = ""
    ids: tuple[str, ...] = ()
    sha256: str = ""
    texts: tuple[str, ...] = ()
    request: Annotated[str, msgspec.Meta(max_length=64)] = ""


class Pages:
    """The pages of some rooms.

    Args:
        rooms: Rooms by homework and question; more may open while the pages are served.
        at: The address above the pages; "" for the root.
    """

    def __init__(self, rooms: Mapping[tuple[str, str], Room], at: str = "") -> None:
        self._rooms, self._at = rooms, at
        self._templates = jinja2.Environment(
            loader=jinja2.FileSystemLoader(HERE / "templates"),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=jinja2.StrictUndefined,
        )
        self._templates.globals.update(number=number, points=points, at=at)
        self._templates.filters["prose"] = prose

    def application(self) -> Starlette:
        """Return the application, behind a guard."""
        here = "/{homework}/{question}"
        static = StaticFiles(directory=HERE / "static")
        routes = [
            Route("/", self._start),
            Route("/favicon.ico", lambda _: Response(status_code=204)),  # it does not exist
            Mount("/static", static, name="static"),
            Route("/tokens.css", lambda _: Response(style.tokens(), media_type="text/css")),
            Route(here, self._first),
            Route(f"{here}/next", self._next),
            Route(f"{here}/comments", self._comments),
            Route(f"{here}/undo", self._undo, methods=["POST"]),
            Route(f"{here}/item", self._item, methods=["POST"]),
            Route(f"{here}/answer/{{id}}", self._answer),
            Route(f"{here}/answer/{{id}}/notebook", self._notebook),
            Route(f"{here}/answer/{{id}}/drawn/{{count:int}}", self._drawn),
            Route(f"{here}/answer/{{id}}/similar", self._similar),
            Route(f"{here}/answer/{{id}}/picture/{{count:int}}", self._picture),
            Route(f"{here}/answer/{{id}}/{{what}}", self._change, methods=["POST"]),
        ]
        return Starlette(routes=routes)

    # Views

    def _start(self, request: Request) -> Response:  # noqa: ARG002
        rooms = list(self._rooms.values())
        if not rooms:
            raise HTTPException(404, "No question is open.")
        room = next(filter(_waits, rooms), rooms[0])
        return RedirectResponse(self.place(room), 303)

    def _first(self, request: Request) -> Response:
        room = self._room(request)
        return self._whole(request, room, room.next(request.state.holder))

    def _next(self, request: Request) -> Response:
        room = self._room(request)
        after = request.query_params.get("after", "")
        return self._part(request, room, room.next(request.state.holder, after))

    def _answer(self, request: Request) -> Response:
        room, id = self._room(request), request.path_params["id"]
        step = int(request.query_params.get("step", "0"))
        with _known():
            holder = request.state.holder
            view = room.beside(id, step, holder) if step else room.view(id, holder)
        if request.headers.get("x-part"):
            return self._part(request, room, view)
        return self._whole(request, room, view)

    def _comments(self, request: Request) -> Response:
        words = request.query_params.get("words", "")
        return JSONResponse(self._room(request).marks.comments(words))

    def _notebook(self, request: Request) -> Response:
        folder = self._submission(request)
        try:
            grade, cells = results.read_grade(folder), executed.read_cells(folder)
        except UserError as error:
            raise HTTPException(404, str(error)) from error
        marks = [(mark, texts(mark, explain=True)) for mark in grade.marks]
        room = self._room(request)
        here = f"{self.place(room)}/answer/{request.path_params['id']}"
        count = itertools.count()
        shown = [_cell(cell, count) for cell in cells]
        around = _around(cells, released(room.homework, room.marks.id).id)
        for place in around:
            if shown[place]["type"] == "markdown":
                shown[place]["html"] = room.html(shown[place]["source"])
        return self._html("notebook", here=here, marks=marks, cells=shown, around=around)

    def _drawn(self, request: Request) -> Response:
        try:
            cells = executed.read_cells(self._submission(request))
        except UserError as error:
            raise HTTPException(404, str(error)) from error
        pictures = (executed.picture_of(output) for cell in cells for output in cell.outputs)
        drawn = (data for data in pictures if data)
        wanted = next(itertools.islice(drawn, request.path_params["count"], None), "")
        image = sanitize.png(wanted, width=MAX_WIDTH)
        if image is None:
            raise HTTPException(404, "There is no such picture here.")
        return Response(base64.b64decode(image), media_type="image/png")

    def _submission(self, request: Request) -> Path:
        room = self._room(request)
        with _known():
            return room.folder / room.students[request.path_params["id"]]

    def _similar(self, request: Request) -> Response:
        room = self._room(request)
        try:
            with _known():
                found, more = room.variants(request.path_params["id"])
        except (UserError, OSError) as error:
            raise HTTPException(404, str(error)) from error
        return self._html("similar", variants=found, more=more)

    def _picture(self, request: Request) -> Response:
        room = self._room(request)
        with _known():
            view = room.picture(request.path_params["id"], request.path_params["count"])
        return Response(base64.b64decode(view), media_type="image/png")

    # Changes

    async def _change(self, request: Request) -> Response:
        room, sent = self._room(request), await _sent(request)
        id, marker = request.path_params["id"], request.state.marker
        marks, read = room.marks, {"marker": marker, "sha256": sent.sha256}
        seen = {**read, "version": sent.version}
        work: dict[str, Callable[[], Any]] = {
            "item": lambda: marks.set_item(id, sent.item, on=sent.on, **seen),
            "nothing": lambda: marks.give_nothing(id, **seen),
            "all": lambda: marks.give_all(id, **seen),
            "adjust": lambda: marks.adjust(id, sent.points, **seen),
            "comment": lambda: marks.say(id, sent.text, marker=marker, seen=sent.seen),
            "copy": lambda: marks.copy(id, room.same(id), **read),
            "share": lambda: marks.copy(id, chosen(), texts=sent.texts, **read),
            "keep": lambda: marks.keep(id, **read),
            "replace": lambda: marks.take_over(id, **read),
        }
        what = request.path_params["what"]
        if what not in work:
            raise HTTPException(404)

        def chosen() -> list[str]:
            group = room.group(id)
            return [other for other in sent.ids if other in group]

        def do() -> tuple[str, str]:
            done = work[what]()
            if what in ("copy", "share"):
                had = f"; {len(done[1])} already had a mark" if done[1] else ""
                return f"Applied to {counted(len(done[0]), 'other answer')}{had}.", id
            return "", id

        return await self._done(request, room, id, do)

    async def _undo(self, request: Request) -> Response:
        room, sent = self._room(request), await _sent(request)
        id = request.query_params.get("id", "")

        def work() -> tuple[str, str]:
            what, concerned = room.marks.undo(request.state.marker, request=sent.request)
            said = f"Undone: {what}" if what else "There is nothing of yours to undo."
            return said, concerned[0] if concerned and id not in concerned else id

        return await self._done(request, room, id, work)

    async def _item(self, request: Request) -> Response:
        room, sent = self._room(request), await _sent(request)
        id, marker = request.query_params.get("id", ""), request.state.marker

        def work() -> tuple[str, str]:
            if not sent.item:
                room.marks.add_item(sent.points, sent.text, marker=marker)
                return "The item is there for everybody.", id
            if sent.text.strip():
                count = room.marks.change_item(sent.item, sent.points, sent.text, marker=marker)
            else:
                count = room.marks.retire_item(sent.item, marker=marker)
            return f"The item has changed for everybody; marks changed: {count}.", id

        return await self._done(request, room, id, work)

    async def _done(
        self, request: Request, room: Room, id: str, work: Callable[[], tuple[str, str]]
    ) -> Response:
        """Do some work in a thread, and return the view of the answer that it returns, or of `id`.

        `work` also returns what to say of it.
        """

        def do() -> Response:
            status = 200
            with _known():
                try:
                    said, place = work()
                except (Conflict, UserError) as error:
                    said, place, status = _sentence(str(error)), id, 409
                view = room.view(place, request.state.holder)
            return self._part(request, room, view, said=said, status=status)

        return await run_in_threadpool(do)

    # Display

    def place(self, room: Room) -> str:
        """Return a question's address."""
        return f"{self._at}/{room.homework.name}/{room.marks.id}"

    def _room(self, request: Request) -> Room:
        key = request.path_params["homework"], request.path_params["question"]
        if key not in self._rooms:
            raise HTTPException(404, "There is no such question here.")
        room = self._rooms[key]
        try:
            suggestions.refuse_person(room.marks.engine, request.state.marker)
        except UserError as error:
            raise HTTPException(403, f"{error}, as &marker=NAME at the end of the link") from error
        return room

    def _html(self, name: str, *, status: int = 200, **words: Any) -> Response:
        page = self._templates.get_template(f"{name}.html.jinja").render(**words)
        return HTMLResponse(page, status)

    def _part(
        self, request: Request, room: Room, view: View, *, said: str = "", status: int = 200
    ) -> Response:
        words = self._words(request, room, view)
        return self._html("desk", status=status, said=said, **words)

    def _whole(self, request: Request, room: Room, view: View) -> Response:
        words = self._words(request, room, view)
        return self._html("page", rooms=list(self._rooms.values()), keys=KEYS, said="", **words)

    def _words(self, request: Request, room: Room, view: View) -> dict[str, Any]:
        code = view.answer.code if view.answer else ()
        comment = view.marked.comment if view.marked else ""
        return {
            "on_lines": line_comments.parted(comment, len(code))[1],
            "room": room,
            "view": view,
            "here": self.place(room),
            "place": self.place,
            "marker": request.state.marker,
            "worth": room.marks.worth,
            "following": self._following(room) if view.marked is None else None,
        }

    def _following(self, room: Room) -> Room | None:
        """Return the first other question with answers to mark, or None."""
        return next((one for one in self._rooms.values() if one is not room and _waits(one)), None)


@contextlib.contextmanager
def _known() -> Iterator[None]:
    """Turn an unknown id into 404."""
    try:
        yield
    except (KeyError, IndexError) as error:
        raise HTTPException(404, "There is no such answer or item here.") from error


async def _sent(request: Request) -> Change:
    body = await request.body()
    try:
        return msgspec.json.decode(body or b"{}", type=Change)
    except msgspec.DecodeError as error:
        raise HTTPException(400, f"This was not understood: {error}") from error


def _waits(room: Room) -> bool:
    progress = room.marks.progress()
    return progress.done < progress.all


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _cell(cell: executed.ExecutedCell, count: Iterator[int]) -> dict[str, Any]:
    """Return a cell as texts and numbers of pictures, without HTML from outputs."""
    shown = [
        (executed.text_of(one), next(count) if executed.picture_of(one) else None)
        for one in cell.outputs
    ]
    words = {"type": cell.type, "source": cell.source, "added": cell.number}
    return {**words, "outputs": shown, "html": ""}


def _around(cells: Sequence[executed.ExecutedCell], place: str) -> range:
    """Return the cells around an answer, from the heading above it to the cells after it."""
    there = [number for number, cell in enumerate(cells) if cell.stands_for == place]
    if not there:
        return range(0)
    headings = (
        number
        for number in range(there[0], -1, -1)
        if cells[number].type == "markdown" and cells[number].source.startswith(("# ", "## "))
    )
    added = (n for n in range(there[-1] + 1, len(cells)) if not cells[n].number)
    first = max(next(headings, 0), there[0] - MAX_AROUND)
    return range(first, next(added, len(cells)))
