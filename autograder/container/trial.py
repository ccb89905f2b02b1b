"""Whether an image can grade: the perfect and the unfilled notebook, as students would hand them in."""

import json
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from autograder import homework
from autograder.container import run
from autograder.model import Homework, UserError


def tried(root: Path) -> Iterator[str]:
    """Grade both in a folder like the platform's; yield a line of each.

    Args:
        root: The platform's folder, whose source/ is the unpacked zip.

    Raises:
        UserError: one of them does not get what it must.
    """
    source = root / "source"
    (name,) = homework.names(source)
    chosen = homework.load(source, name)
    for kind, notebook, points in (
        ("perfect", source / "source" / name / f"{name}.ipynb", most(chosen)),
        ("unfilled", source / "release" / name / f"{name}.ipynb", 0.0),
    ):
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            trial = Path(folder)
            trial.chmod(0o711)
            places = run.Places(trial)
            for place in (places.submission, places.results):
                place.mkdir()
            places.source.symlink_to(source)
            shutil.copy(notebook, places.submission / f"{name}.ipynb")
            run.run(trial, seconds=run.DEFAULT_SECONDS)
            page = json.loads((places.results / "results.json").read_text(encoding="utf-8"))
        if page["score"] != points or not page["extra_data"].get("finished"):
            raise UserError(
                f"this image cannot grade: the {kind} notebook got {page['score']:g} and not "
                f"{points:g} points. {page['output'] or page['tests']}"
            )
        yield (
            f"{name}: the {kind} notebook got {points:g} points in "
            f"{time.monotonic() - started:.1f} s, behind {', '.join(page['extra_data']['isolation'])}"
        )


def most(chosen: Homework) -> float:
    """Return the points that a machine can give, extra credit included."""
    return sum(question.points for question in chosen.questions if not question.by_hand)
