"""Grade on the machines of a Dask cluster: the same work, and no disk is shared.

Bytes go out, the homework once to each worker and then submissions, and the files of each come
back as bytes. A worker that does not run what runs here, or lacks a layer, gets nothing.
"""

import asyncio
import contextlib
import io
import logging
import queue
import shutil
import socket
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import dask
import msgspec
from distributed import Client, KilledWorker, Status, Worker, WorkerPlugin, get_worker

from autograder import versions
from autograder.grading import scheduler, wire
from autograder.grading.grader import Grader, Task, finished
from autograder.grading.scheduler import ATTEMPTS, Lost
from autograder.grading.wire import Graded, Sent
from autograder.model import Homework, UserError
from autograder.sandbox import supervisor
from autograder.sandbox.run import SandboxFault
from autograder.store import files
from autograder.submission import discover

CONNECT_SECONDS = 15
WAIT_SECONDS = 300
# A run that is over waits this long for the submissions under way.
_PATIENCE_SECONDS = 600
GONE = "the cluster is gone; the same command goes on with the rest"
KILLED = "its workers were lost, one after another"
JOURNAL = "cluster.log"
Note = Callable[[str], None]
# How a submission ended, encoded, and its files.
_Reply = tuple[bytes, dict[str, bytes]]


class Machine(msgspec.Struct, frozen=True):
    """A worker's description of itself.

    Args:
        address: Dask's name for it.
        host: The machine's name.
        versions: What it runs.
        missing: Which layers do not work there, and why.
        broken: Why it cannot grade; "" where it can.
    """

    address: str
    host: str
    versions: Mapping[str, str]
    missing: Mapping[str, str] = {}
    broken: str = ""

    def unfit(self) -> str:
        """Say why it may not grade; "" where it may."""
        ours = versions.everything()
        for program, version in self.versions.items():
            if version != ours.get(program):
                return f"{self.host} has {program} {version}, not {ours.get(program)} as here"
        return f"{self.host}: {self.broken}" if self.broken else ""


def grade(
    task: Task,
    found: Sequence[discover.Found],
    *,
    homework: Homework,
    address: str,
    insecure: bool,
    note: Note,
) -> Generator[Graded, None, None]:
    """Grade submissions on the workers of a Dask cluster; yield each as it is done, in any order.

    Args:
        task: What to grade with.
        found: The submissions.
        homework: What they answer.
        address: The scheduler's; Dask's configuration names the certificates.
        insecure: Use workers on which student code has a network and could reach the scheduler.
        note: Is told in one line what the instructor should know.

    Raises:
        UserError: there is no such cluster, or no worker of it may grade.
    """
    waiting = []
    for item in found:
        done = None if task.force else finished(item, homework, task.course, task.out)
        if done:
            yield done
        else:
            waiting.append(item)
    if not waiting:
        return
    files.make_folder(task.out)
    required = () if insecure else ("network",)
    task = replace(task, require=tuple(dict.fromkeys((*task.require, *required))))
    with _connected(address) as client, contextlib.closing(Cluster(client, task, note)) as cluster:
        limit = homework.limits.notebook_bytes
        yield from scheduler.grade(waiting, cluster, task.out, task.course, limit=limit)


@contextlib.contextmanager
def _connected(address: str) -> Iterator[Client]:
    # Lost workers are expected here: messages on them, but for the worst, are left out.
    for name in ("distributed", *logging.getLogger("distributed").manager.loggerDict):
        if name.startswith("distributed"):  # some have a level of their own
            logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=CONNECT_SECONDS)
    except Exception as error:  # what is wrong with a certificate has many names
        raise UserError(
            f"no Dask scheduler answers at {address} ({_first_line(error)}); "
            "start one with `dask scheduler`"
        ) from error
    # A large notebook is no reason for a warning.
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 GB"}), client:
        yield client


class Cluster:
    """The workers of a cluster that may grade.

    Args:
        client: The cluster.
        task: What to grade with.
        note: Is told what the instructor should know.
    """

    def __init__(self, client: Client, task: Task, note: Note) -> None:
        self._client, self._task, self._note = client, task, note
        self._name = f"autograder-{task.name}-{datetime.now(UTC):%H%M%S%f}"
        self._executor = client.get_executor(pure=False)
        self._said = queue.SimpleQueue[Machine]()
        self._threads: dict[str, int] = {}
        self._fit, self._refused, self._gaps = set[str](), set[str](), set[str]()
        self._under_way: dict[Future[_Reply], frozenset[str]] = {}
        self._began = self._seen = time.monotonic()
        self._looked = float("-inf")
        client.subscribe_topic(self._name, self._hear)
        try:
            client.register_plugin(Graders(self._name, _bundle(task), wire.encode(task)))
        except Exception as error:
            needs = "each worker and the scheduler need the kit, as it is here"
            note(f"not every worker can grade ({_first_line(error)}); {needs}")

    def _hear(self, event: tuple[float, object]) -> None:
        self._said.put(msgspec.convert(event[1], Machine))

    def close(self) -> None:
        """Stop grading there, and remove what was sent."""
        self._executor.shutdown(wait=False)
        with contextlib.suppress(Exception):  # the cluster may be gone
            self._client.unregister_worker_plugin(self._name)

    def room(self) -> int:
        """Return twice the threads that may grade: one submission is there when one is done."""
        if time.monotonic() > self._looked + scheduler.LOOK_SECONDS or not self._said.empty():
            self._look()
        room = 2 * sum(self._threads.get(address, 0) for address in self._fit)
        if not room:
            time.sleep(0.1)
        return room

    def submit(self, sent: Sent) -> Future[_Reply]:
        """Have a submission graded by whichever worker has time."""
        data, workers = wire.encode(sent), sorted(self._fit)
        future = self._executor.submit(grade_there, self._name, data, workers=workers)
        self._under_way[future] = frozenset(workers)
        return future  # type: ignore[no-any-return]  # distributed is only partly typed

    def result(self, future: Future[_Reply]) -> Graded:
        """Return how a submission ended, with its files in place; raises Lost."""
        self._under_way.pop(future)
        try:
            data, contents = future.result()
        except KilledWorker as error:  # the scheduler has tried it on several
            raise Lost(KILLED, ATTEMPTS) from error
        except CancelledError as error:
            if self._client.status != "running":
                raise UserError(GONE) from error
            raise Lost(KILLED) from error
        except Exception as error:
            why = f"it failed: {type(error).__name__}: {_first_line(error)}"
            raise Lost(why, ATTEMPTS) from error
        if not data:
            raise Lost(KILLED, 0)
        graded = wire.decode(data, Graded)
        graded = replace(graded, folder=self._task.out / graded.name)
        if not graded.starved:
            files.clear(graded.folder)
            # The log last: where it is, everything else is, too.
            for name in reversed(files.ALL):
                if name in contents:
                    lasting = name == files.LOG
                    files.write_bytes(graded.folder / name, contents[name], lasting=lasting)
        return graded

    def _look(self) -> None:
        """See which workers there are, and hear those that describe themselves."""
        self._looked = time.monotonic()
        try:
            self._threads = self._client.nthreads()
        except Exception as error:
            raise UserError(GONE) from error
        while not self._said.empty():
            self._take(self._said.get())
        self._fit &= self._threads.keys()
        for future, workers in list(self._under_way.items()):
            if not workers & self._threads.keys():  # the scheduler would wait for these for ever
                future.cancel()
        if self._fit:
            self._seen = self._looked
        elif self._threads and self._refused >= self._threads.keys():
            mend = "; --insecure-cluster grades where there is no 'network' layer"
            raise UserError(
                f"no worker of the cluster may grade{mend * ('network' in self._task.require)}"
            )
        elif self._looked > self._seen + WAIT_SECONDS:
            raise UserError(
                f"no worker that may grade joined within {WAIT_SECONDS} seconds; "
                "start some with `dask worker`, and the same command goes on"
            )
        elif not self._threads and self._began:
            self._note("waiting for a worker to join")
            self._began = 0.0

    def _take(self, machine: Machine) -> None:
        """Use a worker, or refuse it; keep in the journal who graded."""
        if why := machine.unfit():
            self._fit.discard(machine.address)
            if machine.address not in self._refused:
                self._note(f"not used: {why}")
            self._refused.add(machine.address)
            return
        self._fit.add(machine.address)
        open_to = " WITHOUT the layer 'network'" if "network" in machine.missing else ""
        with (self._task.out / JOURNAL).open("a", encoding="utf-8") as file:
            file.write(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC {machine.host}{open_to}\n")
        if open_to:
            reach = "student code has a network there and could reach the scheduler"
            self._note(f"{machine.host}: {reach}")
        gaps = set(supervisor.gaps(machine.missing)) - {"network"}
        for layer in sorted(gaps - self._gaps):
            self._note(f"not on every worker: the layer {layer!r}")
        self._gaps |= gaps


def _bundle(task: Task) -> bytes:
    """Return the homework's folders as a zip."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for top in ("source", "release"):
            for path in sorted((task.root / top / task.name).rglob("*")):
                if path.is_file() and "__pycache__" not in path.parts:
                    archive.write(path, path.relative_to(task.root))
    return data.getvalue()


class Graders(WorkerPlugin):  # type: ignore[misc]  # distributed is only partly typed
    """On a worker: the homework, unpacked, and as many graders as threads that grade.

    Args:
        name: Of this run.
        bundle: The homework's folders as a zip.
        task: What to grade with, encoded.
    """

    def __init__(self, name: str, bundle: bytes, task: bytes) -> None:
        self.name, self._bundle, self._encoded = name, bundle, task

    async def setup(self, worker: Worker) -> None:
        """Unpack the homework where the worker keeps its own files, and try the sandbox out."""
        self._worker = worker
        self._home = Path(tempfile.mkdtemp(prefix="homework-", dir=worker.local_directory))
        with zipfile.ZipFile(io.BytesIO(self._bundle)) as archive:
            archive.extractall(self._home / "course")
        self._free = queue.SimpleQueue[Grader]()
        self._open, self._lock = contextlib.ExitStack(), threading.Lock()
        self._opened, self._over = 0, False
        # Aside: whoever registers the plugin waits for this.
        self._trying = asyncio.create_task(asyncio.to_thread(self._try_out))

    async def teardown(self, worker: Worker) -> None:
        """Stop the sandboxes and remove what was unpacked, after the submissions under way."""
        wait = 0 if worker.status == Status.closing else _PATIENCE_SECONDS
        # Aside: a worker that does not answer for so long is taken for lost.
        await asyncio.to_thread(self._tidy, wait)

    def _tidy(self, seconds: float) -> None:
        self._over = True
        with self._lock, contextlib.suppress(queue.Empty):
            for _ in range(self._opened):
                self._free.get(timeout=seconds)
        self._open.close()
        shutil.rmtree(self._home, ignore_errors=True)

    def _try_out(self) -> None:
        missing, broken = {}, ""
        try:
            with self._grader() as grader:
                missing = dict(grader.sandbox.missing)
        except Exception as error:
            broken = _first_line(error)
        self._say(missing, broken)

    def _say(self, missing: Mapping[str, str], broken: str) -> None:
        host, running = socket.gethostname(), versions.everything()
        machine = Machine(self._worker.address, host, running, missing, broken)
        self._worker.log_event(self.name, msgspec.to_builtins(machine))

    @contextlib.contextmanager
    def _grader(self) -> Iterator[Grader]:
        """Take a grader that is free, or open one more."""
        try:
            grader = self._free.get_nowait()
        except queue.Empty:
            with self._lock:
                if self._over:
                    raise UserError("this run is over") from None
                task = wire.decode(self._encoded, Task)
                root, out = self._home / "course", self._home / "out"
                files.make_folder(out)
                task = replace(task, root=root, out=out, hidden=(), force=True)
                grader = self._open.enter_context(Grader.open(task))
                self._opened += 1
        try:
            yield grader
        finally:
            self._free.put(grader)

    def grade(self, data: bytes) -> _Reply:
        """Grade a submission; return nothing where this worker cannot."""
        if self._over:
            return b"", {}
        try:
            with self._grader() as grader:
                graded = grader.grade_sent(wire.decode(data, Sent), self._home / "out")
                contents = {path.name: path.read_bytes() for path in graded.folder.iterdir()}
                shutil.rmtree(graded.folder)
        except (SandboxFault, UserError) as error:
            self._say({}, _first_line(error))
            return b"", {}
        return wire.encode(graded.brief()), contents


def grade_there(name: str, data: bytes) -> _Reply:
    """Grade a submission on the worker that this runs on."""
    plugin: Graders = get_worker().plugins[name]
    return plugin.grade(data)


def _first_line(error: BaseException) -> str:
    """Return the beginning of an error's message, or its name."""
    said = str(error).strip()
    return said.splitlines()[0][:200] if said else type(error).__name__
