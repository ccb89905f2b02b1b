"""layers: each one counts because what it forbids was tried, and each tells why where it does not."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from autograder.records.errors import UserError
from autograder.records.homework import Homework
from autograder.sandbox import supervisor
from autograder.sandbox.inside import layers
from autograder.sandbox.run import RunEnded
from autograder.sandbox.supervisor import Sandbox
from tests.security.jobs import SOON, job, until_ready

pytestmark = pytest.mark.slow
linux = pytest.mark.skipif(sys.platform != "linux", reason="these layers are Linux's")


def answer(sandbox: Sandbox, expression: str) -> str:
    """Return what an expression prints in a sandbox."""
    source = f"import os, socket, ctypes\nprint({expression})"
    with sandbox.run(job(source)) as run:
        while "outputs" not in (message := run.receive(deadline=SOON)):
            pass
    assert message["error"] is None, message["error"]
    return "".join(output["text"] for output in message["outputs"]).strip()


def refused(sandbox: Sandbox, expression: str) -> bool:
    """Return whether an expression raises OSError in a sandbox."""
    source = f"import os, socket, ctypes\ntry:\n    {expression}\nexcept OSError:\n    print('no')"
    with sandbox.run(job(source)) as run:
        while "outputs" not in (message := run.receive(deadline=SOON)):
            pass
    return bool(message["outputs"]) and message["error"] is None


def test_what_is_reported_is_what_holds(sandbox: Sandbox, course: Path) -> None:
    """Every layer is either reported as working or missing with a reason."""
    assert set(sandbox.layers) | set(sandbox.missing) == set(layers.LAYERS)
    assert not set(sandbox.layers) & set(sandbox.missing)
    assert all(sandbox.missing.values())


@linux
@pytest.mark.parametrize(
    "attempt",
    [
        "socket.socket()",
        "os.kill(os.getppid(), 0)",
        "open('/proc/1/environ').read()",
        "open('/etc/shadow').read()",
        "open('../outside', 'w')",
        "os.listdir('..')",
        "os.setuid(0) if os.getuid() else (_ for _ in ()).throw(OSError())",
        "os.mkdir('/proc/self/x')",
        "os.chown('.', 0, 0)",
        "os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)",
        "os.sched_setscheduler(os.getppid(), os.SCHED_IDLE, os.sched_param(0))",
        "os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))",
        "os.sched_setaffinity(os.getppid(), {0})",
        "__import__('fcntl').fcntl(os.open(os.__file__, 0), 1024, 0)",
        "assert ctypes.CDLL(None).klogctl(10, None, 0) >= 0 or os.stat('/no such')",
        "assert ctypes.CDLL(None).syscall(452, -100, b'../witness.txt', 0o666, 0) == 0 or os.stat('/no')",
    ],
)
def test_what_is_forbidden_is_refused(sandbox: Sandbox, attempt: str) -> None:
    """From inside, with whatever layers this machine has."""
    assert refused(sandbox, attempt)


@linux
def test_modes_and_times_outside_stay(sandbox: Sandbox) -> None:
    """A call that an owner may make is refused, or does nothing, and it works on files of its own."""
    outside = "'../witness.txt'"
    looks = f"[(s.st_mode, s.st_mtime) for s in [os.stat({outside})]]"
    tries = (
        f"[f() for f in (lambda: os.chmod({outside}, 0o666), lambda: os.utime({outside}, (1, 1)))]"
    )
    source = (
        f"import os\nbefore = {looks}\ntry:\n    {tries}\nexcept OSError:\n    pass\n"
        f"open('own', 'w').close(); os.chmod('own', 0o640); os.utime('own', (1, 1))\n"
        f"print(before == {looks})"
    )
    with sandbox.run(job(source)) as run:
        assert "True" in str(until_ready(run))


@linux
def test_a_strict_umask_changes_nothing(sandbox: Sandbox) -> None:
    """Hardened hosts have 077: the layers are the same, and so is what is shown to all."""
    mask = os.umask(0o077)
    try:
        with Sandbox() as own:
            assert own.layers == sandbox.layers
            mode = "oct(os.stat('../witness.txt').st_mode & 0o777)"
            assert answer(own, mode) == "0o644"
    finally:
        os.umask(mask)


@linux
@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user has none")
def test_no_capability_of_root_is_left(sandbox: Sandbox) -> None:
    """Neither in effect, nor permitted, inherited or ambient."""
    lines = "[line for line in open('/proc/self/status') if line.startswith('Cap')]"
    with sandbox.run(job(f"print({lines})")) as run:
        said = str(until_ready(run))
    for kind in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
        assert f"{kind}:\\\\t0000000000000000" in said


@linux
def test_limits_and_privileges_are_set(sandbox: Sandbox) -> None:
    """No core files, a bounded file size, its own session, no groups, nothing to gain."""
    limits = "[__import__('resource').getrlimit(n)[1] for n in (4, 1)]"
    assert answer(sandbox, limits) == "[0, 64000000]"
    assert (
        answer(sandbox, "os.getsid(0) == os.getpid(), ctypes.CDLL(None).prctl(39, 0, 0, 0, 0)")
        == "True 1"
    )
    if os.geteuid() == 0:
        assert int(answer(sandbox, "os.getuid()")) in range(50_000, 60_000)
        assert answer(sandbox, "os.getgroups()") == "[]"


def test_the_environment_is_clean(sandbox: Sandbox) -> None:
    """It has what we set and what a kernel sets, and nothing of ours."""
    kept = "PATH LANG LC_ALL TZ PWD"
    ours = "USER LOGNAME HOME TMPDIR MPLCONFIGDIR IPYTHONDIR MPLBACKEND OMP_NUM_THREADS MKL_NUM_THREADS"
    python = "PYTHONHASHSEED OBJC_DISABLE_INITIALIZE_FORK_SAFETY PYDEVD_DISABLE_FILE_VALIDATION"
    kernel = "CLICOLOR CLICOLOR_FORCE FORCE_COLOR GIT_PAGER PAGER TERM JPY_PARENT_PID"
    torch = "KMP_INIT_AT_FORK KMP_DUPLICATE_LIB_OK PYDEVD_USE_FRAME_EVAL TORCHINDUCTOR_CACHE_DIR"
    known = " ".join((kept, ours, python, kernel, torch)).split()
    assert set(answer(sandbox, "' '.join(os.environ)").split()) <= set(known)


def test_a_missing_layer_can_be_required() -> None:
    """Grading is refused, with the reason; so is a layer that nobody knows."""
    with Sandbox(without=["namespaces"]) as own:
        supervisor.require(["session", "environment"], own.missing)
        with pytest.raises(UserError, match="'namespaces' is required but does not work here"):
            supervisor.require(["namespaces"], own.missing)
        with pytest.raises(UserError, match="no layer 'firewall'"):
            supervisor.require(["firewall"], own.missing)


@linux
def test_what_can_be_read_is_reported(course: Path) -> None:
    """A file that student code could open takes `view` away, and names which file."""
    with Sandbox(hidden=[Path("/usr/bin/env")]) as own:
        assert "/usr/bin/env can be read" in own.missing["view"]
        assert "view" in supervisor.gaps(own.missing)
    with Sandbox(hidden=[course / "course.toml"]) as own:
        supervisor.require(["session"], own.missing)
        assert "view" not in own.missing or "install bubblewrap" in own.missing["view"]


@linux
def test_a_homework_takes_no_hidden_file_away(toy: Homework) -> None:
    """What was hidden before the sandbox is told its homework is still looked at."""
    with Sandbox(hidden=[Path("/usr/bin/env")]) as own:
        own.expect(toy)
        assert "/usr/bin/env can be read" in own.missing["view"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be refused")
@pytest.mark.parametrize("open_too", [(), ("landlock", "namespaces")])
def test_student_code_never_runs_as_root(open_too: tuple[str, ...]) -> None:
    """Whatever else holds: root without a user for student code grades nothing."""
    with (
        Sandbox(without=["user", *open_too]) as own,
        pytest.raises(UserError, match=r"student code would run as root: .* as an ordinary user"),
    ):
        supervisor.require(["session"], own.missing)


def test_memory_is_watched_over_the_whole_tree() -> None:
    """Many processes that each stay below the limit are ended when they pass it together."""
    greedy = (
        "import os, time\n"
        "for _ in range(5):\n"
        "    if os.fork() == 0:\n"
        "        kept = b'x' * 150_000_000\n"
        "        time.sleep(60)\n"
        "time.sleep(60)"
    )
    with Sandbox() as own:
        limited = job(greedy) | {"memory_bytes": 400_000_000}
        with own.run(limited) as run, pytest.raises(RunEnded) as ended:
            until_ready(run)
    assert "memory" in ended.value.why


def test_the_next_submission_finds_nothing(sandbox: Sandbox) -> None:
    """Files, modules and patches of one submission are gone for the next."""
    with sandbox.run(job("import numpy; numpy.ones = None; open('left', 'w').write('x')")) as run:
        until_ready(run)
    found = answer(sandbox, "'left' in os.listdir(), __import__('numpy').ones is None")
    assert found == "False False"


def test_a_killed_grader_leaves_no_process() -> None:
    """Kill -9 of the supervisor ends the worker and the submission as well."""
    script = (
        "import time\n"
        "from autograder.sandbox.supervisor import Sandbox\n"
        "from tests.security.jobs import SOON, job\n"
        "with Sandbox() as own, own.run(job('import time; time.sleep(600)  # left-by-a-killed-grader')) as run:\n"
        "    run.receive(deadline=SOON)\n"
        "    print('running', flush=True)\n"
        "    time.sleep(600)\n"
    )
    grader = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert grader.stdout is not None
    assert grader.stdout.readline() == "running\n"
    import psutil

    below = psutil.Process(grader.pid).children(recursive=True)
    assert len(below) >= 2
    grader.kill()
    grader.wait()
    grader.stdout.close()
    _, alive = psutil.wait_procs(below, timeout=15)
    assert not alive


def test_the_worker_starts_in_seconds(sandbox: Sandbox) -> None:
    """A second submission does not wait for torch."""
    assert sandbox.layers
    started = time.monotonic()
    with sandbox.run(job("1 + 1")) as run:
        until_ready(run)
    assert time.monotonic() - started < 10
