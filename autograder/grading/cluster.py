"""Many submissions on many machines: the same work, sent to a Dask cluster.

Bytes go out, the homework once to each worker and submissions in batches, and the files
of each come back as bytes: no disk is shared. What a lost worker had is done elsewhere;
what is lost again and again is tried alone, and only what takes workers with it even
then is marked as such. What lost something because others used up a machine is tried alone, too.
"""

import contextlib
import io
import logging
import queue
import time
import zipfile
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import dask
import msgspec
from distributed import Client, Future, KilledWorker
from msgspec.structs import replace

from autograder import versions
from autograder.grading import cluster_machine
from autograder.grading.grader import Graded, Task, finished, refuse, unreadable
from autograder.grading.messages import Sent
from autograder.model import Homework, UserError
from autograder.sandbox import supervisor
from autograder.store import files
from autograder.submission import discover

CONNECT_SECONDS = 15
WAIT_SECONDS = 300
# New workers are seen, and those that are gone, as often.
LOOK_SECONDS = 5
MAX_BATCH = 16
# What takes so many workers with it alone is marked, unless the scheduler gives up before.
ATTEMPTS = 3
MAX_BATCH_BYTES = 4_000_000
LOST = "It was sent to several machines, and each was lost while it was graded. Somebody has to look at it."
GONE = "the cluster is gone; the same command goes on with the rest"
KILLED = "its workers were lost, one after another"
JOURNAL = "cluster.log"


def grade(
    task: Task,
    found: Sequence[discover.Found],
    *,
    homework: Homework,
    address: str,
    require: Sequence[str],
    insecure: bool,
    note: Callable[[str], None],
) -> Generator[Graded, None, None]:
    """Grade submissions on the workers of a Dask cluster; yield each as it is done, in any order.

    Args:
        task: What to grade with.
        found: The submissions.
        homework: What they answer.
        address: The scheduler's; Dask's configuration names the certificates.
        require: Layers without which a worker gets nothing.
        insecure: Use workers, too, on which student code has a network and could reach the
            scheduler.
        note: Is told in one line what the instructor should know.

    Raises:
        UserError: there is no such cluster, or no worker of it may grade.
    """
    files.make_folder(task.out)
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
    with _connected(address) as client:
        name = f"autograder-{homework.facts_digest[:12]}-{datetime.now(UTC):%H%M%S%f}"
        values = cluster_machine.Portable(
            task.name, task.course, task.all_cells, versions.everything()
        )
        plugin = cluster_machine.Graders(name, _bundle(task), msgspec.json.encode(values), needed)
        try:
            with contextlib.suppress(
                Exception
            ):  # a worker that cannot take it fails later, with a message
                client.register_plugin(plugin)
            limit = homework.limits.notebook_bytes
            run = _Run(client, name, waiting, task.out, limit=limit, needed=needed, note=note)
            yield from run.results()
        finally:
            with contextlib.suppress(Exception):  # the cluster may be gone
                client.unregister_worker_plugin(name)


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
            f"no Dask scheduler answers at {address} ({cluster_machine.first_line(error)}); "
            "start one with `dask scheduler`"
        ) from error
    # A large notebook is no reason for a warning.
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 GB"}), client:
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


@dataclass
class _Batch:
    """Submissions that were sent, to whichever of some workers has time."""

    future: Future
    items: tuple[discover.Found, ...]
    workers: frozenset[str]
    alone: bool


class _Run:
    """Submissions on their way to workers and back.

    Args:
        client: The cluster.
        name: Of the plugin that grades.
        waiting: The submissions.
        out: The folder of results.
        limit: Bytes of a submission's file that are read.
        needed: The layers without which a worker gets nothing.
        note: Is told what the instructor should know.
    """

    def __init__(
        self,
        client: Client,
        name: str,
        waiting: Sequence[discover.Found],
        out: Path,
        *,
        limit: int,
        needed: Sequence[str],
        note: Callable[[str], None],
    ) -> None:
        self._client, self._name, self._out, self._note = client, name, out, note
        self._limit, self._needed = limit, needed
        self._waiting, self._suspects = deque(waiting), deque[discover.Found]()
        self._sent: dict[str, _Batch] = {}
        self._ended = queue.SimpleQueue[str]()
        self._threads: dict[str, int] = {}
        self._asked: dict[str, tuple[str, Future, float]] = {}
        self._losses = Counter[str]()
        self._hindered: set[str] = set()
        self._fit: set[str] = set()
        self._refused: set[str] = set()
        self._gaps: set[str] = set()
        self._looked = self._seen = float("-inf")

    def results(self) -> Iterator[Graded]:
        """Yield each submission's end."""
        self._seen = time.monotonic()
        while self._waiting or self._suspects or self._sent:
            if time.monotonic() > self._looked + LOOK_SECONDS:
                yield from self._look()
            yield from self._send()
            with contextlib.suppress(queue.Empty):
                key = self._ended.get(timeout=LOOK_SECONDS)
                if key in self._asked:
                    address, future, _ = self._asked.pop(key)
                    self._hear(address, future)
                elif key in self._sent:
                    yield from self._receive(self._sent.pop(key))

    def _look(self) -> Iterator[Graded]:
        """See which workers there are, ask those that are new, and take back what nobody has."""
        before, self._looked = self._looked, time.monotonic()
        try:
            self._threads = self._client.nthreads()
        except Exception as error:
            raise UserError(GONE) from error
        here = set(self._threads)
        for key, (address, future, since) in list(self._asked.items()):
            if address not in here or self._looked > since + WAIT_SECONDS:
                del self._asked[key]
                future.release()
                if address in here:
                    self._refuse(address, f"{address} does not describe itself")
        asked = {address for address, _, _ in self._asked.values()}
        for address in sorted(here - self._fit - self._refused - asked):
            future = self._submit(cluster_machine.describe, self._name, workers=[address])
            self._asked[future.key] = address, future, self._looked
        for key, batch in list(self._sent.items()):
            if not batch.workers & here and batch.future.status == "pending":
                del self._sent[key]
                batch.future.cancel()
                yield from self._lost(batch, KILLED)
        self._fit &= here
        if self._fit or self._asked:
            self._seen = self._looked
        elif before < 0:
            self._note("waiting for a worker to join")
        elif self._looked > self._seen + WAIT_SECONDS:
            raise UserError(
                f"no worker that may grade joined within {WAIT_SECONDS} seconds; "
                "start some with `dask worker`, and the same command goes on"
            )

    def _submit(self, function: Callable[..., object], *args: object, workers: list[str]) -> Future:
        future = self._client.submit(function, *args, workers=workers, pure=False)
        ended = self._ended
        future.add_done_callback(lambda done: ended.put(done.key))
        return future

    def _hear(self, address: str, future: Future) -> None:
        """Take a worker's description of itself."""
        if future.status != "finished":  # it is lost again, or has no autograder
            needs = "it and the scheduler need the kit, as it is here"
            self._refuse(address, f"{address} ({_why(future)}); {needs}")
        else:
            told = future.result()
            if why := cluster_machine.unfit(told, versions.everything(), self._needed):
                self._refuse(address, why)
            else:
                self._fit.add(address)
                self._write_down(told)
        left = self._fit or self._asked or self._sent
        if not left and self._refused >= set(self._threads):
            mend = "; --insecure-cluster grades where there is no 'network' layer"
            raise UserError(
                f"no worker of the cluster may grade{mend if 'network' in self._needed else ''}"
            )

    def _refuse(self, address: str, why: str) -> None:
        self._fit.discard(address)
        if address not in self._refused:
            self._note(f"not used: {why}")
        self._refused.add(address)

    def _write_down(self, told: cluster_machine.Machine) -> None:
        """Keep in the journal who graded; note what does not work there."""
        open_to = " WITHOUT the layer 'network'" if "network" in told.missing else ""
        with (self._out / JOURNAL).open("a", encoding="utf-8") as file:
            file.write(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC {told.host}{open_to}\n")
        if open_to:
            self._note(
                f"{told.host}: student code has a network there and could reach the scheduler"
            )
        gaps = set(supervisor.gaps(told.missing)) - {"network"}
        for layer in sorted(gaps - self._gaps):
            self._note(f"not on every worker: the layer {layer!r}")
        self._gaps |= gaps

    def _send(self) -> Iterator[Graded]:
        """Keep two batches ahead of each thread; yield what cannot be read."""
        threads = sum(self._threads[address] for address in self._fit)
        while threads and self._waiting and len(self._sent) < 2 * threads:
            # Large enough that sending is nothing, small enough that the last ones end together.
            most = max(1, min(MAX_BATCH, len(self._waiting) // (8 * threads)))
            batch: list[tuple[discover.Found, Sent]] = []
            while self._waiting and len(batch) < most and _size(batch) < MAX_BATCH_BYTES:
                yield from self._read(self._waiting.popleft(), batch)
            self._send_batch(batch, alone=False)
        # Nobody can tell which was lost because of which: what may be to blame goes last, one by one.
        while threads and self._suspects and not self._waiting and not self._sent:
            suspect: list[tuple[discover.Found, Sent]] = []
            yield from self._read(self._suspects.popleft(), suspect)
            self._send_batch(suspect, alone=True)

    def _read(
        self, item: discover.Found, batch: list[tuple[discover.Found, Sent]]
    ) -> Iterator[Graded]:
        try:
            sent = Sent.read(item, limit=self._limit)
            batch.append((item, replace(sent, again=item.student in self._hindered)))
        except (UserError, OSError) as error:
            yield unreadable(item, error, self._out)

    def _send_batch(self, batch: Sequence[tuple[discover.Found, Sent]], *, alone: bool) -> None:
        if batch:
            data = msgspec.msgpack.encode([sent for _, sent in batch])
            workers = sorted(self._fit)
            future = self._submit(cluster_machine.grade_batch, self._name, data, workers=workers)
            items = tuple(item for item, _ in batch)
            self._sent[future.key] = _Batch(future, items, frozenset(workers), alone)

    def _receive(self, batch: _Batch) -> Iterator[Graded]:
        if batch.future.status == "error":
            yield from self._lost(batch, _why(batch.future), for_good=True)
            return
        if batch.future.status != "finished":
            raise UserError(GONE)
        reply = batch.future.result()
        if reply.refused:
            self._refuse(reply.worker, reply.refused)
        for item, done in zip(batch.items, reply.done, strict=False):
            if done.hindered:
                self._hindered.add(item.student)
                self._suspects.append(item)
                continue
            folder = self._out / item.student
            files.clear(folder)
            # The log last: where it is, everything else is, too.
            for name in reversed(files.ALL):
                if name in done.files:
                    last = name == discover.LOG_NAME
                    files.write(folder / name, done.files[name].decode(), lasting=last)
            yield done.graded(self._out)
        self._waiting.extend(batch.items[len(reply.done) :])

    def _lost(self, batch: _Batch, why: str, *, for_good: bool = False) -> Iterator[Graded]:
        """Put a batch aside that took workers with it; mark what does so alone.

        Args:
            batch: What was sent.
            why: What happened to it.
            for_good: Whether the scheduler has tried it again already.
        """
        for item in batch.items:
            self._losses[item.student] += batch.alone
            if not batch.alone or (self._losses[item.student] < ATTEMPTS and not for_good):
                self._suspects.append(item)
                continue
            folder = self._out / item.student
            refuse(folder, LOST)
            yield Graded(item.student, folder, complaint=f"{item.place}: {why}", failed=True)


def _size(batch: Sequence[tuple[discover.Found, Sent]]) -> int:
    return sum(len(sent.data) + len(sent.log or b"") for _, sent in batch)


def _why(future: Future) -> str:
    """Say why a future has no result."""
    if future.status != "error":
        return "it was lost"
    error = future.exception()
    if isinstance(error, KilledWorker):
        return KILLED
    return f"it failed: {type(error).__name__}: {cluster_machine.first_line(error)}"
