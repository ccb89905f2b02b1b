"""Turn this machine into the one that a level describes."""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
LEVELS = ("root", "landlock", "user", "bare")
# What a container's root may do at most, by the defaults of those that are common.
_CONTAINER = (
    "chown dac_override fowner fsetid kill setgid setuid setpcap net_bind_service net_raw "
    "sys_chroot mknod audit_write setfcap"
).split()
HERE = "root" if os.geteuid() == 0 else "user"
# Nobody's: distributions give it to no person and no service.
ORDINARY_USER = 49_999


def command(level: str) -> list[str] | str:
    """Return the words that run Python at a level, or why it cannot be had here."""
    python = [sys.executable]
    if os.geteuid() != 0:
        return python if level == "user" else "only root can try it"
    if level in ("root", "landlock"):
        return python
    if not (shutil.which("unshare") and shutil.which("setpriv")):
        return "it needs util-linux (unshare, setpriv)"
    user = f"setpriv --reuid {ORDINARY_USER} --regid {ORDINARY_USER} --clear-groups".split()
    home = ["env", "HOME=/tmp"]
    allowed = ",".join(["-all", *(f"+{name}" for name in _CONTAINER)])
    container = ["setpriv", f"--bounding-set={allowed}"]
    words = [*_where_all_can_read_python(), *(user + home if level == "user" else container)]
    tried = subprocess.run([*words, "true"], capture_output=True, text=True, check=False)
    return [*words, *python] if tried.returncode == 0 else tried.stderr.strip()


@contextmanager
def busy(number: int) -> Iterator[None]:
    """Keep processors busy, as other people's programs do."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def _where_all_can_read_python() -> list[str]:
    """Return the words that open closed folders above Python and this project.

    Python often lies in root's home, where no other user can read it. In a mount
    namespace of its own, a copy of that home holds Python and nothing else.
    """
    paths = [sys.prefix, sys.base_prefix, sysconfig.get_path("purelib"), str(ROOT)]
    needed = sorted({p for path in map(Path, paths) for p in (path, path.resolve())})
    closed: dict[Path, list[Path]] = {}
    for path in needed:
        if shut := [folder for folder in (path, *path.parents) if not _is_open(folder)]:
            inside = [path] if _is_open(path) else sorted(path.iterdir())
            closed.setdefault(shut[-1], []).extend(inside)
    lines = ["set -e", "keep=$(mktemp -d)"]
    for top, inside in closed.items():
        places = [(shlex.quote(str(path)), path.is_dir()) for path in inside]
        for number, (place, is_folder) in enumerate(places):
            lines += [f"{'mkdir' if is_folder else 'touch'} $keep/{number}"]
            lines += [f"mount --bind {place} $keep/{number}"]
        lines.append(f"mount -t tmpfs -o mode=755 none {shlex.quote(str(top))}")
        for number, (place, is_folder) in enumerate(places):
            lines += [f"mkdir -p $(dirname {place})"]
            lines += [f"{'mkdir -p' if is_folder else 'touch'} {place}"]
            lines += [f"mount --bind $keep/{number} {place}", f"umount $keep/{number}"]
        lines.append("rm -rf $keep/*")
    # Where we stood may be covered now.
    lines += ["rmdir $keep", f"cd {shlex.quote(str(ROOT))}", 'exec "$@"']
    return ["unshare", "--mount", "--propagation", "private", "bash", "-c", "\n".join(lines), "sh"]


def _is_open(folder: Path) -> bool:
    return bool(folder.stat().st_mode & 0o001)
