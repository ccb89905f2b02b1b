"""cluster: what one machine gives, many give; a machine that may not grade does not, and nothing stays there."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest
from distributed import Client
from msgspec.structs import replace

from autograder.course import course
from autograder.grading import cluster, unmarked
from autograder.grading.grader import Grader, Task
from autograder.submission import discover
from tests import runs
from tests.command_line import run as run_here
from tests.helpers import ROOT, SECRET, TOY

pytestmark = [pytest.mark.slow, pytest.mark.turns(10, long=True)]

# A machine without libseccomp: the filter of system calls is not entered.
UNFILTERED = """\
from autograder.sandbox import supervisor

def less(whole):
    none = {"calls": "libseccomp is not installed"}
    return lambda **wish: whole(**wish | {"missing": {**wish["missing"], **none}})

supervisor.Confinement = less(supervisor.Confinement)
"""


class Cluster:
    """A scheduler, and workers in processes of their own.

    Args:
        folder: Below it the workers have their files.
        environment: What Dask is configured with.
        protocol: tcp or tls.
    """

    def __init__(
        self, folder: Path, environment: Mapping[str, str] | None = None, *, protocol: str = "tcp"
    ) -> None:
        self.scratch = folder / "scratch"
        self.scratch.mkdir(mode=0o711)
        self._folder, self._environment = folder, environment or {}
        self._open = ExitStack()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"{protocol}://127.0.0.1:{port}"
        place = ("--host", "127.0.0.1", "--port", str(port), "--protocol", protocol)
        self.scheduler = self._start("scheduler", *place)

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(self, *error: object) -> None:
        self._open.close()

    def worker(self, *options: str, **environment: str) -> subprocess.Popen[bytes]:
        """Start a worker with one thread."""
        place = ("--local-directory", str(self._folder / "worker"), "--host", "127.0.0.1")
        words = (self.address, "--nthreads", "1", "--no-nanny", *place, *options)
        return self._start("worker", *words, **environment)

    def _start(self, *words: str, **environment: str) -> subprocess.Popen[bytes]:
        log = self._open.enter_context((self._folder / "dask.log").open("ab"))
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *words, "--no-dashboard"],
            env=os.environ | {"TMPDIR": str(self.scratch), **self._environment, **environment},
            cwd=self._folder,  # what is imported does not depend on where we are
            stdout=log,
            stderr=log,
        )

        def end() -> None:
            process.kill()
            process.wait()

        self._open.callback(end)
        return process

    def grade(
        self, submissions: Path, out: Path, *options: str, **environment: str
    ) -> subprocess.Popen[str]:
        """Start `autograder grade` on these machines."""
        words = ("--scheduler", self.address, *options)
        return runs.start(submissions, out, *words, scratch=self.scratch, **environment)

    def left(self) -> list[Path]:
        """Return what the workers still have of a homework and of submissions."""
        scratch = (self._folder / "worker").glob("dask-scratch-space/*")
        return [path for path in scratch for path in path.glob("homework-*")]


@pytest.fixture
def folder() -> Iterator[Path]:
    with runs.temporary() as folder:
        yield folder


def test_a_lost_worker_loses_nothing(tmp_path: Path, folder: Path) -> None:
    """Three workers, one killed while it grades: everything is graded once, as on one machine.

    Afterwards no worker has a grader, or a file of a student or of the homework.
    """
    submissions, out = runs.mixed(tmp_path / "in"), tmp_path / "out"
    runs.staying(submissions)
    found, _ = discover.find([submissions])
    one = tmp_path / "one"
    settings = replace(course.read(ROOT), secret=SECRET)
    with Grader.open(Task(ROOT, "hw2_transformer", settings, one)) as grader:
        alone = list(grader.grade_all(found, one))
    with Cluster(folder) as machines:
        workers = [machines.worker() for _ in range(3)]
        run = machines.grade(submissions, out)
        (victim,) = runs.wait_until(
            lambda: runs.graders_at("submission-*/mark", machines.scratch), run
        )
        assert victim in {worker.pid for worker in workers}
        os.kill(victim, signal.SIGKILL)
        status, said, complaints = runs.ended(run)
        assert status == 2
        # A worker may join before the run or after.
        assert (
            len([line for line in complaints.splitlines() if "waiting for a worker" not in line])
            == 1
        )
        for result in alone:
            assert said.count(f"{result.name}: ") == bool(result.grade), result.name
        assert runs.results(out) == runs.results(one)
        # The killed one could not tidy up: the next worker there does.
        assert len(machines.left()) == 1
        machines.worker()
        runs.wait_until(lambda: not machines.left())
        with Client(machines.address) as client:
            held = client.run(lambda dask_worker: list(dask_worker.plugins))
        assert len(held) >= 2
        assert not [name for names in held.values() for name in names if "autograder" in name]
        _, said, _ = runs.ended(machines.grade(submissions, out))
        assert said.count("(already graded)") == len(found) - 1


def test_what_takes_workers_with_it_is_marked(tmp_path: Path, folder: Path) -> None:
    """Several at once are not blamed; one that also does it alone is marked."""
    submissions, out = runs.empties(tmp_path / "in", 2), tmp_path / "out"
    runs.staying(submissions)
    # By itself, a scheduler tries three times more.
    with Cluster(folder, {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}) as machines:
        for _ in range(3):
            machines.worker()
        run = machines.grade(submissions, out)
        killed: set[int] = set()
        for _ in range(2):
            (victim,) = runs.wait_until(
                lambda: runs.graders_at("submission-*/mark", machines.scratch) - killed, run
            )
            os.kill(victim, signal.SIGKILL)
            killed.add(victim)
        status, said, complaints = runs.ended(run)
    assert status == 1
    (line,) = complaints.splitlines()
    assert line.endswith("stays.ipynb: its workers were lost, one after another")
    assert said.count("/60 ") == 2
    assert json.loads((out / "stays" / "results.json").read_text())["score"] == 0
    assert unmarked.LOST in (out / "stays" / "results.json").read_text()


def test_who_may_not_grade_is_refused(tmp_path: Path, folder: Path) -> None:
    """No layer against the network, or another grader: a line each, and status 2 when nobody is left.

    --insecure-cluster takes the first, prints that, and keeps it in the results' folder.
    """
    submissions, out = runs.empties(tmp_path / "in", 2), tmp_path / "out"
    (folder / "unfiltered.py").write_text(UNFILTERED)
    shutil.copytree(ROOT / "autograder", folder / "other" / "autograder")
    with (folder / "other" / "autograder" / "__init__.py").open("a") as file:
        file.write("# changed\n")
    with Cluster(folder) as machines:
        machines.worker("--preload", str(folder / "unfiltered.py"))
        machines.worker(PYTHONPATH=str(folder / "other"))
        with Client(machines.address) as client:
            client.wait_for_workers(2, timeout=runs.PATIENCE_SECONDS)
        status, said, complaints = runs.ended(machines.grade(submissions, out))
        assert (status, said) == (2, "")
        lines = complaints.splitlines()
        assert len(lines) == 3, complaints
        assert sum("the layer 'network' is required" in line for line in lines[:2]) == 1, complaints
        assert sum(" has kit " in line for line in lines[:2]) == 1
        assert lines[2].startswith("autograder: no worker of the cluster may grade; --insecure")
        assert not list(out.glob("*/results.json"))
        run = machines.grade(submissions, out, "--insecure-cluster")
        status, said, complaints = runs.ended(run)
        assert status == 0
        assert said.count("/60 ") == 2
        assert complaints.count("could reach the scheduler") == 1
        assert complaints.count("has kit ") == 1
        (line,) = (out / cluster.JOURNAL).read_text().splitlines()
        assert line.endswith("WITHOUT the layer 'network'")


def test_no_scheduler_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody answers: one line, status 2."""
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1)
    words = ("grade", "toy", TOY / "release", "--out", tmp_path / "out", "--course", TOY)
    status, said, complaints = run_here(capsys, *words, "--scheduler", "tcp://127.0.0.1:9")
    assert (status, said) == (2, "")
    (line,) = complaints.splitlines()
    assert line.startswith("autograder: no Dask scheduler answers at tcp://127.0.0.1:9 (")


def test_a_run_that_is_stopped_or_loses_its_cluster_goes_on(tmp_path: Path, folder: Path) -> None:
    """Ctrl-C and the scheduler's end: one line, no grader stays, and the next run does the rest."""
    submissions, out = runs.empties(tmp_path / "in", 9), tmp_path / "out"
    with Cluster(folder) as machines:
        machines.worker()
        run = machines.grade(submissions, out)
        runs.wait_until(lambda: runs.logs(out), run)
        os.killpg(run.pid, signal.SIGINT)
        status, _, complaints = runs.ended(run)
        assert status == 130
        # The worker may have joined before the run began, or not.
        (stopped,) = [
            line for line in complaints.splitlines() if "waiting for a worker" not in line
        ]
        assert stopped.startswith("autograder: stopped: ")
        assert not machines.left()
        done = runs.logs(out)
        run = machines.grade(submissions, out)
        runs.wait_until(lambda: len(runs.logs(out)) > len(done), run)
        machines.scheduler.kill()
        status, said, complaints = runs.ended(run)
        assert status == 2
        assert said.count("(already graded)") == len(done)
        assert complaints == f"autograder: {cluster.GONE}\n"
        assert done.items() <= runs.logs(out).items()


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl makes the certificates")
def test_over_tls(tmp_path: Path, folder: Path) -> None:
    """With certificates in Dask's configuration it is the same; without them nobody gets in."""
    submissions, out = runs.empties(tmp_path / "in", 2), tmp_path / "out"
    own = {"ca-file": "ca.pem", "key": "key.pem", "cert": "cert.pem"}
    own = {name: str(folder / file) for name, file in own.items()}
    commands = (
        "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=ours -keyout ca-key.pem -out ca.pem",
        "req -newkey rsa:2048 -nodes -subj /CN=grading -keyout key.pem -out asked.pem",
        "x509 -req -days 2 -in asked.pem -CA ca.pem -CAkey ca-key.pem -CAcreateserial -out cert.pem",
    )
    for command in commands:
        subprocess.run(["openssl", *command.split()], cwd=folder, capture_output=True, check=True)
    both = {name: own[name] for name in ("key", "cert")}
    tls = {"ca-file": own["ca-file"], "scheduler": both, "worker": both, "client": both}
    (folder / "dask").mkdir()
    comm = {"require-encryption": True, "tls": tls}
    # JSON is YAML as well.
    (folder / "dask" / "tls.yaml").write_text(json.dumps({"distributed": {"comm": comm}}))
    with Cluster(folder, {"DASK_CONFIG": str(folder / "dask")}, protocol="tls") as machines:
        machines.worker()
        run = machines.grade(submissions, out, DASK_CONFIG=str(folder / "dask"))
        status, said, complaints = runs.ended(run)
        assert (status, complaints) == (0, "")
        assert said.count("/60 ") == 2
        assert set(runs.marks(out / "student_000").values()) == {0}
        run = machines.grade(submissions, tmp_path / "other")
        status, said, complaints = runs.ended(run)
        assert (status, said) == (2, "")
        assert complaints.count("\n") == 1
