"""Make the README's pictures from the solutions and from pages, and the notebooks' diagrams.

python -m docs.pages.figures
"""

import base64
import io
import tempfile
from pathlib import Path

from matplotlib import font_manager
from PIL import Image, ImageDraw, ImageFont
from playwright.sync_api import sync_playwright

from autograder.course import course, homework
from autograder.grading.grader import Grader
from autograder.sandbox import mistake_bank
from autograder.sandbox.supervisor import Sandbox
from autograder.submission import discover
from docs.pages import diagrams
from tests import fabricated_class
from tests.gradebooks import make_course
from tests.marking_course import make_class, serve
from tests.pages import levels

ROOT = Path(__file__).parents[2]
NAME = "hw2_transformer"
FIGURES = ROOT / "docs" / "figures"
BROWSER = {"executable_path": "/usr/bin/chromium", "args": ["--no-sandbox", "--headless"]}


HEROES = {
    "hw1_toy_attention": "easy_places",
    "hw2_transformer": "identity_training",
    "hw3_proofs": "scaling_look",
    "hw4_position": "attention_look",
    "hw5_memorization": "memory_look",
    "hw6_grokking": "circles_look",
    "hw7_induction": "patterns_look",
}
"""Of each homework the cell whose last figure stands for it."""
FIRST = ("Ana", "Bo", "Chidi", "Dina", "Emre", "Farah", "Goran", "Hana", "Ivo", "Jun", "Kemi")
LAST = ("Adler", "Baptiste", "Costa", "Dvorak", "Eze", "Fischer", "Gupta", "Horvat", "Ito")
TILE = (560, 400)
"""Pixels of a homework's place in the picture of the course."""


def drawn(name: str, cell_id: str) -> bytes:
    """Return the last figure of a cell of an executed solution, as PNG."""
    cells = homework.read_cells(ROOT / "solutions" / name / f"{name}.ipynb")
    outputs = next(cell.outputs for cell in cells if cell.id == cell_id)
    images = [o["data"]["image/png"] for o in outputs if "image/png" in o.get("data", {})]
    return base64.b64decode(images[-1])


def panels() -> None:
    """Take the learned identity's panels from the executed solution."""
    (FIGURES / "panels.png").write_bytes(drawn(NAME, HEROES[NAME]))


def course_picture() -> None:
    """Put one figure of each homework's solution under its title, four in a row, on no ground."""
    names = homework.names(ROOT)
    across, down = 4, -(-len(names) // 4)
    sheet = Image.new("RGBA", (across * TILE[0], down * TILE[1]), (0, 0, 0, 0))
    font = ImageFont.truetype(font_manager.findfont("DejaVu Sans"), 20)
    for number, name in enumerate(names):
        left, top = number % across * TILE[0], number // across * TILE[1]
        figure = Image.open(io.BytesIO(drawn(name, HEROES[name]))).convert("RGBA")
        figure.thumbnail((TILE[0] - 40, TILE[1] - 80), Image.Resampling.LANCZOS)
        title = homework.load(ROOT, name).title.removeprefix("Homework ").replace(":", ".", 1)
        ImageDraw.Draw(sheet).text((left + 20, top + 16), title, fill="#767676", font=font)
        middle = left + (TILE[0] - figure.width) // 2
        sheet.alpha_composite(figure, (middle, top + 60 + (TILE[1] - 80 - figure.height) // 2))
    sheet.quantize(256, Image.Quantize.FASTOCTREE).save(FIGURES / "course.png", optimize=True)


def report() -> None:
    """Photograph the wrong copy-first of the example `as_in_the_source`."""
    found, _ = discover.find([ROOT / "tests" / "submissions" / NAME / "as_in_the_source.ipynb"])
    with tempfile.TemporaryDirectory() as folder:
        chosen = homework.load(ROOT, NAME)
        with Sandbox() as sandbox, mistake_bank.bank(ROOT, chosen) as bank:
            list(Grader(chosen, course.read(ROOT), sandbox, bank).grade_all(found, Path(folder)))
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(**BROWSER)
            page = browser.new_page(viewport={"width": 700, "height": 800}, device_scale_factor=1.5)
            page.goto((Path(folder) / "as_in_the_source" / "report.html").as_uri())
            page.locator("#copy_first").screenshot(path=FIGURES / "report.png")
            browser.close()


def desk() -> None:
    """Photograph the desk's first page and its list of people: three homeworks of a fabricated class."""
    with tempfile.TemporaryDirectory() as folder:
        root = make_course(Path(folder) / "course", like=ROOT)
        names = homework.names(root)[:3]
        for place, name in enumerate(names):
            worth = {one.id: one.points for one in homework.load(root, name).questions}
            fabricated_class.write(
                root / "out" / name, 240, homework=name, points=worth, seed=place
            )
        people = [f"s{n:05},{FIRST[n % len(FIRST)]} {LAST[n % len(LAST)]}," for n in range(243)]
        (root / "roster.csv").write_text("\n".join(["id,name,email", *people]) + "\n")
        with (
            sync_playwright() as playwright,
            serve(root, "--marker", "Ana", verb=("desk", "out")) as served,
        ):
            browser = playwright.chromium.launch(**BROWSER)
            page = browser.new_page(viewport={"width": 1280, "height": 760})
            page.goto(served.link)
            page.screenshot(path=FIGURES / "desk.png")
            page.goto(f"{served.address}/people")
            page.screenshot(path=FIGURES / "desk_people.png")
            browser.close()


def marking() -> None:
    """Photograph the marking page: an answer with one of two items, and a group that waits beside it."""
    text = (
        "The mean is $\\frac{1}{n}\\sum_{i=1}^{n} x_i$, and for $n = 0$ this is $\\frac{0}{0}$, "
        "which is undefined, so no number is right."
    )
    near = [
        text.replace("so no number", "so no value"),
        text.replace("this is", "it is"),
        text.replace("which is undefined", "which nobody has defined"),
    ]
    others = ["There is nothing to divide by, so somebody chooses.", "It would be wrong.", "0."]
    with tempfile.TemporaryDirectory() as folder:
        group = [text, text, text, *near]
        small_class = make_class(Path(folder) / "course", [*group, *others])
        with sync_playwright() as playwright, serve(small_class) as served:
            browser = playwright.chromium.launch(**BROWSER)
            page = browser.new_page(viewport={"width": 1280, "height": 1150})
            page.goto(served.link)
            page.wait_for_selector(".text")
            while page.locator(".similar").count() == 0:  # another process compares them meanwhile
                page.wait_for_timeout(200)
                page.reload()
            for _ in others:
                if (
                    "undefined" in page.inner_text(".text")
                    and page.locator("[data-do=copy]").count()
                ):
                    break
                here = page.locator(".desk").get_attribute("data-id")
                page.keyboard.press("n")
                page.locator(f'.desk:not([data-id="{here}"])').wait_for()
            page.locator("#desk").focus()
            page.keyboard.press("1")
            page.locator("#saving", has_text="Saved").wait_for()
            page.keyboard.press("s")
            page.locator(".variants li").first.wait_for()
            page.screenshot(path=FIGURES / "marking.png")
            browser.close()


def playground() -> None:
    """Photograph a level of the playground that is not solved yet, at a word."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**BROWSER)
        page = browser.new_page(
            viewport={"width": 1280, "height": 950},
            reduced_motion="reduce",
            device_scale_factor=1.5,
        )
        page.goto(levels.PAGE.as_uri() + levels.link("previous", levels.NEAR["previous"]))
        page.locator("#status:not(:empty)").wait_for()
        page.locator("#typed").fill("ABCA")
        page.locator("h1").click()
        page.screenshot(path=FIGURES / "playground.png", full_page=True)
        browser.close()


if __name__ == "__main__":
    FIGURES.mkdir(exist_ok=True)
    course_picture()
    panels()
    report()
    marking()
    desk()
    playground()
    diagrams.main()
    print(f"wrote the pictures in docs/{FIGURES.name}/")
