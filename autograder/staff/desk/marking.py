"""The marking page within the desk: a homework's questions are opened when somebody goes there."""

import contextlib
import threading
from collections.abc import Sequence
from pathlib import Path

from autograder.course import course
from autograder.course.people import People
from autograder.records.errors import UserError
from autograder.staff.marking_page import start
from autograder.staff.marking_page.answer_html import Reader
from autograder.staff.marking_page.marking_session import Room
from autograder.staff.marking_page.marks.connection import Gradebook, connect
from autograder.staff.marking_page.marks.records import Progress


class Marking:
    """The rooms of all homeworks that were opened.

    Args:
        root: The course's folder.
        gradebook: Where marks are.
        named: Show whose answer it is.
    """

    def __init__(self, root: Path, gradebook: Gradebook, *, named: bool) -> None:
        self._root, self._gradebook, self._named = root, gradebook, named
        self._stack = contextlib.ExitStack()
        self._lock = threading.Lock()
        self.rooms: dict[tuple[str, str], Room] = {}

    def close(self) -> None:
        """Close the gradebook, and what reads answers."""
        self._stack.close()

    def open(self, name: str, folder: Path, people: People) -> str:
        """Open the questions of a homework that are in the gradebook; return why not, else ""."""
        with self._lock:
            if any(homework == name for homework, _ in self.rooms):
                return ""
            try:
                engine = connect(self._gradebook)
                self._stack.callback(engine.dispose)
                hidden = [*course.private(self._root), folder]
                reader = self._stack.enter_context(Reader(folder, hidden))
                found = start.rooms(
                    engine, folder, self._root, reader, people=people, named=self._named
                )
            except UserError as error:
                return str(error)
            self.rooms |= {key: room for key, room in found.items() if key[0] == name}
            return ""

    def forget(self, name: str) -> None:
        """Open a homework anew the next time: there are other answers now."""
        with self._lock:
            for key in [key for key in self.rooms if key[0] == name]:
                del self.rooms[key]

    def rows(self, name: str, order: Sequence[str]) -> list[tuple[str, Progress]]:
        """Return the questions of a homework that is open, in the order of its notebook."""
        found = [(id, self.rooms[name, id]) for id in order if (name, id) in self.rooms]
        return [(id, room.marks.progress()) for id, room in found]
