"""Copy the list of a machine's fonts, which matplotlib reads at its first import and makes for long."""

import contextlib
import json
import os
import sys
from pathlib import Path


def copy_list(folder: Path) -> None:
    """Copy the lists that this user's matplotlib made into a folder, without the user's own fonts.

    Where there are none, the matplotlib whose MPLCONFIGDIR this is makes its own.
    """
    with contextlib.suppress(OSError, RuntimeError):  # without a home there is none
        for path in _folder().glob("fontlist-*.json"):
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                known = json.loads(path.read_text(encoding="utf-8"))
                home = Path.home()
                for kind in ("afmlist", "ttflist"):
                    fonts = ((font, Path(font["fname"])) for font in known[kind])
                    known[kind] = [font for font, file in fonts if not file.is_relative_to(home)]
                (folder / path.name).write_text(json.dumps(known), encoding="utf-8")


def _folder() -> Path:
    """Return what `matplotlib.get_cachedir` does, which takes as long to import as is saved here."""
    if chosen := os.environ.get("MPLCONFIGDIR"):
        return Path(chosen)
    if sys.platform.startswith(("linux", "freebsd")):
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "matplotlib"
    return Path.home() / ".matplotlib"
