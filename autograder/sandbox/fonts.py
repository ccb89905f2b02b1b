"""The list of a machine's fonts, which matplotlib needs at its first import and makes slowly."""

import contextlib
import json
import os
import sys
from pathlib import Path


def copy_list(folder: Path) -> None:
    """Copy this user's matplotlib font lists into a folder, without the user's own fonts.

    If there is no list to copy, matplotlib makes one when it runs with this MPLCONFIGDIR.
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
    """Return the result of `matplotlib.get_cachedir`, whose import would cost what this saves."""
    if chosen := os.environ.get("MPLCONFIGDIR"):
        return Path(chosen)
    if sys.platform.startswith(("linux", "freebsd")):
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "matplotlib"
    return Path.home() / ".matplotlib"
