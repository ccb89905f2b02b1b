"""Many submissions on many machines: the same work, sent to a Dask cluster.

Bytes go out, the homework once to each worker and submissions in batches, and the files
of each come back as bytes: no disk is shared. Each thread of a worker has a `Grader` of
its own. What a lost worker had is done elsewhere; a submission that takes three workers
with it is marked as such.
"""

import contextlib
import io
import logging
import shutil
import socket
import tempfile
import threading
import zipfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from distributed import (
    Client,
    Future,
    KilledWorker,
    Worker,
    WorkerPlugin,
    as_completed,
    get_worker,
)

from autograder import course
from autograder.bulk import results
from autograder.bulk.grader import Graded, Grader, Task, finished, refuse, unreadable
from autograder.bulk.wire import Done, Sent
from autograder.facts import find, sandbox
from autograder.facts.execute import programs
from autograder.model import Homework, UserError

WAIT_SECONDS = 300
MAX_BATCH = 16
LOST = "It was sent to several machines, and each was lost while it was graded. Somebody has to look at it."
JOURNAL = "cluster.log"


class _Worker(msgspec.Struct, frozen=True):
    """What a worker says of itself: what it runs, and which layers do not hold there."""

    host: str
    versions: Mapping[str, str]
    missing: Mapping[str, str]
    broken: str = ""


class _Reply(msgspec.Struct, frozen=True):
    """What a batch gave; or why this worker may not grade it, and then nothing was run."""

    worker: str
    done: tuple[Done, ...] = ()
    refused: str = ""


class _Graders(WorkerPlugin):  # type: ignore[misc]  # distributed is only partly typed
    """On a worker: the homework, unpacked, and a grader for each thread.

    Args:
        name: Of this run.
        bundle: The zip that `_bundle` made.
        task: The task as JSON, without folders, which are the worker's own.
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
        self._open = contextlib.ExitStack()
        self._lock = threading.Lock()
        self._of_thread = threading.local()

    def teardown(self, worker: Worker) -> None:  # noqa: ARG002
        """Stop the sandboxes and remove what was unpacked."""
        self._open.close()
        shutil.rmtree(self._home, ignore_errors=True)

    def _grader(self) -> Grader:
        """Return this thread's grader."""
        grader: Grader | None = getattr(self._of_thread, "grader", None)
        if grader is None:
            values = msgspec.json.decode(self._task, type=_Portable)
            root, out = self._home / "course", self._home / f"out-{threading.get_ident()}"
            task = Task(root, values.name, values.course, out, (), values.all_cells, force=True)
            results.make_folder(out)
            with self._lock:
                grader = self._open.enter_context(Grader.open(task))
            self._of_thread.grader, self._of_thread.out = grader, out
        return grader

    def describe(self) -> _Worker:
        """Return what the machine is; the sandbox is tried out for it."""
        host = socket.gethostname()
        try:
            return _Worker(host, programs(), self._grader().sandbox.missing)
        except (UserError, RuntimeError) as error:
            return _Worker(host, programs(), {}, broken=str(error).split("\n")[0])

    def grade(self, batch: bytes) -> _Reply:
        """Grade a batch, and return the files of each."""
        if why := _unfit(self.describe(), self._needed):
            return _Reply(get_worker().address, refused=why)
        grader, out = self._grader(), self._of_thread.out
        done = []
        for sent in msgspec.msgpack.decode(batch, type=list[Sent]):
            graded = grader.grade(sent.found(), out)
            files = {path.name: path.read_bytes() for path in graded.folder.iterdir()}
            shutil.rmtree(graded.folder)
            done.append(Done.of(graded, files))
        return _Reply(get_worker().address, tuple(done))


class _Portable(msgspec.Struct, frozen=True):
    """What of a task holds on any machine."""

    name: str
    course: course.Course
    all_cells: bool


def _unfit(worker: _Worker, needed: Sequence[str]) -> str:
    """Say why a worker may not grade; "" where it may."""
    if worker.broken:
        return f"{worker.host}: {worker.broken}"
    ours = programs()
    for program, version in worker.versions.items():
        if version != ours[program]:
            return f"{worker.host} has {program} {version}, not {ours[program]} as here"
    for layer in needed:
        if why := worker.missing.get(layer):
            return f"{worker.host} lacks the layer {layer!r} ({why})"
    return ""


def grade(
    task: Task,
    found: Sequence[find.Found],
    *,
    homework: Homework,
    address: str,
    require: Sequence[str],
    insecure: bool,
    note: Callable[[str], None],
) -> Iterator[Graded]:
    """Grade submissions on the workers of a Dask cluster; yield each as it is done, in any order.

    Args:
        task: What to grade with.
        found: The submissions.
        homework: What they answer.
        address: The scheduler's; Dask's configuration says with which certificates.
        require: Layers without which a worker gets nothing.
        insecure: Use workers, too, on which student code has a network and could reach the
            scheduler.
        note: Is told in one line what the instructor should know.

    Raises:
        UserError: there is no such cluster, or no worker of it may grade.
    """
    results.make_folder(task.out)
    sandbox.require(require, {})  # are these layers?
    waiting = []
    for item in found:
        done = None if task.force else finished(item, homework, task.course, task.out)
        if done:
            yield done
        else:
            waiting.append(item)
    if not waiting:
        return
    needed = tuple(dict.fromkeys([*require, *([] if insecure else ["network"])]))
    with _connected(address, note) as client:
        name = f"autograder-{homework.digest[:12]}-{datetime.now(UTC):%H%M%S%f}"
        values = msgspec.json.encode(_Portable(task.name, task.course, task.all_cells))
        client.register_plugin(_Graders(name, _bundle(task), values, needed))
        try:
            fit = _fit(client, name, needed, insecure=insecure, task=task, note=note)
            limit = homework.limits.notebook_bytes
            yield from _Batches(client, name, fit, waiting, task.out, limit, note).results()
        finally:
            with contextlib.suppress(Exception):  # the cluster may be gone
                client.unregister_worker_plugin(name)


@contextlib.contextmanager
def _connected(address: str, note: Callable[[str], None]) -> Iterator[Client]:
    # What it says of lost workers at other levels is what it is for.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=30)
    except (OSError, ValueError, TimeoutError) as error:
        raise UserError(
            f"no Dask scheduler answers at {address} ({str(error).splitlines()[0][:200]}); "
            "start one with `dask scheduler`"
        ) from error
    with client:
        if not client.nthreads():
            note(f"waiting for a worker to join {address}")
        try:
            client.wait_for_workers(1, timeout=WAIT_SECONDS)
        except TimeoutError as error:
            raise UserError(
                f"no worker joined {address} within {WAIT_SECONDS} seconds; "
                f"start some with `dask worker {address}`"
            ) from error
        yield client


def _bundle(task: Task) -> bytes:
    """Return the homework's folders as a zip."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for top in ("source", "release"):
            for path in sorted((task.root / top / task.name).rglob("*")):
                if path.is_file() and "__pycache__" not in path.parts:
                    archive.write(path, path.relative_to(task.root))
    return data.getvalue()


def _fit(
    client: Client,
    name: str,
    needed: Sequence[str],
    *,
    insecure: bool,
    task: Task,
    note: Callable[[str], None],
) -> dict[str, int]:
    """Return address -> threads of the workers that may grade; note why others may not."""
    threads = client.nthreads()
    asked = {at: client.submit(_describe, name, workers=[at], pure=False) for at in threads}
    fit, journal, gaps = {}, [], set()
    for at, future in asked.items():
        try:
            worker = future.result(timeout=WAIT_SECONDS)
        except Exception as error:  # it is lost again, or has no autograder
            note(f"not used: {at} ({type(error).__name__}: {str(error).splitlines()[0][:200]})")
            continue
        if why := _unfit(worker, needed):
            note(f"not used: {why}")
            continue
        fit[at] = threads[at]
        gaps |= set(sandbox.gaps(worker.missing))
        open_to = " WITHOUT the layer 'network'" if "network" in worker.missing else ""
        journal.append(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC {worker.host}{open_to}")
        if open_to:
            note(f"{worker.host}: student code has a network there and could reach the scheduler")
    if not fit:
        mend = "" if insecure else "; --insecure-cluster grades where there is no 'network' layer"
        raise UserError(f"no worker of the cluster may grade{mend}")
    for layer in sorted(gaps - {"network"}):
        note(f"not on every worker: the layer {layer!r}")
    with (task.out / JOURNAL).open("a", encoding="utf-8") as file:
        file.write("".join(f"{line}\n" for line in journal))
    return fit


def _describe(name: str) -> _Worker:
    worker: _Worker = get_worker().plugins[name].describe()
    return worker


def _grade_batch(name: str, batch: bytes) -> _Reply:
    reply: _Reply = get_worker().plugins[name].grade(batch)
    return reply


class _Batches:
    """Submissions on their way to workers and back.

    Args:
        client: The cluster.
        name: Of the plugin that grades.
        fit: Address -> threads of the workers that may.
        waiting: The submissions.
        out: The folder of results.
        limit: Bytes of a submission's file that are read.
        note: Is told what the instructor should know.
    """

    def __init__(
        self,
        client: Client,
        name: str,
        fit: Mapping[str, int],
        waiting: Sequence[find.Found],
        out: Path,
        limit: int,
        note: Callable[[str], None],
    ) -> None:
        self._client, self._name, self._note = client, name, note
        self._out, self._limit = out, limit
        self._refused = set(client.nthreads()) - set(fit)
        threads = sum(fit.values())
        # Large enough that sending is nothing, small enough that the last ones end together.
        size = max(1, min(MAX_BATCH, len(waiting) // (8 * threads)))
        self._waiting = deque(tuple(waiting[at : at + size]) for at in range(0, len(waiting), size))
        self._ahead = 2 * threads
        self._sent: dict[Future, tuple[find.Found, ...]] = {}

    def results(self) -> Iterator[Graded]:
        """Yield each submission's end."""
        under_way = as_completed()
        yield from self._send(under_way)
        for future in under_way:
            batch = self._sent.pop(future)
            if future.status == "finished":
                yield from self._receive(batch, future.result())
            elif future.status == "error":
                yield from self._lost(batch, future.exception())
            else:
                raise UserError("the cluster is gone; the same command goes on with the rest")
            yield from self._send(under_way)

    def _send(self, under_way: Any) -> Iterator[Graded]:
        while self._waiting and len(self._sent) < self._ahead:
            batch = []
            for item in self._waiting.popleft():
                try:
                    batch.append((item, Sent.read(item, limit=self._limit)))
                except (UserError, OSError) as error:
                    yield unreadable(item, error, self._out)
            if not batch:
                continue
            data = msgspec.msgpack.encode([sent for _, sent in batch])
            future = self._client.submit(
                _grade_batch, self._name, data, workers=self._allowed(), pure=False
            )
            self._sent[future] = tuple(item for item, _ in batch)
            under_way.add(future)

    def _allowed(self) -> list[str] | None:
        """Return the workers that may grade; None for any, those to come included."""
        if not self._refused:
            return None
        allowed = set(self._client.nthreads()) - self._refused
        if not allowed:
            raise UserError("no worker that is left may grade; the same command goes on")
        return sorted(allowed)

    def _receive(self, batch: Sequence[find.Found], reply: _Reply) -> Iterator[Graded]:
        if reply.refused:  # by a worker that joined later
            if reply.worker not in self._refused:
                self._note(f"not used: {reply.refused}")
            self._refused.add(reply.worker)
            self._waiting.append(tuple(batch))
            return
        for done in reply.done:
            folder = self._out / done.name
            results.clear(folder)
            # The log last: where it stands, everything else does.
            for name in sorted(done.files, key=lambda name: name == find.LOG_NAME):
                results.write(
                    folder / name, done.files[name].decode(), lasting=name == find.LOG_NAME
                )
            yield done.graded(self._out)

    def _lost(self, batch: Sequence[find.Found], error: BaseException | None) -> Iterator[Graded]:
        """Try each of a batch alone that took workers with it; what did so alone is marked."""
        if isinstance(error, KilledWorker) and len(batch) > 1:
            self._waiting.extend((item,) for item in batch)
            return
        why = (
            "its workers were lost, one after another"
            if isinstance(error, KilledWorker)
            else f"the grader failed ({type(error).__name__}: {error})"
        )
        for item in batch:
            folder = self._out / item.student
            refuse(folder, LOST)
            complaint = f"{item.place}: {why}"
            yield Graded(item.student, folder, complaint=complaint, failed=True)
