"""Gradescope's treatment of a zip and a submission, simulated on this machine.

It does what is known of Gradescope's harness: fresh folders, scripts through dos2unix, a start as
root, a time limit after which it overwrites results.json, cut fields, and refused JSON.
"""

import contextlib
import hashlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.platforms.gradescope.platform import DEFAULT_SECONDS, Places
from autograder.platforms.gradescope.run import REQUIRED
from autograder.records.errors import UserError
from autograder.reports.results_json import text
from autograder.sandbox import supervisor
from autograder.sandbox.supervisor import Sandbox

BUILD_SECONDS = 3600.0
LAST_LINES = 15
FIELD = 100_000
# Variables that point programs in the image to this machine's sources of packages.
_TOLD = ("PIP_", "TORCH_INDEX", "SSL_CERT", "REQUESTS_CA_BUNDLE")
_PROXIES = ("http_proxy", "https_proxy", "no_proxy")
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# The script runs in separate namespaces, so no mounts or processes are left behind.
_ENTER = """\
root=$1; shift
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
for place in $MOUNTS; do mkdir -p "$root$place"; mount --rbind "$place" "$root$place"; done
exec chroot "$root" sh -c 'cd /autograder && exec "$@"' sh "$@"
"""


class BuildFailed(UserError):
    """An error in setup.sh, so no image is built; `last` is the end of its output."""

    def __init__(self, said: str, log: Path) -> None:
        super().__init__(f"setup.sh failed, so no image is built; its output is in {log}")
        self.last = "\n".join(said.rstrip().splitlines()[-LAST_LINES:])


@dataclass(frozen=True)
class Shown:
    """The outcome of a submission.

    Args:
        page: The results.json that the platform keeps.
        said: The scripts' output, which staff see.
        complaint: The platform's complaint, or "".

    """

    page: Mapping[str, Any]
    said: str
    complaint: str = ""

    @property
    def score(self) -> float | None:
        """Return the total that a student sees: none while a test is hidden."""
        hidden = any(test.get("visibility") == "hidden" for test in self.tests_of_staff)
        return None if hidden else self.total

    @property
    def total(self) -> float:
        """Return the score, or else the sum of the tests' scores."""
        tests = sum(float(test.get("score", 0.0)) for test in self.tests_of_staff)
        return float(self.page.get("score", tests))

    @property
    def tests_of_staff(self) -> list[dict[str, Any]]:
        """Return all tests."""
        return list(self.page.get("tests", []))

    @property
    def tests(self) -> list[dict[str, Any]]:
        """Return the tests that a student sees before the due date."""
        return [t for t in self.tests_of_staff if t.get("visibility", "visible") == "visible"]

    def lines(self) -> Iterator[str]:
        """Yield the page as a student reads it, without markup."""
        yield "score: " + ("not shown" if self.score is None else f"{self.score:g}")
        yield from text(str(self.page.get("output", ""))).splitlines()
        for test in self.tests:
            points = ""
            if "score" in test:
                points = f" {test['score']:g}/{test.get('max_score', 0):g} {test.get('status', '')}"
            yield f"{test.get('name', 'test')}{points}"
            yield from (f"    {line}" for line in text(str(test.get("output", ""))).splitlines())


def look_first(archive: Path) -> None:
    """Raise UserError if this machine cannot grade with our zip, before a build that takes minutes."""
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as packed:
            ours = "autograder/platforms/gradescope/run.py" in packed.namelist()
        if ours:
            with Sandbox() as sandbox:
                supervisor.require(REQUIRED, sandbox.missing)


@contextlib.contextmanager
def platform(image: Path | None, *, whole: bool = False) -> Iterator["SimulatedPlatform"]:
    """Open a platform in a given or temporary folder."""
    if whole and (image is None or not (image / "usr").is_dir() or os.geteuid() != 0):
        raise UserError("--whole needs root, and --image FOLDER with a Linux system in it")
    with contextlib.ExitStack() as stack:
        if image is None:
            image = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gradescope-")))
        try:
            image.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"{image} cannot be created ({error.strerror})") from error
        image.chmod(image.stat().st_mode | 0o011)  # student code needs them to reach its Python
        yield SimulatedPlatform(image.resolve(), whole=whole)


@dataclass(frozen=True)
class SimulatedPlatform:
    """An image and its containers, below a folder.

    Args:
        home: The folder. With `whole`, it is a complete Linux system, entered as root; otherwise it
            only stands for one, and the programs are this machine's.
        whole: Whether it is a complete system.
        mounts: Folders of this machine that are visible inside.
        around: A command to put before every other.

    """

    home: Path
    whole: bool = False
    mounts: Sequence[Path] = ()
    around: Sequence[str] = ()

    @property
    def places(self) -> Places:
        """Return the platform's paths as seen by this machine."""
        return Places(self.home / "autograder")

    def build(self, archive: Path) -> str:
        """Build the image from a zip, and return the output.

        Raises:
            UserError: it is not a zip.
            BuildFailed: setup.sh failed.

        """
        places = self.places
        _wipe(places.source)
        try:
            with zipfile.ZipFile(archive) as packed:
                packed.extractall(places.source)
        except (zipfile.BadZipFile, OSError) as error:
            raise UserError(f"{archive}: this zip cannot be unpacked ({error})") from error
        for name in ("setup.sh", "run_autograder"):
            if not (places.source / name).is_file():
                raise UserError(
                    f"{archive}: {name} is not at its top level, where the platform expects it"
                )
            self._place(places.source / name, places.source / name)
        status, said = self._start("source/setup.sh", BUILD_SECONDS, {})
        if status != 0:
            with tempfile.NamedTemporaryFile(  # the image's folder may be temporary
                "w", prefix="setup-", suffix=".log", delete=False, encoding="utf-8"
            ) as log:
                log.write(said)
            raise BuildFailed(said, Path(log.name))
        return said

    def build_once(self, archive: Path) -> str:
        """Build the image unless it was built from this zip; return the output."""
        digest = hashlib.sha256(archive.read_bytes()).hexdigest()
        mark = self.home / "built"
        if mark.is_file() and mark.read_text() == digest:
            return ""
        mark.unlink(missing_ok=True)
        said = self.build(archive)
        mark.write_text(digest)
        return said

    def submit(
        self,
        submission: Path,
        metadata: object = None,
        *,
        seconds: float = DEFAULT_SECONDS,
        environment: Mapping[str, str] | None = None,
    ) -> Shown:
        """Grade a submission as the platform does.

        Args:
            submission: A file, or a folder whose files were submitted.
            metadata: The contents or text of submission_metadata.json; None for no file.
            seconds: The time limit of the platform.
            environment: Additional environment variables.

        """
        places = self.places
        for place in (places.submission, places.results):
            _wipe(place)
        if submission.is_dir():
            shutil.copytree(submission, places.submission, dirs_exist_ok=True, symlinks=True)
        else:
            shutil.copy(submission, places.submission)
        places.metadata.unlink(missing_ok=True)
        if metadata is not None:
            text = metadata if isinstance(metadata, str) else json.dumps(metadata)
            places.metadata.write_text(text, encoding="utf-8")
        self._place(places.source / "run_autograder", places.root / "run_autograder")
        variables = {"TIMEOUT_SECONDS": f"{seconds:g}"} | dict(environment or {})
        status, said = self._start("run_autograder", seconds, variables)
        (places.results / "stdout").write_text(said, encoding="utf-8")
        if status is None:
            late = "The autograder timed out."
            return Shown({"score": 0.0, "output": late, "tests": []}, said, late)
        return _read(places.results / "results.json", said)

    def _place(self, source: Path, target: Path) -> None:
        """Copy a script as the platform does: with Unix line ends, and executable."""
        text = source.read_bytes().replace(b"\r\n", b"\n")
        target.unlink(missing_ok=True)
        target.write_bytes(text)
        target.chmod(0o755)

    def _start(
        self, script: str, seconds: float, variables: Mapping[str, str]
    ) -> tuple[int | None, str]:
        """Run a script to its end; the status is None if it timed out."""
        told = {
            name: value
            for name, value in os.environ.items()
            if name.startswith(_TOLD) or name.lower() in _PROXIES
        }
        if self.whole:
            inside = "/autograder"
            environment = told | {"PATH": _PATH, "HOME": "/root", "LANG": "C.UTF-8"}
            environment["MOUNTS"] = " ".join(map(str, self.mounts))
            enter = "unshare --mount --propagation private --pid --fork --kill-child".split()
            command = [*enter, "sh", "-ec", _ENTER, "sh", str(self.home), f"{inside}/{script}"]
        else:
            inside = str(self.places.root)
            environment = told | {
                "PATH": os.environ.get("PATH", _PATH),
                "HOME": str(self.home),
                "AUTOGRADER": inside,
                "AUTOGRADER_VENV": str(self.home / "venv"),
            }
            command = [f"{inside}/{script}"]
        with subprocess.Popen(
            [*self.around, *command],
            env=environment | dict(variables),
            cwd=self.places.root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        ) as process:
            try:
                said, _ = process.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                said, _ = process.communicate()
                return None, said
        return process.returncode, said


def _wipe(place: Path) -> None:
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True, exist_ok=True)  # mounted folders stay


def _read(path: Path, said: str) -> Shown:
    nothing = {"score": 0.0, "tests": []}
    try:
        page = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Shown(nothing, said, "The autograder wrote no results.json.")
    except ValueError:
        return Shown(nothing, said, "The autograder's results.json is not JSON.")
    if not isinstance(page, dict) or not ("score" in page or "tests" in page):
        return Shown(nothing, said, "The autograder's results.json has no score and no tests.")
    return Shown(_cut(page), said)


def _cut(value: Any) -> Any:
    if isinstance(value, str):
        return value[:FIELD]
    if isinstance(value, list):
        return [_cut(item) for item in value]
    return {key: _cut(item) for key, item in value.items()} if isinstance(value, dict) else value
