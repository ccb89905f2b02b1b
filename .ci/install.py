"""Install what pip would, faster: python3 .ci/install.py FOLDER WORDS, which are those of pip install.

It makes the virtual environment FOLDER where there is none. uv installs where it can be told all
that pip is told on this machine, and takes the same files then; elsewhere pip does.
"""

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

UV = "uv==0.13.9"
# Settings of pip, from its configuration or environment, and uv's variables for them.
AS_UV = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "constraint": "UV_CONSTRAINT",
    "cert": "SSL_CERT_FILE",
    "timeout": "UV_HTTP_TIMEOUT",
    "default-timeout": "UV_HTTP_TIMEOUT",
    "trusted-host": "UV_INSECURE_HOST",
}
# Settings that do not affect what is installed.
SILENT = {
    "disable-pip-version-check",
    "no-input",
    "quiet",
    "progress-bar",
    "root-user-action",
    "no-color",
}


def main(folder: Path, words: Sequence[str]) -> None:
    """Make the environment, install into it, and say by what and in what time."""
    started = time.monotonic()
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip = [str(python), "-m", "pip"]
    told = uv_environment(settings(pip))
    by = "uv"
    if told is None or not _by_uv(folder, pip, told, words):
        by = "pip"
        subprocess.run([*pip, "install", "-q", *words], check=True)
    sys.stdout.write(f"installed by {by} in {time.monotonic() - started:.0f} s\n")


def _by_uv(folder: Path, pip: Sequence[str], told: Mapping[str, str], words: Sequence[str]) -> bool:
    uv = folder / "bin" / "uv"
    # pip may be content with a uv that is elsewhere on its path.
    if subprocess.run([*pip, "install", "-q", UV]).returncode or not uv.exists():
        return False
    install = [uv, "pip", "install", "-q", "--python", folder / "bin" / "python"]
    # As pip does: the best version of all indexes, and not all that the first one has.
    environment = {**os.environ, **told, "UV_INDEX_STRATEGY": "unsafe-best-match"}
    return subprocess.run([*install, *words], env=environment).returncode == 0


def settings(pip: Sequence[str]) -> Mapping[str, str]:
    """Return what pip is told here: the environment counts before a file."""
    listed = subprocess.run([*pip, "config", "list"], capture_output=True, text=True, check=True)
    lines = [line.partition("=") for line in listed.stdout.splitlines()]
    order = sorted(lines, key=lambda line: line[0].startswith(":env:"))
    return {name.rpartition(".")[2]: value.strip("'\"") for name, _, value in order}


def uv_environment(told: Mapping[str, str]) -> Mapping[str, str] | None:
    """Return what tells uv the same; None where there is something that uv cannot be told."""
    if told.keys() - AS_UV.keys() - SILENT:
        return None
    return {
        AS_UV[name]: ",".join(value.split()) if name == "find-links" else value
        for name, value in told.items()
        if name in AS_UV
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
