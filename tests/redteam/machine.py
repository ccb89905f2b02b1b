"""How this machine becomes the one that a level speaks of."""

import os
import shlex
import shutil
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).parents[2]
LEVELS = ("root", "user", "bare")
HERE = "root" if os.geteuid() == 0 else "user"
# Nobody's: distributions give it to no person and no service.
ORDINARY_USER = 49_999


def command(level: str) -> list[str] | str:
    """Return the words that run Python at a level, or why it cannot be had here."""
    python = [sys.executable]
    if os.geteuid() != 0:
        return python if level == "user" else "only root can try it"
    if level == "root":
        return python
    if not (shutil.which("unshare") and shutil.which("setpriv")):
        return "it needs util-linux (unshare, setpriv)"
    user = f"setpriv --reuid {ORDINARY_USER} --regid {ORDINARY_USER} --clear-groups".split()
    home = ["env", "HOME=/tmp"]
    return [*_where_all_can_read_python(), *(user + home if level == "user" else []), *python]


def _where_all_can_read_python() -> list[str]:
    """Return the words that open closed folders above Python and this project.

    Python often lies in root's home, where no other user can read it. In a mount
    namespace of its own, a copy of that home holds Python and nothing else.
    """
    paths = [sys.prefix, sys.base_prefix, sysconfig.get_path("purelib"), str(ROOT)]
    needed = {p for path in map(Path, paths) for p in (path, path.resolve())}
    closed: dict[Path, list[Path]] = {}
    for path in sorted(needed):
        shut = [parent for parent in path.parents if not parent.stat().st_mode & 0o001]
        if shut:
            closed.setdefault(shut[-1], []).append(path)
    lines = ["set -e", "keep=$(mktemp -d)"]
    for top, inside in closed.items():
        for number, path in enumerate(inside):
            lines += [
                f"mkdir $keep/{number}",
                f"mount --bind {shlex.quote(str(path))} $keep/{number}",
            ]
        lines.append(f"mount -t tmpfs -o mode=755 none {shlex.quote(str(top))}")
        for number, path in enumerate(inside):
            place = shlex.quote(str(path))
            lines += [f"mkdir -p {place}", f"mount --bind $keep/{number} {place}"]
            lines += [f"umount $keep/{number}", f"rmdir $keep/{number}"]
    lines += ["rmdir $keep", 'exec "$@"']
    return ["unshare", "--mount", "--propagation", "private", "bash", "-c", "\n".join(lines), "sh"]
