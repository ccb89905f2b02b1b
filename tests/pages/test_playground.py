"""The playground, used in a browser: what is right there is right in the homework."""

import html
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder.authoring.leaks.search import Secrets
from autograder.course import homework
from autograder.records.homework import Homework
from tests.helpers import ROOT
from tests.pages import levels
from tests.pages.levels import NEAR, OTHERS, PAGE, SOLUTIONS, Matrices

pytestmark = pytest.mark.slow

TEXT = PAGE.read_text(encoding="utf-8")
SCRIPT = TEXT.split('<script type="module">\n')[1].split("</script>")[0]
GRADED = ("identity", "copy_first", "unique")
"""Levels that are questions of homework 2."""
COUNTED = re.compile("^(Right on|All lamps)")
SECONDS = 30_000
"""A busy machine tries 2,188 words in some seconds, in milliseconds."""

Opened = Callable[..., Any]


@pytest.fixture
def opened(browser: Any) -> Iterator[Opened]:
    """Return what opens the playground, at a link, and waits until all words were tried."""
    contexts = []

    def open_page(link: str = "", address: str = PAGE.as_uri(), **options: Any) -> Any:
        context = browser.new_context(**{"reduced_motion": "reduce", **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(SECONDS)
        page.errors = []
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.goto(address + link)
        page.locator("#status").filter(has_text=COUNTED).wait_for()
        return page

    yield open_page
    for context in contexts:
        context.close()


def lamps(page: Any) -> dict[int, int]:
    """Return how many words of each length are right, from the lamps."""
    found = {}
    for lamp in page.locator(".lamp").all():
        length, right, total, lit = re.fullmatch(
            r"Length (\d): (\d+) of (\d+) right(, lit)?", lamp.get_attribute("aria-label")
        ).groups()
        assert bool(lit) == (right == total) == ("lit" in lamp.get_attribute("class"))
        found[int(length)] = int(right)
    return found


def counted(level: str, matrices: Matrices) -> dict[int, int]:
    """Return how many words of each length are right, by the references in numpy."""
    return {
        length: sum(levels.is_right(level, matrices, word) for word in words)
        for length, words in levels.words(level).items()
    }


def python_of(page: Any) -> Any:
    """Copy as Python, run that as an answer cell does, and return what the function returns."""
    page.locator("#python").click()
    page.locator("#copied:not(:empty)").wait_for()
    names: dict[str, Any] = {"np": np}
    exec(page.locator("#text").input_value(), names)
    (function,) = (item for name, item in names.items() if name.endswith("_weights"))
    return function()


def test_each_level_has_a_solution_here() -> None:
    """There is also a near solution; the page lists the levels."""
    shown = re.findall(r'<button type="button" data-level="(\w+)">', TEXT)
    assert shown == re.findall(r'<article data-level="(\w+)"', TEXT)
    assert shown == list(SOLUTIONS) == list(NEAR)


@pytest.mark.parametrize("level", SOLUTIONS)
def test_a_solution_lights_all_lamps(level: str, opened: Opened) -> None:
    """And its Python is the same matrices: in homework 2 and 7 they are right as well."""
    matrices = SOLUTIONS[level]()
    page = opened(levels.link(level, matrices))
    every = {length: len(words) for length, words in levels.words(level).items()}
    assert lamps(page) == every == counted(level, matrices)
    total = sum(every.values())
    assert (
        page.locator("#status")
        .inner_text()
        .startswith(f"All lamps are lit: right on all {total:,} words")
    )
    assert {"identity": 1092, "most_frequent": 822}.get(
        level, 2188 if level in levels.LETTERS else 120
    ) == total
    answer = python_of(page)
    if level in levels.LETTERS:
        for got, wanted in zip(
            _flat(answer), _flat(levels.induction_answer(matrices)), strict=True
        ):
            np.testing.assert_array_equal(got, wanted)
        return
    names = [name for name in ("Km", "Qm", "Vm", "pos") if name in matrices]
    for name, matrix in zip(names, answer, strict=True):
        np.testing.assert_array_equal(matrix, matrices[name])
    assert page.errors == []


@pytest.mark.parametrize("level", OTHERS)
def test_a_different_design_lights_them_too(level: str, opened: Opened) -> None:
    """Fewer numbers, angles, letters in place of positions: what counts is what comes out."""
    page = opened(levels.link(level, OTHERS[level]))
    assert lamps(page) == {length: len(words) for length, words in levels.words(level).items()}


def _flat(answer: Any) -> list[Any]:
    E, pos, layers, U = answer
    return [E, pos, *(matrix for layer in layers for matrix in layer), U]


@pytest.mark.parametrize("level", SOLUTIONS)
def test_a_near_solution_does_not(level: str, opened: Opened) -> None:
    """The lamps count as the references do, and the page names the first word that is wrong."""
    page = opened(levels.link(level, NEAR[level]))
    right = counted(level, NEAR[level])
    assert lamps(page) == right
    asked = levels.words(level)
    assert any(right[length] < len(asked[length]) for length in right)
    first = next(
        word
        for words in asked.values()
        for word in words
        if not levels.is_right(level, NEAR[level], word)
    )
    spelt = " ".join("ABCD"[token] for token in first)
    assert f"The first wrong one is {spelt}: " in page.locator("#status").inner_text()
    page.locator("#wrong").click()
    assert page.locator("#typed").input_value() == spelt.replace(" ", "")


@pytest.mark.parametrize("level", GRADED)
@pytest.mark.parametrize("gain", [0.02, 0.3, 0.42, 0.5, 0.62, 0.75, 1.0, -1.0])
def test_what_is_right_here_is_right_in_the_homework(
    level: str, gain: float, opened: Opened, hw2: Homework
) -> None:
    """And the other way round, at scores around those that are just sharp enough."""
    matrices = SOLUTIONS[level]()
    matrices = {**matrices, "Km": gain * np.asarray(matrices["Km"])}
    page = opened(levels.link(level, matrices))
    found = lamps(page)
    assert found == counted(level, matrices)
    names = ("Km", "Qm", "Vm", "pos")
    value = {name: np.array(one) for name, one in zip(names, python_of(page), strict=False)}
    (question,) = (one for one in hw2.questions if one.id == level)
    total = sum(map(len, levels.words(level).values()))
    assert (question.check({}, value).fraction == 1) == (sum(found.values()) == total)


@pytest.mark.parametrize("level", GRADED)
def test_gains_are_on_both_sides(level: str) -> None:
    """The largest of them is right for all words, the smallest is not."""
    total = sum(map(len, levels.words(level).values()))
    right = {}
    for gain in (0.02, 1.0):
        matrices = SOLUTIONS[level]()
        matrices["Km"] = gain * np.asarray(matrices["Km"])
        right[gain] = sum(counted(level, matrices).values())
    assert right[0.02] < right[1.0] == total


def test_overflow_is_right_for_no_word(opened: Opened) -> None:
    """The homework treats it in the same way."""
    matrices = levels.identity(gain=1e200)
    page = opened(levels.link("identity", {**matrices, "Km": 1e200 * np.eye(3)}))
    assert set(lamps(page).values()) == {0}


def test_the_keyboard_alone_solves_a_level(opened: Opened) -> None:
    """Tab goes to a matrix, arrows move in it, Shift with an arrow adds 1."""
    page = opened("#identity")
    press = page.keyboard.press
    for name, number in (("Qm", "30"), ("Km", "1"), ("Vm", "1")):
        while page.evaluate("document.activeElement.id") != f"{name}_0_0":
            press("Tab")
        for place in range(3):
            page.keyboard.type(number)
            if place < 2:
                press("ArrowDown")
                press("ArrowRight")
    press("Shift+ArrowUp")
    assert page.locator("#Vm_2_2").input_value() == "2"
    press("Shift+ArrowDown")
    page.locator("#status.done").wait_for()
    assert sum(lamps(page).values()) == 1092
    while page.evaluate("document.activeElement.id") != "next":
        press("Shift+Tab")
    press("Enter")
    assert page.locator("article:not([hidden]) h2").inner_text() == "Copy first"
    assert page.evaluate("document.activeElement.textContent") == "Copy first"
    assert page.errors == []


def test_a_cell_is_dragged_and_it_can_be_undone(opened: Opened) -> None:
    """8 pixels sideways are 1; all of a drag is one step back."""
    page = opened("#identity")
    cell = page.locator("#Qm_1_2")
    box = cell.bounding_box()
    x, y = box["x"] + 9, box["y"] + 9
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 8 * 12, y, steps=12)
    page.mouse.up()
    assert cell.input_value() == "-12"
    page.keyboard.type("2,5")
    page.get_by_role("button", name="Km: 1 on the diagonal").click()
    assert page.locator("#Qm_1_2").input_value() == "2.5"
    assert page.locator("#Km_2_2").input_value() == "1"
    page.locator("#undo").click()
    page.locator("#undo").click()
    assert page.locator("#Qm_1_2").input_value() == "0"
    assert page.locator("#undo").is_disabled()


def test_what_is_no_number_changes_nothing(opened: Opened) -> None:
    """The cell says so, and shows its number again once it is left."""
    page = opened("#identity")
    page.locator("#Qm_0_0").fill("7")
    page.locator("#Qm_0_0").fill("seven")
    assert page.locator("#Qm_0_0").get_attribute("aria-invalid") == "true"
    page.locator("#Qm_0_1").focus()
    assert page.locator("#Qm_0_0").input_value() == "0"


def test_escape_takes_back_what_was_typed(opened: Opened) -> None:
    page = opened("#identity")
    page.locator("#Qm_0_0").fill("7")
    page.locator("#Qm_0_1").focus()
    page.locator("#Qm_0_0").fill("3")
    page.keyboard.press("Escape")
    page.locator("#Qm_0_1").focus()
    assert page.locator("#Qm_0_0").input_value() == "7"


def test_numbers_of_an_earlier_visit_are_kept(opened: Opened) -> None:
    """In this browser, without a link; each level on its own."""
    page = opened("#reverse")
    page.locator("#Qm_0_0").fill("7")
    page.goto("about:blank")
    page.goto(PAGE.as_uri())
    page.locator('[data-level="reverse"]').first.click()
    assert page.locator("#Qm_0_0").input_value() == "7"
    page.locator('[data-level="identity"]').first.click()
    assert page.locator("#Qm_0_0").input_value() == "0"


def test_no_wrong_word_is_offered_while_words_are_tried(opened: Opened) -> None:
    """It may have become right meanwhile."""
    page = opened("#induction_pointer")
    assert page.locator("#wrong").is_enabled()
    changed = """() => {
        const cell = document.getElementById("Vm2_0_0");
        cell.focus();
        cell.value = "3";
        cell.dispatchEvent(new Event("input", { bubbles: true }));
        return document.getElementById("wrong").disabled;
    }"""
    assert page.evaluate(changed)
    page.locator("#wrong:enabled").wait_for()
    assert page.errors == []


def test_a_design_that_is_only_too_soft_is_told_so(opened: Opened) -> None:
    """A tenth of the solution's queries: right tokens are the largest, and not near 1."""
    soft = SOLUTIONS["identity"]()
    page = opened(levels.link("identity", {**soft, "Qm": 0.2 * soft["Qm"]}))
    assert "The right token is the largest on every word" in page.locator("#status").inner_text()
    page = opened("#identity")
    assert "is the largest on every word" not in page.locator("#status").inner_text()


def test_sizes_keep_the_numbers_that_still_fit(opened: Opened) -> None:
    """Rows of pos are added to Qm, Km and Vm, between the letters and the note."""
    matrices = SOLUTIONS["induction_shift"]()
    page = opened(levels.link("induction_shift", matrices))
    page.locator("[name=pos_dim]").fill("7")
    page.locator("[name=pos_dim]").blur()
    page.locator("#Qm2_14_0").wait_for()
    assert page.locator("#Km2_11_0").input_value() == "1"  # the first row of the note
    assert page.locator("#pos_5_6").input_value() == "0"
    page.locator("#status.done").wait_for()
    assert sum(lamps(page).values()) == 2188


@pytest.mark.parametrize("level", ["unique", "induction_pointer"])
def test_a_shared_link_opens_the_same_numbers(level: str, opened: Opened) -> None:
    """This holds for any numbers, and for the browser's address after a reload."""
    generator = np.random.default_rng(1)
    matrices = {
        name: generator.normal(size=np.shape(matrix)) * 10.0 ** generator.integers(-9, 9)
        for name, matrix in SOLUTIONS[level]().items()
    }
    page = opened(levels.link(level, matrices))
    page.locator("#share").click()
    page.locator("#copied:not(:empty)").wait_for()
    shared = page.locator("#text").input_value()
    assert shared == page.url
    again = opened(address=shared.replace(",", "%2C"))
    for got, wanted in zip(python_of(again), python_of(page), strict=True):
        assert str(got) == str(wanted)
    again.reload()
    again.locator("#status").filter(has_text=COUNTED).wait_for()
    again.locator("#share").click()
    assert again.locator("#text").input_value() == shared


@pytest.mark.parametrize(
    "link",
    [
        "#nonsense",
        "#identity/Qm=1",
        "#identity/Qm=1,0,0_0,1,0_0,0,1/Km=1,0,0_0,1,0_0,0,1/Vm=1,0_0,1_0,0",
        "#identity/Qm=x,0,0_0,1,0_0,0,1/Km=1,0,0_0,1,0_0,0,1/Vm=1,0,0_0,1,0_0,0,1",
        "#identity/Qm=1e999,0,0_0,1,0_0,0,1/Km=1,0,0_0,1,0_0,0,1/Vm=1,0,0_0,1,0_0,0,1",
        "#constructor/Qm=1",
        "#%E0%A4%A",
        "#<img src=x onerror=document.title=1>",
    ],
)
def test_a_broken_link_loads_nothing(link: str, opened: Opened) -> None:
    """The page says so and begins with the first level."""
    page = opened(link)
    assert (
        page.locator("#copied")
        .inner_text()
        .startswith("There are no numbers of a level in this link")
    )
    assert page.locator("article:not([hidden]) h2").inner_text() == "Identity"
    assert page.title() == "Playground"
    assert page.errors == []


def test_a_typed_word_is_shown_step_by_step(opened: Opened) -> None:
    """Scores, weights, output, token by token; the slider goes to any step."""
    page = opened(
        levels.link("copy_first", SOLUTIONS["copy_first"]()), reduced_motion="no-preference"
    )
    page.locator("#typed").fill("cx ab")
    assert page.locator("[data-step].later").count() == 0  # who looks at whom, at once
    page.locator("#play").click()
    assert page.locator("#play").inner_text() == "Stop"
    page.locator("[data-step].later").first.wait_for(state="attached")
    page.locator("#play").get_by_text("Play").wait_for()  # by itself
    assert page.locator("#typed").input_value() == "CAB"
    assert page.locator("[data-step].later").count() == 0
    slider = page.locator("#steps")
    assert slider.get_attribute("max") == "9"
    said = []
    for step in (1, 2, 3):
        slider.fill(str(step))
        said.append(page.locator("#caption").inner_text())
    assert [line[:12] for line in said] == ["C₀ asks with", "Softmax make", "The average "]
    assert said[2].endswith("C₀ gives (0, 0, 1); it should give C, within 0.001.")
    assert slider.get_attribute("aria-valuetext") == said[2]


def test_nothing_moves_until_somebody_presses_play(opened: Opened) -> None:
    """This holds for any system setting on motion."""
    page = opened("#copy_first", reduced_motion="no-preference")
    page.locator("#typed").fill("ABCA")
    assert page.locator("#play").inner_text() == "Play"
    assert page.locator("[data-step].later").count() == 0
    moving = page.evaluate(
        "document.getAnimations().filter(one => one.playState == 'running').length"
    )
    assert moving == 0


def test_words_that_a_level_does_not_ask_about(opened: Opened) -> None:
    """They can be typed; the page says that they do not count."""
    page = opened("#induction_shift")
    page.locator("#typed").fill("ABCD")
    assert page.locator("#caption").inner_text() == "This level does not ask about A B C D."


def test_a_screen_reader_hears_the_result(opened: Opened) -> None:
    """In a live region, once for what is typed quickly."""
    page = opened("#identity")
    status = page.locator("#status")
    assert (status.get_attribute("role"), status.get_attribute("aria-live")) == ("status", "polite")
    before = status.inner_text()
    page.locator("#Vm_0_0").fill("1")
    status.get_by_text("Right on 6 of 1,092 words").wait_for()
    assert status.inner_text() != before
    picture = page.locator("#picture")
    assert picture.get_attribute("aria-label").startswith("Who looks at whom, with which weight: ")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_each_level_fits_and_axe_finds_nothing(width: int, scheme: str, opened: Opened) -> None:
    """Solved or nearly so, at both widths and in both colour schemes."""
    from axe_playwright_python.sync_playwright import Axe

    page = opened(
        viewport={"width": width, "height": 800},
        color_scheme=scheme,
        bypass_csp=True,  # for axe alone
    )
    for level in SOLUTIONS:
        matrices = SOLUTIONS[level]() if scheme == "light" else NEAR[level]
        page.evaluate("link => { location.hash = link }", levels.link(level, matrices))
        page.locator(f"article[data-level={level}]").wait_for()
        page.locator("#python").click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width, level
        found = Axe().run(page)
        assert found.violations_count == 0, f"{level}\n{found.generate_report()}"
    dark = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", dark))) < 100) == (scheme == "dark")
    assert page.errors == []


def test_nothing_leaves_the_page(browser: Any) -> None:
    """It asks for nothing but itself, and its policy would refuse more."""
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(PAGE.as_uri())
    page.locator("#typed").fill("AB")
    page.locator("#share").click()
    assert [url for url in asked if not url.startswith("data:")] == [PAGE.as_uri()]
    with pytest.raises(Exception, match="Failed to fetch"):
        page.evaluate("() => fetch('https://example.org')")
    page.close()
    assert not re.search(r'(?:src|href)="(?!data:)|@import|url\(', TEXT)
    assert "http" not in SCRIPT.replace("http://www.w3.org/", "")


def test_it_works_inside_a_notebook(browser: Any, tmp_path: Path) -> None:
    """As `IPython.display.HTML` shows it: in a frame that has no address of its own."""
    around = tmp_path / "notebook.html"
    around.write_text(f'<iframe width=900 height=900 srcdoc="{html.escape(TEXT)}"></iframe>')
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(around.as_uri())
    frame = page.frame_locator("iframe")
    for name in ("Qm", "Km", "Vm"):
        frame.get_by_role("button", name=f"{name}: 1 on the diagonal").click()
    for _ in range(5):
        frame.get_by_role("button", name="Qm: double").click()
    frame.locator("#status.done").wait_for(timeout=SECONDS)
    frame.locator("#share").click()
    assert frame.locator("#text").input_value().startswith("#identity/Qm=32,0,0_")
    assert errors == []
    page.close()


def test_no_solution_is_in_the_file(opened: Opened) -> None:
    """No numbers of a matrix, and no lamp of a level is lit before something is changed."""
    assert not re.search(r"\[\s*\[\s*-?\d", TEXT.replace("[[-1, 0]", ""))
    assert not re.search(r"[QKV]m\d?=-?\d", TEXT)
    page = opened()
    for level in SOLUTIONS:
        page.locator(f"#levels [data-level={level}]").click()
        page.locator("#status", has_text="Right on 0 of ").wait_for()
        assert set(lamps(page).values()) == {0}, level


@pytest.mark.parametrize("name", homework.names(ROOT))
def test_no_homework_refuses_the_page_on_the_site(name: str) -> None:
    """What it copies must not be a run of tokens in an answer: the site would not be written."""
    found = Secrets.of(ROOT, homework.load(ROOT, name))
    assert not found.leaks_in_files({Path(PAGE.name): PAGE.read_bytes()})


def test_examples_on_the_page_are_right() -> None:
    """Each word with what the level asks for."""
    seen = 0
    for level, article in re.findall(
        r'<article data-level="(\w+)" hidden>(.*?)</article>', TEXT, re.S
    ):
        for word, given in re.findall(r"<li>([A-D ]+) → ([^<]+)</li>", article):
            tokens = tuple("ABCD".index(letter) for letter in word.split())
            names = {1: "+", -1: "−"} if level == "unique" else dict(enumerate("ABCD"))
            assert given.split() == [names[one] for one in levels.target(level, tokens)]
            assert tokens in levels.words(level).get(len(tokens), [tokens])
            seen += 1
    assert seen == 2 * len(SOLUTIONS)


@pytest.mark.parametrize(
    ("typed", "kept", "said"),
    [
        ("", "0", ""),
        ("3/2", "1.5", ""),
        ("1,5", "1.5", ""),
        ("99999", "99999", ""),
        ("2*3", "0", "“2*3” is not a number up to 100,000, so 0 stays."),
        ("3/0", "0", "“3/0” is not a number up to 100,000, so 0 stays."),
        ("1e40", "0", "“1e40” is not a number up to 100,000, so 0 stays."),
    ],
)
def test_what_is_typed_is_taken_or_named(typed: str, kept: str, said: str, opened: Opened) -> None:
    """An empty cell is 0."""
    page = opened("#identity")
    cell = page.locator("#Qm_0_0")
    cell.fill("7")
    cell.fill(typed)
    page.locator("#Km_0_0").focus()
    assert cell.input_value() == kept
    assert page.locator("#copied").inner_text() == said


def test_what_was_copied_goes_with_the_numbers(opened: Opened) -> None:
    """Nobody pastes the function of a different level."""
    page = opened("#reverse")
    page.locator("#python").click()
    page.locator("#text").wait_for()
    page.locator("[data-level=unique]").first.click()
    page.locator("#text").wait_for(state="hidden")
    assert page.locator("#copied").inner_text() == ""


def test_the_explanation_is_that_of_the_level(opened: Opened) -> None:
    """Rows that only some levels have, and what of an output counts."""
    said = {
        level: opened(f"#{level}").locator("main").inner_text()
        for level in ("identity", "reverse", "unique", "most_frequent")
    }
    for words, levels_with_it in {
        "if it is 1 for A": ["identity", "reverse"],
        "the length of its word, then": ["reverse"],
        "only its sign counts": ["unique"],
        "or at CLS": ["unique"],
        "Only the largest output": ["most_frequent"],
    }.items():
        assert [level for level, text in said.items() if words in text] == levels_with_it


def test_its_script_is_short() -> None:
    """At most 600 lines that are not empty, none of them long, in one file."""
    lines = [line for line in SCRIPT.splitlines() if line]
    assert len(lines) <= 600
    assert max(map(len, lines)) <= 120
    assert [path.name for path in (ROOT / "extras").iterdir()] == [PAGE.name]
