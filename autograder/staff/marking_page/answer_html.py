"""A written answer -> inert HTML and pictures for a browser.

The sandbox reads the Markdown; its output may be hostile, so it is sanitized here. One thread reads
ahead, so that the next answer is ready in time.
"""

import contextlib
import html
import importlib.util
import queue
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nh3
from markupsafe import Markup

from autograder.platforms.nbgrader.answers import Answer, answer, released
from autograder.records import codec
from autograder.records.errors import UserError
from autograder.records.homework import Homework
from autograder.reports import sanitize
from autograder.sandbox.run import RunEnded
from autograder.sandbox.supervisor import Sandbox
from autograder.staff.paper import typesetter
from autograder.store import executed

SECONDS = 20.0
_MEMORY = 2_000_000_000
_KEPT = 1_000
_MAX_TEXT, _MAX_PAGE = 200_000, 2_000_000
_WIDTH, _MAX_LINES = 1_600, 1_000
_TEXT = (
    "p em strong del sup sub u code pre blockquote ul ol li hr br span table thead tbody tfoot tr "
    "th td"
)
_MATH = (
    "math semantics mrow mi mn mo mtext mspace ms mfrac msqrt mroot msub msup msubsup munder mover "
    "munderover mmultiscripts mtable mtr mtd mstyle mpadded mphantom menclose merror"
)
_MATH_ATTRIBUTES = set(
    "display mathvariant stretchy form accent accentunder columnalign linethickness displaystyle "
    "scriptlevel fence separator width lspace rspace minsize maxsize notation symmetric".split()
)
_NOTE = re.compile(r'<div class="alert alert-info">\s*(.*?)\s*</div>', re.DOTALL)
_PLACE = re.compile(r"\[(\d+)\]\(#added-\d+\)")
"""A cell of formgrader's page that is not shown here: the notebook below the answer has it."""


@dataclass(frozen=True)
class Shown:
    """An answer in the form for a page.

    Args:
        html: Sanitized HTML.
        pictures: Redrawn PNG images in base64.
        code: The lines of its code, if it is one code cell.
        problem: One line on why there is nothing to see, or "".
        sha256: The digest of the text, as in the gradebook; "" if there is nothing to see.
    """

    html: str
    pictures: tuple[str, ...] = ()
    problem: str = ""
    code: tuple[str, ...] = ()
    sha256: str = ""


def clean(text: str) -> str:
    """Return HTML reduced to words, lists, tables and formulas, all inert."""
    return nh3.clean(
        text,
        tags={*_TEXT.split(), *_MATH.split()},
        attributes=dict.fromkeys(_MATH.split(), _MATH_ATTRIBUTES),
        clean_content_tags={"annotation", "annotation-xml", "script", "style"},
        url_schemes=set(),
        link_rel=None,
        strip_comments=True,
    )


def line(made: str) -> Markup:
    """Return HTML without the paragraph tags around it, if it is a single paragraph."""
    made = made.strip()
    if made.startswith("<p>") and made.endswith("</p>") and made.count("<p>") == 1:
        made = made[3:-4]
    return Markup(made)


class Reader:
    """A reader of answers in a folder that `autograder grade` wrote; use it as a context manager.

    Args:
        hidden: Files that must be unreadable for the process that reads Markdown.

    Raises:
        UserError: pandoc is not installed.
    """

    def __init__(self, folder: Path, hidden: Iterable[Path] = ()) -> None:
        if importlib.util.find_spec("pypandoc") is None:
            raise UserError(
                "pypandoc missing: the marking page needs the extra `mark` "
                "(pip install 'attention-homework-kit[mark]')"
            )
        self._folder, self._hidden = folder, tuple(hidden)
        self._wanted: queue.PriorityQueue[tuple[int, int, Any]] = queue.PriorityQueue()
        self._kept: OrderedDict[Any, Future[Any]] = OrderedDict()
        self._lock, self._count = threading.Lock(), 0

    def __enter__(self) -> "Reader":
        self._thread = threading.Thread(target=self._work, name="reader", daemon=True)
        self._thread.start()
        self._future("warm", lambda: self._pages(["."]))  # during the opening of rooms
        return self

    def __exit__(self, *_: object) -> None:
        self._put(-1, (), None)
        self._thread.join(timeout=10)

    def markdown(self, texts: Sequence[str]) -> list[str]:
        """Return texts written by staff as HTML."""
        key = ("texts", *texts)
        found: list[str] = self._future(key, lambda: self._pages(texts)).result()
        return found

    def answer(self, homework: Homework, question: str, student: str) -> Shown:
        """Return one answer, before any that are only read ahead."""
        key = self._key(homework, question, student)
        found: Shown = self._future(
            key, lambda: self._read(homework, question, [student])[0]
        ).result()
        return found

    def written(self, homework: Homework, question: str, student: str) -> Answer:
        """Return one answer as written; raise UserError or OSError if it is unreadable."""
        result = executed.read_brief(self._folder / student)
        return answer(result, question, released(homework, question))

    def ahead(self, homework: Homework, question: str, students: Sequence[str]) -> None:
        """Read some answers at once, in the order in which they will be needed.

        Do nothing if the first half is already read or waiting: starting a run costs as much as
        reading in it.
        """
        keys = {student: self._key(homework, question, student) for student in students}
        with self._lock:
            if all(keys[student] in self._kept for student in students[: len(students) // 2]):
                return
            missing = [student for student in students if keys[student] not in self._kept]
            futures = [self._new(keys[student]) for student in missing]
        self._put(1, futures, lambda: self._read(homework, question, missing))

    def _key(self, homework: Homework, question: str, student: str) -> tuple[Any, ...]:
        path = self._folder / student / "executed.ipynb"
        changed = path.stat().st_mtime_ns if path.is_file() else 0
        return homework.name, question, student, changed

    def _future(self, key: Any, make: Callable[[], Any]) -> "Future[Any]":
        """Return a key's value, making it now if necessary, before anything that is read ahead."""
        with self._lock:
            future = self._kept.get(key)
            if future is None or _failed(future):  # what failed once may not fail again
                future = self._new(key)
            self._kept.move_to_end(key)
        if not future.done():
            self._put(0, [future], lambda: [make()])
        return future

    def _new(self, key: Any) -> "Future[Any]":
        """Keep a new future under a key; the caller has the lock."""
        future: Future[Any] = Future()
        self._kept[key] = future
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return future

    def _put(
        self, priority: int, futures: Sequence["Future[Any]"], make: Callable[[], Any] | None
    ) -> None:
        """Put work into the queue; `make` returns the futures' values, and None ends the thread."""
        with self._lock:
            self._count += 1
            self._wanted.put((priority, self._count, (futures, make)))

    def _work(self) -> None:
        """Serve in one thread: a sandbox ends with the thread that started it."""
        with Sandbox(hidden=self._hidden, worker=typesetter.__name__) as self._sandbox:
            while True:
                futures, make = self._wanted.get()[2]
                if make is None:
                    return
                if all(future.done() for future in futures):
                    continue
                try:
                    values = make()
                except BaseException as error:
                    for future in futures:
                        _settle(future, error=error)
                else:
                    for future, value in zip(futures, values, strict=True):
                        _settle(future, value)

    def _read(self, homework: Homework, question: str, students: Sequence[str]) -> list[Shown]:
        found: list[Answer | Shown] = []
        for student in students:
            try:
                found.append(self.written(homework, question, student))
            except (UserError, OSError) as error:
                found.append(Shown("", problem=f"This answer cannot be read: {error}"))
        # Notes of ours are the only tags with an attribute. They stay out of the Markdown, in which
        # a student could write the same.
        parts = [_NOTE.split(one.text) if isinstance(one, Answer) else [] for one in found]
        texts = [text for each in parts for text in each[::2]]
        pages = iter(self._pages(texts) if texts else ())
        return [
            Shown(_whole(each, pages), _drawn(one), code=_lines(one), sha256=one.sha256)
            if isinstance(one, Answer)
            else one
            for one, each in zip(found, parts, strict=True)
        ]

    def _pages(self, texts: Sequence[str]) -> list[str]:
        """Return texts as HTML, read in the sandbox; unreadable ones come back unchanged."""
        made: list[Any] = [None] * len(texts)
        job = {
            "texts": [text[:_MAX_TEXT] for text in texts],
            "seconds": SECONDS,
            "memory_bytes": _MEMORY,
        }
        with contextlib.suppress(RunEnded), self._sandbox.run(job) as run:
            pages = run.receive(deadline=SECONDS).get("pages")
            if isinstance(pages, list) and len(pages) == len(texts):
                made = pages
        if made.count(None) == len(texts) > 1:  # one of them ended the run: the others are read
            return [page for text in texts for page in self._pages([text])]
        return [
            clean(page)
            if isinstance(page, str) and len(page) < _MAX_PAGE
            else f"<pre>{html.escape(text)}</pre>"
            for page, text in zip(made, texts, strict=True)
        ]


def _whole(parts: Sequence[str], pages: Iterator[str]) -> str:
    """Return an answer as HTML; its parts are texts, which `pages` has, and notes in between."""
    return "".join(_note(part) if n % 2 else next(pages) for n, part in enumerate(parts))


def _note(text: str) -> str:
    words = html.escape(_PLACE.sub(r"\1", text))
    return f'<p class="note">{words}</p>'


def _lines(answer: Answer) -> tuple[str, ...]:
    lines = answer.code.splitlines()
    short = len(answer.code) <= _MAX_TEXT and len(lines) <= _MAX_LINES
    return tuple(map(codec.shown, lines)) if short else ()


def _drawn(answer: Answer) -> tuple[str, ...]:
    drawn = (
        sanitize.png(data, kinds=("PNG",), width=_WIDTH)
        for picture in answer.pictures.values()
        for kind, data in picture.items()
        if kind == "image/png" and isinstance(data, str)
    )
    return tuple(one for one in drawn if one)


def _failed(future: "Future[Any]") -> bool:
    """Return whether reading has ended without something to see."""
    if not future.done():
        return False
    return bool(future.exception() or getattr(future.result(), "problem", ""))


def _settle(future: "Future[Any]", value: Any = None, error: BaseException | None = None) -> None:
    """Give a future its value or error, unless urgent work has already done so."""
    if future.done():
        return
    if error:
        future.set_exception(error)
    else:
        future.set_result(value)
