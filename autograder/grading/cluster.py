"""Grading on the machines of a Dask cluster, without a shared disk.

Everything travels as bytes: the homework once to each worker, then submissions, and each one's
files on the way back. A worker with different versions, or without a required layer, gets nothing.
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
from typing import Any

import dask
from distributed import Client, KilledWorker, Status, Worker, WorkerPlugin, get_worker

from autograder.grading import scheduler, unmarked, wire
from autograder.grading.grader import Grader, Task, finished
from autograder.grading.scheduler import ATTEMPTS, Lost
from autograder.grading.wire import Graded, Sent
from autograder.records import versions
from autograder.records.errors import UserError
from autograder.records.homework import Homework
from autograder.sandbox import supervisor
from autograder.sandbox.run import SandboxFault
from autograder.store import files, results
from autograder.submission import discover

CONNECT_SECONDS = 15
WAIT_SECONDS = 300
# The seconds that a finished run waits for submissions under way.
_PATIENCE_SECONDS = 600
GONE = "the cluster is gone; run the same command again to grade the rest"
KILLED = "its workers were lost, one after another"
JOURNAL = "cluster.log"
# A submission's outcome, encoded, and its files.
_Reply = tuple[bytes, dict[str, bytes]]


def grade(
    task: Task,
    found: Sequence[discover.Found],
    *,
    homework: Homework,
    address: str,
    insecure: bool,
    note: Callable[[str], None],
) -> Generator[Graded, None, None]:
    """Grade submissions on the workers of a Dask cluster; yield each once it is done, in any order.

    The address is the scheduler's; Dask's configuration names the certificates. `insecure` also uses
    workers on which student code has a network and could reach the scheduler. `note` is called with
    one line at a time for the instructor.
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
    required = () if insecure else ("network",)
    task = replace(task, require=tuple(dict.fromkeys((*task.require, *required))))
    with _connected(address) as client, contextlib.closing(_Cluster(client, task, note)) as cluster:
        limit = homework.limits.notebook_bytes
        yield from scheduler.grade(waiting, cluster, task.out, task.course, limit=limit)


@contextlib.contextmanager
def _connected(address: str) -> Iterator[Client]:
    # Lost workers are normal here, so only the worst messages about them are shown.
    for name in ("distributed", *logging.getLogger("distributed").manager.loggerDict):
        if name.startswith("distributed"):  # some loggers have a level of their own
            logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=CONNECT_SECONDS)
    except Exception as error:  # certificate errors have many types
        raise UserError(
            f"no Dask scheduler answers at {address} ({_first_line(error)}); "
            "start one with `dask scheduler`"
        ) from error
    # A large notebook needs no warning.
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 GB"}), client:
        yield client


class _Cluster:
    """The workers of a cluster that may grade."""

    def __init__(self, client: Client, task: Task, note: Callable[[str], None]) -> None:
        self._client, self._task, self._note = client, task, note
        self._name = f"autograder-{task.name}-{datetime.now(UTC):%H%M%S%f}"
        self._executor = client.get_executor(pure=False)
        self._described = queue.SimpleQueue[dict[str, Any]]()
        self._fit, self._refused, self._gaps = set[str](), set[str](), set[str]()
        self._under_way: dict[Future[_Reply], frozenset[str]] = {}
        self._looked, self._seen, self._waits = float("-inf"), time.monotonic(), False
        client.subscribe_topic(self._name, lambda event: self._described.put(event[1]))
        try:
            client.register_plugin(Machine(self._name, _bundle(task), wire.encode(task)))
        except Exception as error:
            needs = "each worker and the scheduler need the kit, as it is here"
            note(f"not every worker can grade ({_first_line(error)}); {needs}")

    def close(self) -> None:
        """Stop grading there, and remove our files."""
        self._executor.shutdown(wait=False)
        with contextlib.suppress(Exception):  # the cluster may be gone
            self._client.unregister_worker_plugin(self._name)

    def room(self) -> int:
        if time.monotonic() > self._looked + scheduler.LOOK_SECONDS or not self._described.empty():
            self._look()
        if not self._fit:
            time.sleep(0.1)
        return 2 * len(self._fit)  # so that each worker has its next submission ready

    def submit(self, sent: Sent) -> Future[_Reply]:
        workers = frozenset(self._fit)
        future: Future[_Reply] = self._executor.submit(
            grade_there, self._name, wire.encode(sent), workers=sorted(workers)
        )
        self._under_way[future] = workers
        return future

    def result(self, future: Future[_Reply]) -> Graded:
        del self._under_way[future]
        try:
            data, contents = future.result()
        except CancelledError as error:
            if self._client.status != "running":
                raise UserError(GONE) from error
            raise Lost(KILLED) from error
        except Exception as error:  # several workers failed on it, or it fails everywhere
            why = f"it failed: {type(error).__name__}: {_first_line(error)}"
            raise Lost(KILLED if isinstance(error, KilledWorker) else why, ATTEMPTS) from error
        if not data:
            raise Lost(KILLED, 0)
        graded = wire.decode(data, Graded)
        graded = replace(graded, folder=self._task.out / graded.name)
        if not graded.starved:
            if graded.grade is None and results.has_marks(graded.folder):
                graded = replace(graded, complaint=graded.complaint + unmarked.REMOVED)
            files.clear(graded.folder)
            # The log is written last: if it exists, so do all other files.
            for name in filter(contents.__contains__, reversed(files.ALL)):
                lasting = name == files.LOG
                files.write_bytes(graded.folder / name, contents[name], lasting=lasting)
        return graded

    def _look(self) -> None:
        self._looked = time.monotonic()
        try:
            here = self._client.nthreads().keys()
        except Exception as error:
            raise UserError(GONE) from error
        while not self._described.empty():
            self._take(**self._described.get())
        self._fit &= here
        for future, workers in list(self._under_way.items()):
            if not workers & here:  # otherwise the scheduler would wait for them forever
                future.cancel()
        if self._fit:
            self._seen = self._looked
        elif here and self._refused >= here:
            mend = "; --insecure-cluster grades where there is no 'network' layer"
            raise UserError(
                f"no worker of the cluster may grade{mend * ('network' in self._task.require)}"
            )
        elif self._looked > self._seen + WAIT_SECONDS:
            raise UserError(
                f"no worker that may grade joined within {WAIT_SECONDS} seconds; start "
                "some with `dask worker`, and run the same command again to grade the "
                "rest"
            )
        elif not here and not self._waits:
            self._note("waiting for a worker to join")
            self._waits = True

    def _take(self, worker: str, host: str, unfit: str, missing: Mapping[str, str]) -> None:
        if unfit:
            self._fit.discard(worker)
            if worker not in self._refused:
                self._note(f"not used: {host}: {unfit}")
            self._refused.add(worker)
            return
        self._fit.add(worker)
        open_to = " WITHOUT the layer 'network'" if "network" in missing else ""
        with (self._task.out / JOURNAL).open("a", encoding="utf-8") as file:
            file.write(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC {host}{open_to}\n")
        if open_to:
            self._note(f"{host}: student code has a network there and could reach the scheduler")
        gaps = supervisor.gaps(missing).keys() - {"network"}
        for layer in sorted(gaps - self._gaps):
            self._note(f"not on every worker: the layer {layer!r}")
        self._gaps |= gaps


def _bundle(task: Task) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for top in ("source", "release"):
            for path in sorted((task.root / top / task.name).rglob("*")):
                if path.is_file() and "__pycache__" not in path.parts:
                    archive.write(path, path.relative_to(task.root))
    return data.getvalue()


class Machine(WorkerPlugin):  # type: ignore[misc]  # distributed is only partly typed
    """A worker's unpacked homework, which travels as a zip, and its grader."""

    def __init__(self, name: str, bundle: bytes, task: bytes) -> None:
        self.name, self._bundle, self._task = name, bundle, task
        self._versions = versions.everything()

    async def setup(self, worker: Worker) -> None:
        """Unpack the homework in the worker's own folder, and test the sandbox."""
        self._worker = worker
        self._home = Path(tempfile.mkdtemp(prefix="homework-", dir=worker.local_directory))
        self._grader: Grader | None = None
        self._open, self._lock = contextlib.ExitStack(), threading.Lock()
        # In a thread, because registering the plugin waits for this.
        self._trying = asyncio.create_task(asyncio.to_thread(self._try_out))

    async def teardown(self, worker: Worker) -> None:
        """Stop the sandbox and remove our files, once the current submission is done."""
        wait = 0 if worker.status == Status.closing else _PATIENCE_SECONDS
        # In a thread, because the scheduler gives up on a worker that is silent for so long.
        await asyncio.to_thread(self._tidy, wait)

    def _tidy(self, seconds: float) -> None:
        held = self._lock.acquire(timeout=seconds)
        self._grader = None
        self._open.close()
        shutil.rmtree(self._home, ignore_errors=True)
        if held:
            self._lock.release()

    def _try_out(self) -> None:
        for program, version in versions.everything().items():
            if version != (theirs := self._versions.get(program)):
                return self._describe(f"it has {program} {version}; this machine has {theirs}")
        task = wire.decode(self._task, Task)
        root, out = self._home / "course", self._home / "out"
        task = replace(task, root=root, out=out, hidden=(), force=True)
        try:
            with self._lock:
                with zipfile.ZipFile(io.BytesIO(self._bundle)) as archive:
                    archive.extractall(root)
                files.make_folder(out)
                self._grader = self._open.enter_context(Grader.open(task))
                missing = self._grader.sandbox.missing
        except Exception as error:
            return self._describe(_first_line(error))
        return self._describe(missing=missing)

    def _describe(self, unfit: str = "", missing: Mapping[str, str] | None = None) -> None:
        host = socket.gethostname()  # the scheduler adds the worker's name
        said = {"host": host, "unfit": unfit, "missing": dict(missing or {})}
        self._worker.log_event(self.name, said)

    def grade(self, data: bytes) -> _Reply:
        """Grade a submission, or return nothing if this worker is closing."""
        with self._lock:
            if self._grader is None:
                return b"", {}
            try:
                graded = self._grader.grade_sent(wire.decode(data, Sent), self._home / "out")
            except SandboxFault as fault:
                self._describe(str(fault))
                return b"", {}
            contents = {path.name: path.read_bytes() for path in graded.folder.iterdir()}
            shutil.rmtree(graded.folder)
        return wire.encode(graded.brief()), contents


def grade_there(name: str, data: bytes) -> _Reply:
    """Grade a submission on this worker."""
    machine: Machine = get_worker().plugins[name]
    return machine.grade(data)


def _first_line(error: BaseException) -> str:
    said = str(error).strip()
    return said.splitlines()[0][:200] if said else type(error).__name__
