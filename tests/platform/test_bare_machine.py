"""The README's two commands on a machine that lacks what .ci/run installs, as root and as a user."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.platform import bare

pytestmark = pytest.mark.slow
KEPT = "BARE_MACHINE"  # a folder that is used again, for those who work on these tests


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[bare.Machine]:
    """Install a bare Debian, through which every user can pass."""
    assert os.geteuid() == 0, "it needs root"
    assert shutil.which("debootstrap"), "it needs debootstrap"
    kept = os.environ.get(KEPT)
    folder = Path(kept) if kept else tmp_path_factory.mktemp("bare") / "root"
    folder.mkdir(exist_ok=True)
    for above in folder.parents[:3]:
        above.chmod(above.stat().st_mode | 0o011)
    with bare.installed(folder) as made:
        for program in bare.ABSENT:
            assert made.run("which", program, user="root", folder="/").returncode != 0, program
        yield made


@pytest.mark.parametrize("user", ["root", bare.USER])
def test_the_two_commands_pass(machine: bare.Machine, user: str) -> None:
    """Nothing fails; what the machine lacks is in the last lines, with the reason."""
    folder = machine.clone(user)
    graded = machine.run("make", "grade", user=user, folder=folder)
    print(graded.stdout[-2_000:])
    assert graded.returncode == 0
    assert graded.stdout.count(": 52/60 ") == 2
    tested = machine.run("make", "test", user=user, folder=folder)
    print(tested.stdout[-6_000:])
    assert tested.returncode == 0
    _, _, last = tested.stdout.rpartition(" passed in ")
    skipped = re.findall(r"^\d+ skipped: (.*)$", last, re.MULTILINE)
    assert "Chromium is not installed" in skipped
    assert len(skipped) == len(set(skipped))
