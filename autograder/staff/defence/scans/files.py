"""Files of scans -> the contents of each page, decoded in the sandbox."""

import contextlib
import importlib.util
import math
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from autograder.records.errors import UserError
from autograder.sandbox.run import Run, RunEnded
from autograder.sandbox.supervisor import Sandbox
from autograder.staff.defence.scans.records import Answered, PageSeen
from autograder.staff.defence.sheets import answer_block
from autograder.submission import archives, opening
from autograder.submission.archives import File

NEEDED = ("cv2", "pypdfium2", "zxingcpp")
"""The packages of the extra `scans`."""
MAX_BYTES = 500_000_000
SECONDS = 20.0
"""The limit of processor time for one page."""
_AT_ONCE = 50
"""The most pages that one process reads, since its output stays in our memory."""
_WORKER = "autograder.staff.defence.scans.reader"
_JOB = {"memory_bytes": 2_000_000_000, "seconds": 2 * SECONDS * _AT_ONCE}
_CHUNK = 1 << 20
_ENDED = "reading it needed too much time or memory; scan it again with 200 to 300 dpi"
_LEFT_OUT = ("thumbs.db", "desktop.ini")


def read(path: Path, hidden: Iterable[Path], jobs: int) -> list[PageSeen]:
    """Return the contents of each page in a file, zip or folder, in order.

    Raises:
        UserError: there is nothing to read, or a library is missing.
    """
    if absent := [name for name in NEEDED if importlib.util.find_spec(name) is None]:
        raise UserError(
            f"{' and '.join(absent)} missing: scans need the extra `scans` "
            "(pip install 'attention-homework-kit[scans]')"
        )
    found = _files(path)
    unseen, places = list(hidden), places_of(found)

    def part(number: int) -> list[tuple[tuple[int, int], PageSeen]]:
        with (
            Sandbox(hidden=unseen, worker=_WORKER) as sandbox,
            contextlib.closing(_Reader(sandbox, places)) as reader,
        ):
            return list(reader.part(found, number, jobs))

    with ThreadPoolExecutor(jobs) as threads:
        pages = dict(one for several in threads.map(part, range(jobs)) for one in several)
    return [pages[place] for place in sorted(pages)]


def _files(path: Path) -> list[File]:
    top = opening.given(path)
    try:
        if not top.kind:
            raise UserError(
                f"{path}: there is no such file; give a PDF, a picture, a zip or a folder"
            )
        zipped = top.kind == "file" and archives.beginning(top, 4) == b"PK\x03\x04"
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror})") from error
    if top.kind == "file" and not zipped:
        return [top]
    try:
        below = archives.items_below(archives.listing(top))
    except UserError as error:
        raise UserError(f"{path}: {error}") from error
    found = [one.file for one in below if one.name.lower() not in _LEFT_OUT]
    if not found:
        raise UserError(f"{path} has no files; give a PDF, a picture, or a zip or folder of them")
    return found


def places_of(found: Sequence[File]) -> list[str]:
    """Return each file's name, with its folders where several files have the same one."""
    paths = [Path(str(file)) for file in found]
    same = Counter(path.name for path in paths)
    top = os.path.commonpath(paths)
    return [
        path.name if same[path.name] == 1 else path.relative_to(top).as_posix() for path in paths
    ]


class _Reader:
    """A reader that shares the pages among processes in the sandbox."""

    def __init__(self, sandbox: Sandbox, places: Sequence[str]) -> None:
        self._sandbox, self._places = sandbox, places
        self._stack = contextlib.ExitStack()
        self.close()

    def close(self) -> None:
        """End its process; the next page starts a new one."""
        self._stack.close()
        self._run: Run | None = None
        self._copied, self._asked = "", 0

    def part(
        self, found: list[File], number: int, jobs: int
    ) -> Iterator[tuple[tuple[int, int], PageSeen]]:
        """Yield this part's pages, each with its place; all parts together cover every page."""
        for n, file in enumerate(found):
            page, pages = (number - n) % jobs, math.inf
            while page < pages:
                seen, pages = self._page(file, n, page)
                if page < max(pages, 1):
                    yield (n, page), seen
                page += jobs

    def _page(self, file: File, number: int, page: int) -> tuple[PageSeen, int]:
        place = self._places[number]
        try:
            reply = self._ask(file, str(number), page)
            pages = int(reply["pages"])
            return _seen(reply, f"{place}, page {page + 1}" if pages > 1 else place), pages
        except RunEnded:
            self.close()
            return PageSeen(f"{place}, page {page + 1}", why=_ENDED), page + 1
        except OSError as error:
            return PageSeen(place, why=f"it cannot be read ({error.strerror})"), 0
        except UserError as error:
            return PageSeen(place, why=str(error)), 0

    def _ask(self, file: File, name: str, page: int) -> Mapping[str, Any]:
        if self._asked >= _AT_ONCE:
            self.close()
        if self._run is None:
            self._run = self._stack.enter_context(self._sandbox.run(_JOB))
        if self._copied != name:
            if self._copied:
                (self._run.directory / self._copied).unlink()
            _copy(file, self._run.directory / name)
            self._copied = name
        self._asked += 1
        self._run.send({"file": name, "page": page})
        return self._run.receive(deadline=self._run.clock() + SECONDS)


def _copy(file: File, target: Path) -> None:
    """Copy a file to a place that the sandbox sees; raise UserError if it is too large."""
    size = 0
    with file.reader() as source, target.open("wb") as copy:
        target.chmod(0o644)  # regardless of the umask, since a different user reads it
        while data := source.read(_CHUNK):
            size += len(data)
            if size > MAX_BYTES:
                raise UserError(f"it has more than {MAX_BYTES / 1e6:,.0f} MB; scan it in parts")
            copy.write(data)


def _seen(reply: Mapping[str, Any], place: str) -> PageSeen:
    """Return a reply as a record; raise RunEnded if it is malformed."""
    try:
        answers = tuple(
            Answered(int(q), str(letter), str(why)) for q, letter, why in reply["answers"]
        )
        pictures = {int(question): str(one) for question, one in reply["pictures"].items()}
        label = answer_block.label(str(reply["label"]))
        return PageSeen(place, label, str(reply["why"]), answers, pictures, str(reply["whole"]))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RunEnded(why="the reader's reply is not one of ours") from error
