"""How well `autograder similar` tells copies from honest answers that had to look alike.

    python -m tests.benchmarks.copied [--seeds 5] [--least 0.25] [--write FOLDER]

Nobody's real submissions are used. A class is fabricated of the answers in staff/right and
staff/wrong of one homework, half of which the comparison does not know: 60 pairs of students who
have the same ways to answer every question and each write them down in their own manner, and 30
pairs of which one copied from the other and disguised it. A third part has 10 copies in other
words, written by hand (paraphrases.py): nobody should expect to find these.

It prints how many of the first 30 pairs are copies (precision) and how many of the copies are
there (recall; both have the same denominator), by the manner of disguise. `--least 0` makes it
harder: then a third of the students have no habit of a kind at all, and honest pairs may be the
same word for word. `--write` also writes each student's code as a file, to try other tools on the
same class.
"""

import argparse
import random
import statistics
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from autograder.course import homework, known_answers
from autograder.records.homework import Homework
from autograder.staff.similar import pairs, read
from autograder.staff.similar.fingerprints import of_code, of_text
from autograder.staff.similar.pairs import Part, Work
from tests.benchmarks.manners import Manner, disguised_text, disguises, own_manner
from tests.benchmarks.paraphrases import PARAPHRASES

ROOT = Path(__file__).parents[2]
HOMEWORK = "hw2_transformer"
HONEST, COPIED = 60, 30
Code = Mapping[str, str]
"""Id of an answer's cell -> its source."""


class Class:
    """What the students of a fabricated class draw from.

    Args:
        chosen: The homework.
        draw: Decides which ways to answer the course knows.
        least: As for `Manner`.
    """

    def __init__(self, chosen: Homework, draw: random.Random, least: float) -> None:
        self.known, self.least = read.names(chosen), least
        own = known_answers.instructor(ROOT, chosen)
        right = [one.submission for one in known_answers.right(ROOT, chosen)]
        wrong = [one.submission for one in known_answers.wrong(ROOT, chosen)]
        draw.shuffle(right)
        foreseen, unforeseen = right[::2], right[1::2]
        given = [cell for one in (own, *foreseen) for cell in one.cells]
        self.given = {
            item.key
            for cell in (*given, *chosen.cells)
            if cell.type == "code"
            for item in of_code(cell.source, self.known, every=True)
        } | {
            item.key
            for cell in (*given, *chosen.cells)
            if cell.type != "code"
            for item in of_text(cell.source, every=True)
        }
        self.ways: dict[str, list[str]] = {}
        for one in (*unforeseen, *wrong, own, foreseen[0]):
            for cell in one.cells:
                if cell.role == "answer" and cell.source not in self.ways.setdefault(cell.id, []):
                    self.ways[cell.id].append(cell.source)

    def ways_to_answer(self, draw: random.Random) -> Code:
        """Return one way to answer for each question."""
        return {id: draw.choice(ways) for id, ways in self.ways.items()}

    def written_down(self, code: Code, draw: random.Random) -> dict[str, str]:
        """Return code in the manner of one student."""
        manner = Manner(draw, self.known, self.least)
        return {id: own_manner(source, manner) for id, source in code.items()}

    def work(self, student: str, code: Code, text: str) -> Work:
        """Return a submission as it is compared."""
        parts = [
            Part(id, source, of_code(source, self.known), "code") for id, source in code.items()
        ]
        parts.append(Part("text", text, of_text(text), "text"))
        return Work(student, "", student, (), tuple(parts))


def fabricated(
    whole: Class, draw: random.Random
) -> tuple[list[Work], dict[frozenset[str], str], dict[str, Code]]:
    """Return a class's submissions, its copied pairs and how each is disguised, and all code."""
    works, truth, codes = [], {}, {}
    manners = list(disguises())

    def add(name: str, code: Code, text: str) -> None:
        works.append(whole.work(name, code, text))
        codes[name] = code

    for number in range(HONEST):
        ways = whole.ways_to_answer(draw)
        for letter in "ab":
            name = f"honest-{number:02}{letter}"
            add(name, whole.written_down(ways, draw), text_of(draw))
    for number in range(COPIED):
        manner = manners[number % len(manners)]
        source = whole.written_down(whole.ways_to_answer(draw), draw)
        own = whole.written_down(whole.ways_to_answer(draw), draw)
        said = text_of(draw)
        first, second = f"copied-{number:02}a", f"copied-{number:02}b"
        add(first, source, said)
        add(
            second,
            disguises()[manner](source, own, Manner(draw, whole.known, whole.least)),
            disguised_text(said, draw) if draw.random() < 0.5 else text_of(draw),
        )
        truth[frozenset((first, second))] = manner
    return works, truth, codes


SENTENCES: Sequence[Sequence[str]] = (
    (
        "The largest weight of each row is at the same token in both pictures.",
        "In both figures every token looks mostly at itself.",
        "Mine and the learned one put most of the attention on the same place.",
        "Both have a bright diagonal and nothing much beside it.",
    ),
    (
        "The learned matrices have entries of both signs, mine are diagonal.",
        "My Km and Qm are multiples of the identity, which training never finds.",
        "What was learned looks like noise at first, mine is a scaled identity.",
        "Learned numbers are smaller and spread over all entries.",
    ),
    (
        "Only the product of Qm and Km enters the scores, so a rotation of both changes nothing.",
        "This is because the scores depend on Qm times the transpose of Km alone.",
        "Since Q K^T is all that matters, many pairs of matrices do the same.",
        "You can rotate both without a change, so there is no reason to find mine.",
    ),
    (
        "My weights are closer to 1 since I could choose a large gain.",
        "Training stops before the softmax is saturated, so its weights are softer.",
        "With a larger gain the softmax is sharper; gradient descent gets there slowly.",
        "The loss hardly falls any more at 0.9, so that the learned weights stay below 1.",
    ),
    (
        "I did not expect that.",
        "I would guess that more steps make both alike.",
        "With another seed it looks different again.",
        "",
    ),
)


def text_of(draw: random.Random) -> str:
    """Return a written answer: what there is to say, each sentence in one of few wordings."""
    said = [draw.choice(wordings) for wordings in SENTENCES]
    if draw.random() < 0.5:
        said[1], said[3] = said[3], said[1]
    return " ".join(said)


def found(ranked: Sequence[pairs.Pair], truth: Mapping[frozenset[str], str]) -> Counter[str]:
    """Return how many of the first pairs are copies, by disguise; "honest" counts the others."""
    first = [frozenset((one.first.student, one.second.student)) for one in ranked[:COPIED]]
    return Counter(truth.get(pair, "honest") for pair in first)


def paraphrased(whole: Class, draw: random.Random) -> int:
    """Return how many of the paraphrases are among the first 30 pairs of an honest class."""
    works = []
    for number in range(HONEST):
        ways = whole.ways_to_answer(draw)
        works += [
            whole.work(f"honest-{number}{letter}", whole.written_down(ways, draw), text_of(draw))
            for letter in "ab"
        ]
    truth: dict[frozenset[str], str] = {}
    for number, (id, before, after) in enumerate(PARAPHRASES):
        for letter, source in (("a", before), ("b", after)):
            code = whole.written_down(whole.ways_to_answer(draw), draw)
            works.append(whole.work(f"p-{number}{letter}", {**code, id: source}, text_of(draw)))
        truth[frozenset((f"p-{number}a", f"p-{number}b"))] = "paraphrase"
    return found(pairs.compare(works, whole.given), truth)["paraphrase"]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--least", type=float, default=0.25)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    chosen = homework.load(ROOT, HOMEWORK)
    kinds = list(disguises())
    each = Counter(kinds[number % len(kinds)] for number in range(COPIED))
    shown = [f"{kind} (of {each[kind]})" for kind in kinds]
    print("seed  copies in the first 30  " + "  ".join(shown) + "  paraphrases (of 10)  seconds")
    right = []
    for seed in range(options.seeds):
        draw = random.Random(seed)
        whole = Class(chosen, draw, options.least)
        works, truth, codes = fabricated(whole, draw)
        start = time.perf_counter()
        ranked = pairs.compare(works, whole.given)
        seconds = time.perf_counter() - start
        counts = found(ranked, truth)
        right.append(COPIED - counts["honest"])
        if options.write:
            for name, code in codes.items():
                path = options.write / f"seed-{seed}" / f"{name}.py"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("\n\n".join(code.values()))
        cells = [f"{counts[kind]:>{len(head)}}" for kind, head in zip(kinds, shown, strict=True)]
        print(
            f"{seed:>4}  {right[-1]:>23}  "
            + "  ".join(cells)
            + f"  {paraphrased(whole, draw):>19}  {seconds:>7.2f}"
        )
    share = statistics.mean(right) / COPIED
    print(
        f"precision and recall of the first {COPIED}: {share:.0%} (from {min(right)} to {max(right)})"
    )


if __name__ == "__main__":
    main()
