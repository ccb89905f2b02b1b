"""accounting: what a submission uses is measured on what is its own, and others' is never counted."""

import contextlib
import os
import sys
import time
from pathlib import Path

import pytest

from autograder.sandbox import accounting
from autograder.sandbox.run import RunEnded
from autograder.sandbox.supervisor import Sandbox
from tests.redteam.machine import busy
from tests.security.jobs import SOON, job, until_ready

pytestmark = [
    pytest.mark.slow,
    pytest.mark.turns(5),
    pytest.mark.skipif(sys.platform != "linux", reason="other systems say less of a process"),
]
SPIN = "while True: pass"
FORKED = f"""
import os
for _ in range(%d):
    if os.fork() == 0:
        os.setsid()
        {SPIN}
import time; time.sleep(60)
"""


def why(own: Sandbox, *cells: str, **limits: object) -> str:
    """Return why a run ended, "" where it came to its end."""
    try:
        with own.run(job(*cells) | limits) as run:
            until_ready(run)
    except RunEnded as ended:
        return ended.why or str(ended)
    return ""


def test_time_is_the_processors_of_the_whole_tree(sandbox: Sandbox) -> None:
    """Children count, living or ended; a busy machine does not."""
    cell = (
        "import os, time\n"
        "for _ in range(2):\n"
        "    child = os.fork()\n"
        "    if not child:\n"
        "        until = time.process_time() + 1\n"
        "        while time.process_time() < until: pass\n"
        "        os._exit(0)\n"
        "    os.waitpid(child, 0)\n"
    )
    with busy(4), sandbox.run(job(cell, "1")) as run:
        until_ready(run)
        assert 1.9 < run.clock() < 3


def test_orphans_that_ended_are_counted(sandbox: Sandbox) -> None:
    """Nobody waits for them but our worker, which no student code can reach."""
    cell = (
        "import os, time\n"
        "reader, writer = os.pipe()\n"
        "if os.fork() == 0:\n"
        "    if os.fork() == 0:\n"
        "        while time.process_time() < 1.5: pass\n"
        "        os.write(writer, b'.')\n"
        "    os._exit(0)\n"
        "os.read(reader, 1)\n"
        "time.sleep(0.1)\n"
    )
    with sandbox.run(job(cell, "1")) as run:
        until_ready(run)
        assert run.clock() > 1.5


def test_when_a_platforms_time_is_over_a_run_ends() -> None:
    """Whatever it has used: what sleeps is not waited for then."""
    with Sandbox() as own:
        assert own.layers
        own.until = time.monotonic() + 2
        with own.run(job("import time; time.sleep(600)")) as run:
            run.receive(deadline=SOON)
            started = run.clock()
            with pytest.raises(RunEnded, match="timed out"):
                run.receive(deadline=started + 1000)
            assert time.monotonic() - own.until < 10
            assert run.clock() - started > 1000  # nothing is left for another run


def test_what_sleeps_ends_too(sandbox: Sandbox) -> None:
    """A part of the time on the wall counts, and others are not to blame."""
    with busy(4), sandbox.run(job("import time; time.sleep(600)")) as run:
        run.receive(deadline=SOON)
        with pytest.raises(RunEnded, match="timed out"):
            run.receive(deadline=run.clock() + 0.5)
    assert not run.starved


def test_many_busy_processes_end_their_own_run(sandbox: Sandbox) -> None:
    """60 children in sessions of their own take the processors from everybody beside them."""
    assert "busy at a time" in why(sandbox, FORKED % 60)


HOLD = """\
import mmap, os, time
def hold():
    held = mmap.mmap(-1, 300_000_000)
    if os.fork() == 0:
        held.write(bytes(300_000_000))
        os._exit(0)
    os.wait()
    return held
"""


def test_shared_memory_is_counted_when_the_one_that_filled_it_has_ended(sandbox: Sandbox) -> None:
    """It is there as long as somebody has it mapped."""
    if "accounts" not in sandbox.layers:
        pytest.skip("the layer accounts does not work here")
    twice = HOLD + "if os.fork(): time.sleep(1)\nheld = hold()\ntime.sleep(60)"
    assert "memory" in why(sandbox, twice, memory_bytes=500_000_000)


def test_shared_memory_is_counted_once(sandbox: Sandbox) -> None:
    """However many have it mapped."""
    once = HOLD + "held = hold()\nfor _ in range(3): os.fork() or time.sleep(60)\ntime.sleep(2)"
    assert why(sandbox, once, memory_bytes=500_000_000) == ""


def test_private_pages_that_forks_share_are_counted_once(sandbox: Sandbox) -> None:
    """An array of the notebook does not cost a question evaluated in a fork."""
    cell = (
        "import numpy as np, os, time\n"
        "kept = np.ones(40_000_000)\n"
        "for _ in range(3):\n"
        "    if os.fork() == 0:\n"
        "        time.sleep(2)\n"
        "        os._exit(0)\n"
        "time.sleep(2)\n"
    )
    assert why(sandbox, cell, memory_bytes=700_000_000) == ""
    copied = cell.replace("time.sleep(2)\n        os", "kept += 1; time.sleep(60)\n        os")
    assert "memory" in why(sandbox, copied + "time.sleep(60)", memory_bytes=700_000_000)


def test_where_the_kernel_says_less_only_what_is_certain_counts(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container, where no process may look into another user's."""

    def refused(pid: int) -> tuple[int, int]:
        raise PermissionError

    monkeypatch.setattr(accounting, "_anonymous", refused)
    test_private_pages_that_forks_share_are_counted_once(sandbox)


WRITES = """
import os
def write(name, megabytes):
    with open(name, "wb") as file:
        file.write(bytes(megabytes * 10**6))
"""


def test_a_folder_of_its_own_is_measured(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """In any depth; removed files that it keeps open or mapped count as well."""
    monkeypatch.setattr(accounting, "MAX_DISK", 200_000_000)
    monkeypatch.setattr(accounting, "_COUNT_SECONDS", 0.0)
    tree = WRITES + "os.makedirs('a/b/c')\nfor n in range(5): write(f'a/b/c/{n}', 50)\n"
    removed = WRITES + (
        "kept = []\n"
        "for n in range(5):\n"
        "    write('x', 50); kept.append(open('x')); os.remove('x')\n"
    )
    mapped = WRITES + (
        "import mmap\n"
        "kept = []\n"
        "for n in range(5):\n"
        "    write('x', 50)\n"
        "    with open('x', 'r+b') as file:\n"
        "        kept.append(mmap.mmap(file.fileno(), 4096))\n"
        "        os.close(file.fileno() + 1)  # its own\n"
        "    os.remove('x')\n"
    )
    wait = "import time; time.sleep(60)"
    assert "GB" in why(sandbox, tree + wait)
    if os.geteuid() == 0:  # an ordinary user may not look at what is open
        assert "GB" in why(sandbox, removed + wait)
        assert "GB" in why(sandbox, mapped + wait)
    few = WRITES + "for n in range(3): write(f'{n}', 50)\nimport time; time.sleep(2)"
    assert why(sandbox, few) == ""


def test_a_file_directly_in_a_shared_folder_counts(tmp_path: Path) -> None:
    """Without layers, a submission may write to /dev/shm, which is memory that no limit sees."""
    beside = tmp_path / "beside"
    beside.write_bytes(b"x" * 100_000)
    found = accounting.disk([tmp_path / "gone", beside], ())
    assert (found.files, found.size >= 100_000, found.closed) == (1, True, "")


def test_names_of_any_bytes_are_read(sandbox: Sandbox) -> None:
    """A process may call itself what it likes, and its files as well."""
    cell = (
        "import ctypes, os, time\n"
        "ctypes.CDLL(None).prctl(15, b'\\xff) R 1 (\\n')\n"
        "os.mkdir(b'\\xff\\n'); open(b'\\xff\\n/\\xfe', 'w').close()\n"
        "time.sleep(1)\n"
    )
    with sandbox.run(job(cell, "1")) as run:
        until_ready(run)
        assert accounting.disk([run.directory], sandbox.pids()).files >= 2
        assert 0 < run.clock() < 5


def test_many_files_and_deep_folders_are_refused(sandbox: Sandbox) -> None:
    """To count them would take as long as to write them."""
    many = "import time\nfor n in range(21_000): open(str(n), 'w').close()\ntime.sleep(60)"
    assert "files" in why(sandbox, many)
    names = "import os, time\nfor n in range(40): os.mkdir('d' * 200); os.chdir('d' * 200)\n"
    assert "cannot be counted" in why(sandbox, names + "time.sleep(60)")


def test_space_that_others_take_is_not_blamed_on_it(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the amount, a submission is told that the disk was full only if it was."""
    free = iter([100 * 10**9, *[20 * 10**9] * 100])

    class Space:
        @property
        def free(self) -> int:
            return next(free)

    monkeypatch.setattr("shutil.disk_usage", lambda path: Space())
    assert why(sandbox, "import time; time.sleep(2)") == ""


def test_a_full_disk_is_nobodys_fault(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run ends and tells that it was starved."""
    left = [100 * 10**9]

    class Space:
        free = property(lambda self: left[0])

    monkeypatch.setattr("shutil.disk_usage", lambda path: Space())
    with sandbox.run(job("import time; time.sleep(60)")) as run:
        run.receive(deadline=SOON)
        left[0] = 10**6
        with pytest.raises(RunEnded, match=accounting.DISK_FULL):
            until_ready(run)
    assert run.starved
    assert sandbox.starved


def test_whether_all_is_seen_is_reported_as_it_is(sandbox: Sandbox) -> None:
    """With the layer `accounts`, a submission's open files are visible."""
    with sandbox.run(job("open('x', 'w')", "import time; time.sleep(60)")) as run:
        run.receive(deadline=SOON)
        seen = False
        for pid in sandbox.pids():
            with contextlib.suppress(PermissionError):
                seen = bool(os.listdir(f"/proc/{pid}/fd"))  # noqa: PTH208
    assert seen is ("accounts" in sandbox.layers)


def test_space_is_taken_by_writing_alone(sandbox: Sandbox) -> None:
    """`fallocate` is refused, so libc writes; a file has at most 64 MB."""
    cell = (
        "import os, time\n"
        "file = open('x', 'wb')\n"
        "os.posix_fallocate(file.fileno(), 0, 1_000_000)\n"
        "assert os.stat('x').st_size == 1_000_000\n"
        "import ctypes\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "assert libc.fallocate(file.fileno(), 0, ctypes.c_long(0), ctypes.c_long(4096)) == -1\n"
    )
    with sandbox.run(job(cell, "1")) as run:
        said = until_ready(run)
    assert [message["error"] for message in said if "error" in message] == [None, None]


def test_grading_goes_before_what_is_graded(sandbox: Sandbox) -> None:
    """A submission is nicer than its grader."""
    with sandbox.run(job("import os; print(os.getpriority(os.PRIO_PROCESS, 0))")) as run:
        said = str(until_ready(run))
    assert f"'text': '{min(19, os.nice(0) + 5)}" in said
