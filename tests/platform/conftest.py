"""The image, built once for all tests, and containers of it."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.platforms.gradescope.simulate import SimulatedPlatform
from tests.platform import groups
from tests.platform.system import NAMES, REQUIRED, installed

# It runs `make test` twice: `make platform` has the time.
collect_ignore = [] if os.environ.get("FULL_COUNTS") else ["test_bare_machine.py"]
KEPT = "PLATFORM_IMAGE"  # a folder that is used again, for those who work on these tests


@pytest.fixture(scope="session")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimulatedPlatform]:
    """Build the image of hw2_transformer."""
    folder = os.environ.get(KEPT) or tmp_path_factory.mktemp("platform") / "image"
    with installed(Path(folder), NAMES[0]) as made:
        yield made


@pytest.fixture
def small(image: SimulatedPlatform) -> Iterator[tuple[SimulatedPlatform, groups.Group]]:
    """Limit the container as Gradescope's smallest one is: 768 MB; a whole processor, to save time."""
    if why := groups.why_not():
        assert not os.environ.get(REQUIRED), why
        pytest.skip(why)
    with groups.group(memory=groups.SMALLEST, processors=1.0) as group:
        yield replace(image, around=group.around), group
