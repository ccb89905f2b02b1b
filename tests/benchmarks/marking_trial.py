"""A marker's afternoon: `python -m tests.benchmarks.marking_trial [--people N] [--pictures DIR]`.

A fabricated class answers `compare_identity` and `argue_threshold`: right, half right, empty, copied,
copied with another word, off topic. A script marks all of them in a real Chromium, from the command
to the last answer, with the keys that a person would press who has read each text once. It prints
seconds (of the machine; nobody reads here), keys and looks an answer, for each question.
"""

import argparse
import random
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from autograder.course import homework
from tests.gradebooks import make_course, put, run
from tests.helpers import ROOT, of_code, with_cells
from tests.marking_course import BROWSER, serve


@dataclass(frozen=True)
class Written:
    """A text, the items that it has (as keys), a comment on it, and how many of 30 write it.

    Of those, `near` change a word that decides nothing.
    """

    text: str
    keys: str
    people: int
    near: int = 0
    comment: str = ""


QUESTIONS = {
    ("hw2_transformer", "compare_identity"): (
        Written(
            "Vm is almost the identity in both (learned diagonal 1.03 to 1.04). My Km and Qm are "
            "multiples of the identity, the learned ones are full with both signs. Training starts at "
            "random and only the product $Q_m K_m^\\top$ enters the scores, so nothing pulls the two "
            "matrices back to the identity.",
            "123456",
            8,
            4,
        ),
        Written(
            "In both, tokens attend to themselves. The learned one does it less sharply, A only with "
            "0.87. That is because it was trained and I chose large numbers.",
            "134",
            6,
            3,
            "Which part of the loss permits it?",
        ),
        Written(
            "Both heads solve the task; the learned one found its own solution, which is hard to "
            "interpret.",
            "",
            4,
            1,
            "Name one number that your figure shows.",
        ),
        Written("The diagonal of Vm is 1.04 in the learned head and 1 in mine.", "12", 3),
        Written("Attention maps show what a model looks at, which makes it explainable.", "", 2),
        Written(
            "Similar: A attends to A, 1.00 and 0.87. Different: Qm is $-1.37$ somewhere and mine is "
            "not. The start is random.",
            "12345",
            3,
            1,
        ),
        Written("", "", 4),
    ),
    ("hw1_toy_attention", "argue_threshold"): (
        Written(
            "Right everywhere means $f(u)+g(v) > c$, $f(v)+g(u) > c$, $f(u)+g(u) \\le c$, "
            "$f(v)+g(v) \\le c$. First plus second is more than $2c$, third plus fourth is the same sum "
            "and at most $2c$. So one pattern in four is always wrong, at most 75 %. I may clear the "
            "denominator because exponentials are positive. The cell found 0 of 200,000.",
            "12345",
            9,
            4,
        ),
        Written(
            "A sum $f + g$ is linear and XOR is not linearly separable, so one of the four patterns must "
            "fail and 3/4 is the most. The count was 0 of 200,000.",
            "135",
            7,
            3,
            "Add the inequalities.",
        ),
        Written(
            "One head can only look at one of the two tokens, so it has to guess the other.",
            "",
            5,
            2,
            "A head weights all tokens.",
        ),
        Written("XOR is not linearly separable.", "1", 3),
        Written("0 of 200,000 random models were right.", "5", 2),
        Written("", "", 4),
    ),
}
OTHER_WORDS = {"almost": "nearly", "tokens": "words", "solve": "manage", "show": "tell"} | {
    "Different": "Unlike",
    "Right": "Correct",
    "linear": "additive",
    "guess": "invent",
}


def main() -> None:
    """Mark a class, and print what it took."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--people", type=int, default=30)
    words.add_argument("--pictures", type=Path)
    chosen = words.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--headless"]
        browser = playwright.chromium.launch(executable_path=BROWSER, args=arguments)
        for (name, question), texts in QUESTIONS.items():
            course = Path(folder) / name
            answers = _class(course, name, question, texts, chosen.people)
            begin = time.perf_counter()
            with serve(course, "--question", question) as served:
                page = browser.new_page(viewport={"width": 1280, "height": 900})
                page.goto(served.link)
                page.wait_for_selector(".text")
                opened = time.perf_counter() - begin
                keys, looks = _mark(page, texts, chosen.pictures)
                seconds = time.perf_counter() - begin
                page.close()
            print(f"{question}: {answers} answers that wait, {looks} looks, {keys} keys ", end="")
            print(f"({keys / answers:.2f} an answer), open after {opened:.1f} s, ", end="")
            print(f"done after {seconds:.0f} s")
        browser.close()


def _class(course: Path, name: str, question: str, texts: tuple[Written, ...], people: int) -> int:
    """Make a course with a class in its gradebook; return how many answers wait."""
    make_course(course, like=ROOT)
    chosen = homework.load(course, name)
    blank = replace(of_code(), cells=chosen.cells)
    place = next(cell.id for cell in chosen.cells if cell.grade_id == question)
    sheet = [_text(one, copy) for one in texts for copy in range(one.people * people // 30)]
    random.Random(0).shuffle(sheet)
    for number, text in enumerate(sheet):
        put(course / "graded", f"s{number:03}", with_cells(blank, **{place: text}), chosen)
    status, said = run(course, "gradebook", course / "graded")
    assert status == 0, said
    return sum(bool(text) for text in sheet)


def _text(written: Written, copy: int) -> str:
    if copy >= written.near:
        return written.text
    word = next(word for word in OTHER_WORDS if word in written.text)
    # Each of them in a way of its own.
    return written.text.replace(word, OTHER_WORDS[word]) + " " + "." * copy


def _mark(page: Any, texts: tuple[Written, ...], pictures: Path | None) -> tuple[int, int]:
    """Mark everything; return keys pressed and answers looked at."""
    keys = looks = 0
    commented: set[str] = set()
    for _ in range(300):  # groups are known a little later than the first answer
        page.reload()
        if page.locator(".similar").count():
            break
        page.wait_for_timeout(100)
    while page.locator(".answer.empty").count() == 0:
        looks += 1
        here = page.locator(".desk").get_attribute("data-id")
        shown = _plain(page.locator(".text").inner_text())
        one = max((each for each in texts if each.text), key=lambda each: _common(each, shown))
        for key in one.keys or "0":
            page.keyboard.press(key)
            keys += 1
        if one.comment and one.comment not in commented:
            page.keyboard.press("c")
            page.keyboard.type(one.comment)
            page.keyboard.press("Escape")
            keys += len(one.comment) + 2
            commented.add(one.comment)
        page.locator("#saving", has_text="Saved").wait_for()
        if page.locator("[data-do=copy]").count():
            page.keyboard.press("g")
            keys += 1
            page.locator("#saving", has_text="Saved").wait_for()
        if page.locator(".similar").count():
            page.keyboard.press("s")
            page.locator(".variants li").first.wait_for()
            if pictures:
                _picture(page, pictures)
            page.keyboard.press("G")
            keys += 2
            page.locator(".said", has_text="more have this mark").wait_for()
        page.keyboard.press("n")
        keys += 1
        page.locator(f'.desk:not([data-id="{here}"])').wait_for()
    return keys, looks


def _plain(text: str) -> set[str]:
    return set(text.replace("\n", " ").split())


def _common(written: Written, shown: set[str]) -> float:
    """Return how alike a known text and a shown one are."""
    words = _plain(written.text)
    return len(words & shown) / len(words | shown)


def _picture(page: Any, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.screenshot(path=folder / f"marking-{width}.png", full_page=True)
    page.set_viewport_size({"width": 1280, "height": 900})


if __name__ == "__main__":
    main()
