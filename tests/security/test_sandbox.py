"""sandbox: the untrusted process tree starts, is replaced when it dies, and ends."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, replace
from pathlib import Path

import psutil
import pytest

from autograder.records.errors import UserError
from autograder.records.homework import Homework
from autograder.sandbox.inside.layers import Confinement
from autograder.sandbox.run import MAX_LINE, RunEnded
from autograder.sandbox.supervisor import Sandbox
from tests.security.jobs import SOON, job, until_ready

pytestmark = pytest.mark.slow


def test_a_run_ends_with_ready(sandbox: Sandbox) -> None:
    """Two messages a cell, then ready."""
    with sandbox.run(job("1 + 1")) as run:
        kinds = [next(iter(run.receive(deadline=SOON))) for _ in range(3)]
    assert kinds == ["started", "finished", "ready"]


def test_adapters_that_fail_are_named(toy: Homework) -> None:
    """The instructor's mistake is one line with its place, not a worker that did not start."""
    with Sandbox() as sandbox:
        sandbox.expect(replace(toy, adapters="import math\n\nimport nothing_here\n"))
        with pytest.raises(UserError, match=r"staff/adapters\.py: line 3: ModuleNotFoundError"):
            _ = sandbox.layers


def test_what_tried_the_layers_out_is_gone_when_the_worker_is_ready(tmp_path: Path) -> None:
    """Whatever is there by then counts as the sandbox's own, for all its runs."""
    confinement = Confinement(uid=None, hidden=(), missing={})
    (tmp_path / "trial").mkdir()
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-m", "tests.security.leaving"]
    with theirs, subprocess.Popen(command, stdin=theirs.fileno()) as process, ours:
        wish = {"confinement": asdict(confinement), "trial": str(tmp_path / "trial")}
        ours.sendall(json.dumps(wish).encode() + b"\n")
        with ours.makefile() as lines:
            assert "uid" in json.loads(lines.readline())
        assert psutil.Process(process.pid).children(recursive=True) == []


def test_a_deadline_is_kept(sandbox: Sandbox) -> None:
    """Waiting for a sleeping cell ends some time after the deadline, with that reason."""
    with sandbox.run(job("import time; time.sleep(60)")) as run:
        run.receive(deadline=SOON)
        before = time.monotonic()
        with pytest.raises(RunEnded) as ended:
            run.receive(deadline=run.clock() + 0.5)
    assert ended.value.timed_out
    assert time.monotonic() - before < 3


def test_a_dead_process_is_noticed_at_once(sandbox: Sandbox) -> None:
    """The end of the process is not mistaken for a deadline."""
    with sandbox.run(job("import os; os._exit(1)")) as run:
        run.receive(deadline=SOON)
        with pytest.raises(RunEnded) as ended:
            run.receive(deadline=SOON)
    assert not ended.value.timed_out


@pytest.mark.parametrize(
    "text", ["b'nonsense\\n'", "b'[1]\\n'", "b'{\"a\": NaN}\\n'", f"b'x' * {MAX_LINE + 2_000_000}"]
)
def test_what_does_not_speak_the_protocol_ends_the_run(sandbox: Sandbox, text: str) -> None:
    """Student code that writes into the channel itself gains nothing but the end."""
    shouting = (
        "import os\n"
        "for fd in range(3, 100):\n"
        "    try:\n"
        f"        os.write(fd, {text})\n"
        "    except OSError:\n"
        "        pass\n"
    )
    with sandbox.run(job(shouting, "1")) as run, pytest.raises(RunEnded):
        until_ready(run)


def test_a_dead_worker_is_replaced() -> None:
    """When the warm process is killed, the next submission gets a new one."""
    there = set(psutil.Process().children())
    with Sandbox() as own:
        with own.run(job("1")) as run:
            run.receive(deadline=SOON)
        (worker,) = set(psutil.Process().children()) - there
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait(10)
        with own.run(job("1")) as run:
            assert run.receive(deadline=SOON) == {"started": 0}


def test_what_a_killed_grader_left_is_removed() -> None:
    """Folders of graders that are gone go; those of living ones, and of other machines, stay."""
    me, temporary = f"{os.getpid()}-", Path(tempfile.gettempdir())
    with Sandbox():
        ours = next(temporary.glob(f"sandbox-*-{me}*")).name.partition(me)[0]
    gone = Path(tempfile.mkdtemp(prefix=f"{ours}999999999-"))
    alive = Path(tempfile.mkdtemp(prefix=f"{ours}{me}"))
    elsewhere = Path(tempfile.mkdtemp(prefix="sandbox-elsewhere-999999999-"))
    try:
        with Sandbox():
            assert not gone.exists()
            assert alive.exists()
            assert elsewhere.exists()
    finally:
        alive.rmdir()
        elsewhere.rmdir()


def test_a_worker_is_replaced_after_some_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it may have gathered goes with it; a layer that is lost on the way is not a layer."""
    monkeypatch.setattr("autograder.sandbox.supervisor.MAX_RUNS", 2)

    there = set(psutil.Process().children())

    def worker(own: Sandbox) -> psutil.Process:
        with own.run(job("1 + 1")) as run:
            until_ready(run)
        (one,) = set(psutil.Process().children()) - there
        return one

    with Sandbox() as own:
        first, again, other = (worker(own) for _ in range(3))
        assert first == again != other
        held = own.layers
        monkeypatch.setattr("shutil.which", lambda name: None)
        worker(own)
        if "namespaces" in held:
            with pytest.raises(RuntimeError, match="'namespaces' worked at first"):
                worker(own)


def test_an_optimizer_imports_no_compiler_and_who_wants_it_gets_it() -> None:
    """It takes two seconds and 70 MB, and nothing is compiled here; its steps are the same without."""
    trains = (
        "import sys, torch\n"
        "weight = torch.ones(1, requires_grad=True)\n"
        "optimizer = torch.optim.SGD([weight], lr=0.5)\n"
        "weight.sum().backward()\n"
        "optimizer.step()\n"
        "print(weight.item(), 'torch._dynamo.config' in sys.modules)"
    )
    wants = "import torch._dynamo.config\ntorch._dynamo.reset()\n" + trains
    for source, said in ((trains, "0.5 False"), (wants, "0.5 True")):
        with Sandbox() as own:
            own.launch(("torch",))
            with own.run(job(source)) as run:
                assert said in str(until_ready(run))


def test_runs_share_no_memory_with_the_worker() -> None:
    """What one submission leaves there, the next one would find."""
    look = "import gc, mmap; gc.unfreeze()\n"
    look += "print('found', [item for item in gc.get_objects() if type(item) is mmap.mmap])\n"
    look += "mine = mmap.mmap(-1, 1)\n"
    look += "print('made', len([item for item in gc.get_objects() if type(item) is mmap.mmap]))"
    with Sandbox() as own:
        for _ in range(3):
            with own.run(job(look)) as run:
                said = str(until_ready(run))
            assert "found []" in said
            assert "made 1" in said  # those that there are would be found
