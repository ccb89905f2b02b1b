"""A Debian with Python, make and pip, and nothing else that a test could use."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.helpers import ROOT
from tests.platform.system import DEBIAN, copied_into, told_to_pip

PACKAGES = ("python3", "python3-venv", "python3-pip", "make", "ca-certificates")
USER = "grader"
# Programs that .ci/run installs and that a bare machine lacks.
ABSENT = ("bwrap", "chromium", "debootstrap", "git")
# A root is a mount point, as on a machine.
_ENTER = """
mount --bind "$1" "$1"
cd "$1"
mount -t proc proc proc
mount --rbind /dev dev
for place in $MOUNTS; do mkdir -p ".$place"; mount --bind "$place" ".$place"; done
shift
exec chroot . "$@"
"""


@dataclass(frozen=True)
class Machine:
    """A system of its own below a folder, entered by root.

    Args:
        home: The folder.
        mounts: Folders of this machine that are to be seen inside.
        environment: What programs in it are told.
    """

    home: Path
    mounts: tuple[Path, ...]
    environment: dict[str, str]

    def run(self, *words: str, user: str, folder: str) -> subprocess.CompletedProcess[str]:
        """Run a command as somebody in a folder of the system; its output has both streams."""
        enter = "unshare --mount --propagation private --pid --fork --kill-child".split()
        become = [] if user == "root" else ["setpriv", f"--reuid={user}", f"--regid={user}"]
        become += [] if user == "root" else ["--init-groups"]
        place = "/root" if user == "root" else f"/home/{user}"
        told = {
            **self.environment,
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": place,
            "LANG": "C.UTF-8",
            "MOUNTS": " ".join(map(str, self.mounts)),
        }
        inside = ["sh", "-ec", f'cd {folder}; exec "$@"', "sh", *words]
        return subprocess.run(
            [*enter, "sh", "-ec", _ENTER, "sh", str(self.home), *become, *inside],
            env=told,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )

    def clone(self, user: str) -> str:
        """Put a clone of this repository into somebody's home; return where it is."""
        place = ("root" if user == "root" else f"home/{user}") + "/kit"
        shutil.rmtree(self.home / place, ignore_errors=True)
        words = ["git", "clone", "-q", "--no-hardlinks", str(ROOT), str(self.home / place)]
        subprocess.run(words, check=True)
        if user != "root":
            assert (
                self.run("chown", "-R", user, f"/{place}", user="root", folder="/").returncode == 0
            )
        return f"/{place}"


@contextmanager
def installed(folder: Path) -> Iterator[Machine]:
    """Install the system, or use what was installed in the folder before."""
    folder.chmod(0o755)
    if not (folder / "usr").is_dir():
        include = f"--include={','.join(PACKAGES)}"
        command = ["debootstrap", "--variant=minbase", include, DEBIAN, str(folder)]
        subprocess.run(command, check=True, capture_output=True)
    told, named = told_to_pip()
    machine = Machine(folder, tuple(copied_into(folder, named)), told | _proxies())
    if not (folder / "home" / USER).is_dir():
        made = machine.run("useradd", "--create-home", USER, user="root", folder="/")
        assert made.returncode == 0, made.stdout
    yield machine


def _proxies() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
