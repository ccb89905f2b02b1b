"""Grade every attack, and say whether it got exactly what it deserves.

    python -m tests.redteam                  every attack at every level this machine has
    python -m tests.redteam --level bare     one level; --every 4: each fourth attack; or names

Levels: `root` (all layers), `landlock` (root without bubblewrap), `user` (an ordinary user without
it) and `bare` (root in a container that has neither namespaces nor Landlock).
"""

import argparse
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import psutil

from autograder.authoring.contract.sampling import Share
from autograder.course import homework
from autograder.course.course import Course
from autograder.grading.grader import Grader
from autograder.records import codec
from autograder.records.homework import Limits
from autograder.sandbox.supervisor import Sandbox
from autograder.submission import discover
from tests.redteam import attack, prey
from tests.redteam.machine import HERE, LEVELS, ROOT, command

NAME = "hw2_transformer"
WITHOUT = {
    "root": (),
    "landlock": ("namespaces",),
    "user": ("namespaces",),
    "bare": ("namespaces", "landlock"),
}
LIMITS = Limits(
    cell_seconds=4,
    question_seconds=2,
    submission_seconds=25,
    output_bytes=200_000,
    memory_bytes=1_500_000_000,
)
# What must never be read by a submission, nor shown to a student: one word in each place, with the
# number of this run in it, so that who reads this file knows none of them.
SECRETS = {
    place: f"canary-{os.getpid()}-{place}"
    for place in ("secret.txt", "environment", "staff", "roster", "classmate")
}


@dataclass(frozen=True)
class Row:
    """One line of the table; `wrong` is empty when all is as it should be."""

    attack: str
    deserved: float
    awarded: float
    seconds: float
    layers: int
    wrong: str


class Range:
    """A course of its own, with secrets in it, where attacks are graded."""

    def __init__(self, folder: Path, level: str, sandbox: Sandbox) -> None:
        self.sandbox, self.level = sandbox, level
        self.course = folder / "course"
        self.inbox, self.out = folder / "in", folder / "out"
        self.settings = Course(title="Attention", term="Spring", secret=SECRETS["secret.txt"])
        self.homework = replace(homework.load(self.course, NAME), limits=LIMITS)
        self.right = self._classmate("right")
        assert self.grade(self.right)[0] == attack.EVERYTHING
        self.before = snapshot(folder, self._changing)
        self.number = 0
        self.errors: list[str] = []
        self.folder = self.out

    def _changing(self, path: Path) -> bool:
        """Return whether a file belongs to the attack that is graded, or is not to last."""
        return (path.is_relative_to(self.inbox) and path.parent != self.right.parent) or (
            path.is_relative_to(self.out) and not path.is_relative_to(self.out / "right")
        )

    def _classmate(self, name: str) -> Path:
        notebook = attack.right() if name == "right" else attack.wrong()
        notebook["cells"].append(attack.new_cell(SECRETS["classmate"], "markdown"))
        (self.inbox / name).mkdir(exist_ok=True)
        return attack.write(notebook, self.inbox / name, f"{name}.ipynb")

    def grade(self, path: Path) -> tuple[dict[str, float], list[str], str]:
        """Grade one submission; return the points by question, complaints, and what a student sees."""
        found, complaints = discover.find([path])
        marks: dict[str, float] = dict(attack.NOTHING)
        seen = ""
        for item in found[:1]:
            grader = Grader(self.homework, self.settings, self.sandbox, force=True)
            (graded,) = grader.grade_all([item], self.out)
            if graded.failed:
                complaints.append((graded.folder / "failure.txt").read_text())
            elif graded.complaint:
                complaints.append(graded.complaint)
            elif graded.grade:
                marks = {m.question: m.earned or 0.0 for m in graded.grade.marks if not m.by_hand}
            self.folder = graded.folder
            seen = "".join(path.read_text() for path in graded.folder.iterdir())
            if (graded.folder / discover.LOG_NAME).is_file():
                log = codec.decode_log((graded.folder / discover.LOG_NAME).read_bytes())
                self.errors = [f"{e.cell}: {e.name}: {e.message}" for e in log.errors]
            json.loads((graded.folder / "results.json").read_text())
        return marks, complaints, seen

    def attack(self, one: attack.Attack) -> Row:
        """Grade an attack and then a wrong classmate, and look what else happened."""
        self.number += 1
        folder = self.inbox / f"attack-{self.number}"
        folder.mkdir()
        path = one.submission(folder)
        prey.lay_out()
        before = prey.state(self.sandbox.worker)
        started = time.monotonic()
        marks, complaints, seen = self.grade(path)
        seconds = time.monotonic() - started
        wrong = [
            f"{q} {marks[q]:g}, not {one.deserves[q]:g}"
            for q in marks
            if marks[q] != one.deserves[q]
        ]
        # An attack that does not even run proves nothing.
        broken = (
            "SyntaxError",
            "StopIteration",
            "KeyError: '_",
            "KeyError: 'autograder",
            "AttributeError",
        )
        if not one.name.startswith("honest/"):
            wrong += [f"it did not run: {e}" for e in self.errors if any(b in e for b in broken)]
        if os.environ.get("SHOW"):
            print(complaints, self.errors)
        wrong += [f"complaint of more than a line: {c}" for c in complaints if "\n" in c]
        wrong += [f"the {place} is shown" for place, word in SECRETS.items() if word in seen]
        wrong += [f"left behind: process {' '.join(line)[:80]}" for line in left_processes()]
        wrong += [f"left behind: {path}" for path in left_files()]
        if one.name.startswith("active/") and self.level == HERE:
            wrong += what_runs_in_a_browser(self.folder)
        now = prey.state(self.sandbox.worker)
        wrong += sorted(f"changed: {what}" for what in before if now.get(what) != before[what])
        prey.remove()
        after, *_ = self.grade(self._classmate("wrong"))
        if after != attack.NOTHING:
            wrong.append(f"a wrong classmate graded next got {sum(after.values()):g} points")
        changed = snapshot(self.course.parent, self._changing).items() ^ self.before.items()
        wrong += sorted({f"changed: {name}" for name, _ in changed})
        shutil.rmtree(folder, ignore_errors=True)
        return Row(
            one.name,
            sum(one.deserves.values()),
            sum(marks.values()),
            seconds,
            len(self.sandbox.layers),
            "; ".join(wrong),
        )


def snapshot(folder: Path, without: object) -> dict[str, str]:
    """Return what every file below a folder is: its mode, and the hash of what is in it."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if without(path):  # type: ignore[operator]
            continue
        mode = path.lstat().st_mode
        content = sha256(path.read_bytes()).hexdigest() if stat.S_ISREG(mode) else ""
        found[str(path.relative_to(folder))] = f"{mode:o} {content}"
    return found


def left_processes() -> Iterator[list[str]]:
    """Yield the command lines of processes that an attack started and that still run."""
    for process in psutil.process_iter(["cmdline"]):
        line = process.info["cmdline"] or []
        if any("redteam-left" in word for word in line):
            yield line


def left_files() -> Iterator[Path]:
    """Yield files that an attack left outside its own directory."""
    for folder in map(Path, ("/", "/tmp", "/var/tmp", "/dev/shm", "/run", Path.home(), ROOT)):
        if os.access(folder, os.R_OK):
            yield from folder.glob("redteam-left*")


def what_runs_in_a_browser(folder: Path) -> list[str]:
    """Open the report and the executed notebook, the latter as formgrader shows it, in Chromium."""
    if not (chromium := shutil.which("chromium")):
        return []
    from nbconvert import HTMLExporter
    from playwright.sync_api import sync_playwright

    pages = [folder / "report.html"]
    if (notebook := folder / "executed.ipynb").exists():
        pages.append(folder / "executed.html")
        pages[1].write_text(HTMLExporter().from_filename(notebook)[0])
    said = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for page in filter(Path.exists, pages):
            view = browser.new_page()
            view.on("dialog", lambda dialog: dialog.dismiss())
            view.goto(page.as_uri(), wait_until="domcontentloaded")
            view.wait_for_timeout(200)
            if view.title() == "owned":  # a file's name may be in it
                said.append(f"a script ran in {page.name}")
            if view.evaluate("[...document.links].some(link => link.protocol == 'javascript:')"):
                said.append(f"a link to a script stands in {page.name}")
        browser.close()
    return said


def prepare(folder: Path) -> None:
    """Write a course with secrets in it."""
    course = folder / "course"
    for part in ("source", "release", "solutions"):
        shutil.copytree(ROOT / part, course / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "course.toml", course)
    (course / "secret.txt").write_text(SECRETS["secret.txt"])
    (course / "roster.csv").write_text(f"id,name,email\n1,{SECRETS['roster']},a@example.org\n")
    reference = course / "source" / NAME / "staff" / "reference.py"
    reference.write_text(f"{reference.read_text()}\n# {SECRETS['staff']}\n")
    (folder / "in").mkdir()
    # Where another user and no Landlock is all there is, permissions keep these out of view.
    folder.chmod(0o700)


def run(level: str, names: Sequence[str], share: Share) -> Iterator[Row]:
    """Grade attacks at the level that this process stands at."""
    os.environ["REDTEAM_SECRET"] = SECRETS["environment"]
    chosen = share.of([one for one in attack.attacks() if not names or one.name in names])
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve()
        prepare(folder)
        hidden = [path for path in folder.rglob("*") if path.is_file()]
        with Sandbox(without=WITHOUT[level]) as sandbox:
            expected = homework.load(folder / "course", NAME)
            sandbox.expect(expected, hidden=[*hidden, folder / "out"])
            field = Range(folder, level, sandbox)
            for one in chosen:
                yield field.attack(one)


def main() -> None:
    """Print a table for each level; exit 1 when an attack got what it does not deserve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--level", choices=LEVELS)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--turn", type=int, default=0, help="which of them comes first")
    parser.add_argument("--here", action="store_true", help="this process stands at that level")
    options = parser.parse_args()
    if options.here:
        sys.exit(table(options.level, options.names, Share(options.every, options.turn)))
    totals = [0, 0]
    for level in [options.level] if options.level else LEVELS:
        words = command(level)
        if isinstance(words, str):
            print(f"level {level}: cannot be had here: {words}")
            continue
        some = ["--every", str(options.every), "--turn", str(options.turn)]
        arguments = ["--here", "--level", level, *some, *options.names]
        graded, good = shown([*words, "-m", "tests.redteam", *arguments])
        totals = [totals[0] + graded, totals[1] + good]
    print(f"all levels: {totals[0]} attacks, {totals[1]} got exactly what they deserve")
    sys.exit(totals[0] != totals[1])


def shown(words: Sequence[str]) -> tuple[int, int]:
    """Run a level, show what it says, and return how many attacks there were and went well."""
    said = (1, 0)  # until its totals come, one has failed
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            if found := re.match(r"level \w+: (\d+) attacks, (\d+) got", line):
                said = (int(found[1]), int(found[2]))
    return said


def table(level: str, names: Sequence[str], share: Share) -> bool:
    """Print one level's table and its totals; return whether something is wrong."""
    rows = []
    print(f"{'level ' + level:<40} deserved  awarded  seconds  layers")
    for row in run(level, names, share):
        rows.append(row)
        line = (
            f"{row.attack:<40} {row.deserved:8g} {row.awarded:8g} {row.seconds:8.1f} {row.layers:7}"
        )
        print(line + (f"  WRONG: {row.wrong}" if row.wrong else ""), flush=True)
    failed = [row for row in rows if row.wrong]
    total = sum(row.seconds for row in rows)
    print(
        f"level {level}: {len(rows)} attacks, {len(rows) - len(failed)} got exactly what they deserve, "
        f"{len(failed)} did not, {total:.0f} s\n"
    )
    return bool(failed) or not rows


if __name__ == "__main__":
    main()
