"""A trial with a person: questions about right answers without the code, then the code, then the key.

    python -m tests.benchmarks.defence_trial --questions 60 --out FOLDER

The person answers blind.txt into blind.answers, then seen.txt into seen.answers: letters, one a line
("." for nothing). `--mark` compares both with key.json, by kind.
"""

import argparse
import json
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path
from random import Random

from autograder.course import homework, known_answers
from autograder.staff.defence.records import LETTERS, Item
from autograder.staff.defence.sheets import sheet
from autograder.staff.defence.sheets.forms import RULES
from tests.benchmarks.defences import code_of, opened
from tests.helpers import ROOT


def drawn(number: int, seed: int) -> list[tuple[str, Item]]:
    """Return questions of sheets of right answers, as many of each homework."""
    names = homework.names(ROOT)
    found: list[tuple[str, Item]] = []
    for place, name in enumerate(names):
        loaded = homework.load(ROOT, name)
        own: list[tuple[str, Item]] = []
        every = known_answers.right(ROOT, loaded)
        Random(seed).shuffle(every)
        wanted = number * (place + 1) // len(names) - len(found)
        with ExitStack() as stack:
            maker = opened(stack, loaded, f"trial {seed}")
            for one in every:
                made = maker.made(one.submission.id, code_of(one.submission))
                own += [(name, item) for item in sheet.chosen({"": made}, 5)[""]]
                if len(own) >= wanted:
                    break
        found += own[:wanted]
    return found


def text(number: int, name: str, item: Item, *, code: bool) -> str:
    """Return a question as a person sees it on a sheet, with its box or without."""
    one, _ = sheet.sheet("somebody", [item], title=name, course="")
    (asked,), (box,) = one.questions, one.boxes
    given = [f"    {name} = {value}" for name, value in asked.given]
    options = [f"  {letter}  {said}" for letter, said in asked.options]
    shown = [box.numbered] if code else []
    return "\n".join([f"{number}. ({name}) {asked.text}", *shown, *given, *options, ""])


def mark(folder: Path) -> None:
    """Print how many are right, by kind."""
    key = json.loads((folder / "key.json").read_text(encoding="utf-8"))
    for which in ("blind", "seen"):
        path = folder / f"{which}.answers"
        if not path.is_file():
            continue
        letters = path.read_text(encoding="utf-8").split()
        by_kind: dict[str, list[bool]] = defaultdict(list)
        for letter, (kind, right) in zip(letters, key, strict=True):
            by_kind[kind].append(letter == right)
        print(which, sum(map(sum, by_kind.values())), "of", len(key))
        for kind, found in sorted(by_kind.items()):
            print(f"  {kind}: {sum(found)} of {len(found)}")


def main() -> None:
    """Draw or mark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--mark", action="store_true")
    chosen = parser.parse_args()
    if chosen.mark:
        mark(chosen.out)
        return
    found = drawn(chosen.questions, chosen.seed)
    chosen.out.mkdir(parents=True)
    for which in ("blind", "seen"):
        texts = [
            text(n, name, item, code=which == "seen") for n, (name, item) in enumerate(found, 1)
        ]
        (chosen.out / f"{which}.txt").write_text("\n".join([RULES, "", *texts]), encoding="utf-8")
    key = [(item.kind, LETTERS[item.key]) for _, item in found]
    (chosen.out / "key.json").write_text(json.dumps(key), encoding="utf-8")


if __name__ == "__main__":
    main()
