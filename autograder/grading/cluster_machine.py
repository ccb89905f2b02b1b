"""A machine of a cluster: its description, and the graders on it."""

import asyncio
import contextlib
import io
import shutil
import socket
import tempfile
import threading
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from distributed import Status, Worker, WorkerPlugin, get_worker

from autograder import versions
from autograder.course import course
from autograder.grading.grader import Grader, Task
from autograder.grading.messages import Done, Sent
from autograder.model import UserError
from autograder.sandbox.run import SandboxFault
from autograder.store import files

# A run that is over waits this long for the submissions under way.
_PATIENCE_SECONDS = 600


class Machine(msgspec.Struct, frozen=True):
    """A worker's description of itself: what it runs, and which layers do not work there."""

    host: str
    versions: Mapping[str, str]
    missing: Mapping[str, str]
    broken: str = ""


class Reply(msgspec.Struct, frozen=True):
    """What came of a batch, as far as it was graded; or why this worker may not grade at all."""

    worker: str
    done: tuple[Done, ...] = ()
    refused: str = ""


class Portable(msgspec.Struct, frozen=True):
    """What of a task holds on any machine."""

    name: str
    course: course.Course
    all_cells: bool
    programs: Mapping[str, str]


@dataclass
class _Place:
    """One thread's grader; `free` is taken while it is used."""

    grader: Grader
    out: Path
    free: threading.Lock = field(default_factory=threading.Lock)


class Graders(WorkerPlugin):  # type: ignore[misc]  # distributed is only partly typed
    """On a worker: the homework, unpacked, and a grader for each thread.

    Args:
        name: Of this run.
        bundle: The homework's folders as a zip.
        task: A `Portable` as JSON.
        needed: The layers without which nothing is graded.
    """

    def __init__(self, name: str, bundle: bytes, task: bytes, needed: tuple[str, ...]) -> None:
        self.name = name
        self._bundle, self._task, self._needed = bundle, task, needed

    def setup(self, worker: Worker) -> None:
        """Unpack the homework where the worker keeps its own files."""
        self._home = Path(tempfile.mkdtemp(prefix="homework-", dir=worker.local_directory))
        with zipfile.ZipFile(io.BytesIO(self._bundle)) as archive:
            archive.extractall(self._home / "course")
        self._values = msgspec.json.decode(self._task, type=Portable)
        self._open = contextlib.ExitStack()
        self._lock = threading.Lock()
        self._places: dict[int, _Place] = {}
        self._over = False

    async def teardown(self, worker: Worker) -> None:
        """Stop the sandboxes and remove what was unpacked, after the submissions under way."""
        wait = 0 if worker.status == Status.closing else _PATIENCE_SECONDS
        # Aside: a worker that does not answer for so long is taken for lost.
        await asyncio.to_thread(self._tidy, wait)

    def _tidy(self, wait: float) -> None:
        self._over = True
        with self._lock:
            held = [p for p in self._places.values() if p.free.acquire(timeout=wait)]
            self._open.close()
            shutil.rmtree(self._home, ignore_errors=True)
        for place in held:
            place.free.release()

    def _place(self) -> _Place:
        """Return this thread's grader."""
        me = threading.get_ident()
        with self._lock:
            if self._over:
                raise RuntimeError("this run is over")
            if me not in self._places:
                values = self._values
                root, out = self._home / "course", self._home / f"out-{me}"
                files.make_folder(out)
                task = Task(
                    root, values.name, values.course, out, all_cells=values.all_cells, force=True
                )
                self._places[me] = _Place(self._open.enter_context(Grader.open(task)), out)
            return self._places[me]

    def describe(self) -> Machine:
        """Return what the machine is; where the programs are the same, the sandbox is tried out."""
        mine = Machine(socket.gethostname(), versions.everything(), {})
        if unfit(mine, self._values.programs, ()):
            return mine
        try:
            place = self._place()
            with place.free:
                return msgspec.structs.replace(mine, missing=place.grader.sandbox.missing)
        except (UserError, RuntimeError, OSError) as error:
            return msgspec.structs.replace(mine, broken=first_line(error))

    def grade(self, batch: bytes) -> Reply:
        """Grade a batch, and return the files of each."""
        me = get_worker().address
        if why := unfit(self.describe(), self._values.programs, self._needed):
            return Reply(me, refused=why)
        place = self._place()
        done: list[Done] = []
        for sent in msgspec.msgpack.decode(batch, type=list[Sent]):
            with place.free:
                if self._over:
                    break
                try_it = place.grader.try_again if sent.again else place.grader.try_once
                try:
                    graded = try_it(sent.found(), place.out)
                except SandboxFault as fault:
                    return Reply(me, tuple(done), refused=f"{socket.gethostname()}: {fault}")
                files = {path.name: path.read_bytes() for path in graded.folder.iterdir()}
                shutil.rmtree(graded.folder)
                done.append(Done.of(graded, files))
        return Reply(me, tuple(done))


def unfit(machine: Machine, ours: Mapping[str, str], needed: Sequence[str]) -> str:
    """Say why a worker may not grade; "" where it may."""
    if machine.broken:
        return f"{machine.host}: {machine.broken}"
    for program, version in machine.versions.items():
        if version != ours.get(program):
            return f"{machine.host} has {program} {version}, not {ours.get(program)} as here"
    for layer in needed:
        if why := machine.missing.get(layer):
            return f"{machine.host} lacks the layer {layer!r} ({why})"
    return ""


def first_line(error: BaseException | None) -> str:
    """Return the beginning of an error's message, or its name."""
    said = str(error).strip()
    return said.splitlines()[0][:200] if said else type(error).__name__


def describe(name: str) -> Machine:
    """Ask the worker that this runs on what it is."""
    plugin = get_worker().plugins.get(name)
    if plugin is None:
        host = socket.gethostname()
        return Machine(
            host, versions.everything(), {}, broken="the homework could not be unpacked there"
        )
    machine: Machine = plugin.describe()
    return machine


def grade_batch(name: str, batch: bytes) -> Reply:
    """Grade a batch on the worker that this runs on."""
    reply: Reply = get_worker().plugins[name].grade(batch)
    return reply
