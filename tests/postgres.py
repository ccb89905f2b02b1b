"""A PostgreSQL of a test's own, as Debian installs it."""

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

PROGRAMS = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)


@contextlib.contextmanager
def postgresql() -> Iterator[str]:
    """Start a PostgreSQL, as somebody who is not root; yield its URL."""
    if PROGRAMS is None:
        assert not os.environ.get("REQUIRE_POSTGRES"), "PostgreSQL is required here and is missing"
        pytest.skip("PostgreSQL is not installed (/usr/lib/postgresql/*/bin)")
    programs = PROGRAMS
    somebody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    place = Path(tempfile.mkdtemp())
    place.chmod(0o755)
    data = place / "data"
    data.mkdir(0o700)
    if somebody:
        os.chown(place, 65534, 65534)
        os.chown(data, 65534, 65534)

    def command(name: str, *words: str) -> None:
        subprocess.run(
            [str(programs / name), *words],
            cwd=place,
            check=True,
            stdout=subprocess.DEVNULL,
            **somebody,  # type: ignore[call-overload]
        )

    command("initdb", "-D", str(data), "-U", "marker", "--auth=trust", "--no-sync")
    options = f"-c listen_addresses='' -c unix_socket_directories={place} -c fsync=off"
    control = ("pg_ctl", "-D", str(data), "-w", "-l", str(place / "log"))
    command(*control, "-o", options, "start")
    try:
        yield f"postgresql+psycopg://marker@/postgres?host={place}"
    finally:
        command(*control, "-m", "immediate", "stop")
        shutil.rmtree(place)
