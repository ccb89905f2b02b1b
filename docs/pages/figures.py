"""Make the README's pictures from the solutions and from pages, and the notebooks' diagrams.

python -m docs.pages.figures
"""

import base64
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from autograder.course import course, homework
from autograder.grading.grader import Grader
from autograder.sandbox import mistake_bank
from autograder.sandbox.supervisor import Sandbox
from autograder.submission import discover
from docs.pages import diagrams
from tests.marking_course import make_class, serve

ROOT = Path(__file__).parents[2]
NAME = "hw2_transformer"
FIGURES = ROOT / "docs" / "figures"
BROWSER = {"executable_path": "/usr/bin/chromium", "args": ["--no-sandbox", "--headless"]}


def panels() -> None:
    """Take the learned identity's eight panels from the executed solution."""
    cells = homework.read_cells(ROOT / "solutions" / NAME / f"{NAME}.ipynb")
    outputs = next(cell.outputs for cell in cells if cell.id == "identity_training")
    images = [o["data"]["image/png"] for o in outputs if "image/png" in o.get("data", {})]
    (FIGURES / "panels.png").write_bytes(base64.b64decode(images[-1]))


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


if __name__ == "__main__":
    FIGURES.mkdir(exist_ok=True)
    panels()
    report()
    marking()
    diagrams.main()
    print(f"wrote the pictures in docs/{FIGURES.name}/")
