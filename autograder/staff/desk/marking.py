"""The marking page within the desk; it opens a homework's questions on the first visit."""

import contextlib
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path

from markupsafe import Markup

from autograder.course import course
from autograder.course.people import People
from autograder.records.errors import UserError
from autograder.staff.marking_page import start
from autograder.staff.marking_page.answer_html import Reader, line
from autograder.staff.marking_page.marking_session import Room
from autograder.staff.marking_page.marks.connection import Gradebook, connect
from autograder.staff.marking_page.marks.records import Progress


class Marking:
    """The rooms of all opened homeworks, with students' names if they are `named`."""

    def __init__(self, root: Path, gradebook: Gradebook, *, named: bool) -> None:
        self._root, self._gradebook, self._named = root, gradebook, named
        self._stack = contextlib.ExitStack()
        self._lock = threading.RLock()
        self._readers: dict[Path, Reader] = {}
        self.rooms: dict[tuple[str, str], Room] = {}

    def close(self) -> None:
        """Close the gradebook and the reader of answers."""
        self._stack.close()

    def reader(self, folder: Path) -> Reader:
        """Return the reader of a folder's Markdown; it starts on the first visit."""
        with self._lock:
            if folder not in self._readers:
                hidden = [*course.private(self._root), folder]
                self._readers[folder] = self._stack.enter_context(Reader(folder, hidden))
            return self._readers[folder]

    def lines(self, folder: Path, texts: Iterable[str]) -> dict[str, Markup]:
        """Return texts by staff, each with its HTML in one line."""
        wanted = list(dict.fromkeys(texts))
        made = self.reader(folder).markdown(wanted) if wanted else []
        return dict(zip(wanted, map(line, made), strict=True))

    def is_open(self, name: str) -> bool:
        """Return whether a homework's questions are open."""
        return any(homework == name for homework, _ in [*self.rooms])

    def open(self, name: str, folder: Path, people: People) -> str:
        """Open a homework's questions in the gradebook; return why that fails, or ""."""
        with self._lock:
            if self.is_open(name):
                return ""
            try:
                engine = connect(self._gradebook)
                self._stack.callback(engine.dispose)
                reader = self.reader(folder)
                found = start.rooms(
                    engine, folder, self._root, reader, people=people, named=self._named
                )
            except UserError as error:
                return str(error)
            self.rooms |= {key: room for key, room in found.items() if key[0] == name}
            return ""

    def forget(self, name: str) -> None:
        """Open a homework again on the next visit, since its answers have changed."""
        with self._lock:
            for key in [key for key in self.rooms if key[0] == name]:
                del self.rooms[key]

    def rows(self, name: str, order: Sequence[str]) -> list[tuple[str, Progress]]:
        """Return the questions of an open homework, in the order of its notebook."""
        found = [(id, self.rooms[name, id]) for id in order if (name, id) in self.rooms]
        return [(id, room.marks.progress()) for id, room in found]
