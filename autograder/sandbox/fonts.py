"""Copy the list of a machine's fonts, which matplotlib reads at its first import and makes for long."""

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path


def copy_list(folder: Path) -> None:
    """Copy the lists that this user's matplotlib made into a folder, without the user's own fonts.

    Where there are none, the matplotlib whose MPLCONFIGDIR this is makes its own.
    """
    with contextlib.suppress(OSError, RuntimeError):  # without a home there is none
        for path in _folder().glob("fontlist-*.json"):
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                known = json.loads(path.read_text(encoding="utf-8"))
                for kind in ("afmlist", "ttflist"):
                    known[kind] = list(_of_everybody(known[kind]))
                (folder / path.name).write_text(json.dumps(known), encoding="utf-8")


def _of_everybody(fonts: list[dict[str, str]]) -> Iterator[dict[str, str]]:
    home = Path.home()
    for font in fonts:
        if not Path(font["fname"]).is_relative_to(home):
            yield font


def _folder() -> Path:
    """Return what `matplotlib.get_cachedir` does, which takes as long to import as is saved here."""
    if chosen := os.environ.get("MPLCONFIGDIR"):
        return Path(chosen)
    if sys.platform.startswith(("linux", "freebsd")):
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "matplotlib"
    return Path.home() / ".matplotlib"
