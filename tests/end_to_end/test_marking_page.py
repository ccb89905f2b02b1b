"""mark: from the first click to the gradebook, in a real browser."""

import contextlib
import http.client
import shutil
import urllib.parse
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from autograder.course import homework
from tests.active_content import ACTIVE, OWNED
from tests.gradebooks import call, comment, give, grades, put, run
from tests.helpers import TOY, of_code
from tests.marking_course import (
    Served,
    check_access,
    hand_in,
    make_class,
    scores,
    serve,
    visit,
    watch,
    written_question,
)
from tests.redteam.attacks.active import EVIL
from tests.redteam.attacks.active import NAME as EVIL_NAME

pytestmark = [pytest.mark.slow, pytest.mark.turns(4)]

TEXTS = [
    "It is 0 / 0, for which numpy gives nan: $\\frac{0}{0}$ is undefined.",
    "Because otherwise it would be wrong.",
    "There is nothing to divide by, so somebody has to choose.",
    "A sum over nothing, divided by 0; 0 leaves a total as it is.",
    "I do not know what the mean of no numbers is.",
]
HOSTILE = ["\n\n".join(ACTIVE), EVIL, EVIL_NAME]
"""The last two are the red team's."""
OpenPage = Callable[..., Any]


def sized(width: int) -> dict[str, int]:
    """Return the size of a window."""
    return {"width": width, "height": 800}


@pytest.fixture(scope="module")
def page_of_class(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Served]]:
    course = make_class(tmp_path_factory.mktemp("class") / "course", [*TEXTS, *HOSTILE])
    with serve(course) as served:
        yield course, served


@pytest.fixture
def opened(browser: Any, page_of_class: tuple[Path, Served]) -> Iterator[Any]:
    """Return a page, and fail if it complains or if a request leaves the machine."""
    with visit(browser, page_of_class[1], harmless=True, viewport=sized(1280)) as page:
        yield page


@pytest.fixture
def open_page(browser: Any) -> Iterator[OpenPage]:
    """Return a function that serves a course and opens its page, both until the test ends."""
    with contextlib.ExitStack() as stack:

        def opened(course: Path, *words: str, **looks: Any) -> Any:
            served = stack.enter_context(serve(course, *words))
            return stack.enter_context(visit(browser, served, **looks))

        yield opened


def saved(page: Any) -> None:
    """Wait until the server has all changes."""
    expect(page.locator("#saving")).to_have_text("Saved")


def write_comment(page: Any, text: str) -> None:
    """Type a comment with the keys of the page."""
    page.keyboard.press("c")
    page.keyboard.type(text)
    page.keyboard.press("Escape")


def student(page: Any, course: Path) -> str:
    """Return whose answer a page shows."""
    return written_question(course).one(page.locator(".desk").get_attribute("data-id")).student


def _id(course: Path, who: str) -> str:
    return next(one.id for one in written_question(course).all() if one.student == who)


def mark_of(course: Path, who: str) -> tuple[object, object]:
    """Return a person's mark, and whether a person is needed."""
    row = grades(course, who)["argue"]
    return row[1], row[3]


def test_keys_mark_an_answer_and_go_on(opened: Any, page_of_class: tuple[Path, Served]) -> None:
    """Items, adjustment, comment, undo, an item that changes, formgrader's mark, and the end."""
    course, _ = page_of_class
    page, first = opened, student(opened, course)
    # Marks, a comment, and an adjustment.
    page.keyboard.press("1")
    expect(page.locator(".score")).to_have_text("1")
    page.keyboard.press("f")
    expect(page.locator(".score")).to_have_text("2")
    saved(page)
    assert mark_of(course, first) == (2, False)
    page.keyboard.press("2")
    expect(page.locator(".score")).to_have_text("1")
    page.keyboard.press("a")
    page.keyboard.type("0.5")
    page.keyboard.press("Escape")
    expect(page.locator(".score")).to_have_text("1.5")
    write_comment(page, "Which value is chosen?")
    expect(page.locator("#comment")).to_have_attribute("data-seen", "Which value is chosen?")
    saved(page)
    assert mark_of(course, first) == (1.5, False)
    assert comment(course, first, "argue")[1] == "Which value is chosen?"
    # The next answer; a comment that was used before; undo.
    page.keyboard.press("n")
    expect(page.locator(".score")).to_have_text("–")
    second = student(page, course)
    assert second != first
    page.keyboard.press("c")
    page.keyboard.type("valu")
    page.locator("#bank button").click()
    expect(page.locator("#comment")).to_have_value("Which value is chosen?")
    saved(page)
    page.keyboard.press("Escape")
    page.keyboard.press("0")
    expect(page.locator(".score")).to_have_text("0")
    saved(page)
    assert mark_of(course, second) == (0, False)
    page.keyboard.press("u")
    expect(page.locator(".score")).to_have_text("–")
    assert mark_of(course, second) == (None, True)
    page.keyboard.press("1")
    expect(page.locator(".score")).to_have_text("1")
    # An item gives less from now on: both marks follow.
    page.locator(".items .change summary").first.click()
    form = page.locator(".items .form").first
    form.locator("[name=points]").fill("0.5")
    form.locator("[data-save]").click()
    expect(page.locator(".said")).to_have_text(
        "The item has changed for everybody; marks changed: 2."
    )
    assert [mark_of(course, who) for who in (first, second)] == [(1.0, False), (0.5, False)]
    # A mark of formgrader's is shown, and replaced only on purpose.
    page.keyboard.press("n")
    expect(page.locator(".score")).to_have_text("–")
    third = student(page, course)
    give(course, third, "argue", 1.25)
    page.reload()
    page.goto(f"/toy/argue/answer/{_id(course, third)}")
    expect(page.locator(".note")).to_contain_text("Marked in formgrader: 1.25 points.")
    page.locator("[data-do=replace]").click()
    expect(page.locator(".score")).to_have_text("–")
    page.keyboard.press("0")
    expect(page.locator(".score")).to_have_text("0")
    for key in "n2n2n2n2n2":  # faster than any answer can be there
        page.keyboard.press(key)
    page.keyboard.press("n")
    expect(page.locator(".answer h2")).to_have_text("All done")
    assert sorted(str(score) for score in scores(course).values()) == sorted(
        ["1.0", "0.5", "0.0", "1.0", "1.0", "1.0", "1.0", "1.0"]
    )
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_contain_text("undo your last change")


UNFOLDED = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"
BROKEN_OFF = """() => {
    const whole = window.fetch;
    window.fetch = async (...given) => {
        const { status } = await whole(...given);
        window.fetch = whole;
        const body = new ReadableStream({ start: (one) => one.error(new TypeError("gone")) });
        return new Response(body, { status });
    };
}"""


@pytest.mark.parametrize("key", ["1", "n"])
def test_a_server_that_ends_within_an_answer_is_called_again(
    open_page: OpenPage, tmp_path: Path, key: str
) -> None:
    """Its head was there and its text was not: the page neither waits for ever nor loses a mark."""
    course = make_class(tmp_path / "course", TEXTS)
    page = open_page(course)
    first = student(page, course)
    page.evaluate(BROKEN_OFF)
    page.keyboard.press(key)
    page.keyboard.press("2")
    saved(page)
    expect(page.locator(".score")).to_have_text("2" if key == "1" else "1")
    assert (student(page, course) == first) is (key == "1")


def test_identical_answers_get_one_mark(open_page: OpenPage, tmp_path: Path) -> None:
    """They come one after another, `g` gives all of them the mark, and one undo takes it back."""
    course = make_class(tmp_path / "course", ["The same words."] * 4 + ["Other words."])
    page = open_page(course)
    if "Other words." in page.inner_text(".text"):
        page.keyboard.press("n")
    expect(page.locator(".marks .note")).to_contain_text("3 more with exactly this text wait.")
    for key in "1g":
        page.keyboard.press(key)
    expect(page.locator(".said")).to_have_text("Applied to 3 other answers.")
    assert sorted(map(str, scores(course).values())) == ["1.0"] * 4 + ["None"]
    page.keyboard.press("u")
    expect(page.locator(".said")).to_contain_text("Undone: gave one mark to 3 more")
    assert sorted(map(str, scores(course).values())) == ["1.0"] + ["None"] * 4


def test_an_undo_that_is_sent_again_undoes_one_change(open_page: OpenPage, tmp_path: Path) -> None:
    """The server undid it, and ended before the page knew: the earlier mark stays."""
    course = make_class(tmp_path / "course", TEXTS[:1])
    page = open_page(course)
    for key, total in (("1", "1"), ("2", "2")):
        page.keyboard.press(key)
        expect(page.locator(".score")).to_have_text(total)
    page.evaluate(BROKEN_OFF)
    page.keyboard.press("u")
    expect(page.locator(".said")).to_contain_text("Undone: gave")
    expect(page.locator(".score")).to_have_text("1")
    assert scores(course) == {"s0000": 1.0}
    page.keyboard.press("u")
    expect(page.locator(".score")).to_have_text("–")


def resubmit(course: Path, who: str, text: str) -> None:
    """Grade another text of somebody's and fill the gradebook, as `autograder mark` does."""
    shutil.rmtree(course / "graded" / who)
    hand_in(course / "graded", who, text)
    status, said = run(course, "gradebook", course / "graded")
    assert status == 0, said


def test_a_text_that_came_while_a_page_was_open_is_read_first(
    open_page: OpenPage, tmp_path: Path
) -> None:
    """Neither a key for the old text on the page nor `g` for identical ones marks it."""
    course = make_class(tmp_path / "course", ["The same words."] * 3)
    page = open_page(course)
    page.goto(f"/toy/argue/answer/{_id(course, 's0000')}")
    expect(page.locator(".marks .note")).to_contain_text("2 more with exactly this text")
    resubmit(course, "s0000", "Quite different words.")
    page.keyboard.press("1")
    expect(page.locator(".said")).to_contain_text("The text of this answer has changed")
    expect(page.locator(".text")).to_contain_text("Quite different words.")
    expect(page.locator(".score")).to_have_text("–")
    assert set(scores(course).values()) == {None}
    page.keyboard.press("1")
    expect(page.locator(".score")).to_have_text("1")
    page.goto(f"/toy/argue/answer/{_id(course, 's0001')}")
    expect(page.locator(".marks .note")).to_contain_text("1 more with exactly this text")
    resubmit(course, "s0002", "Other words again.")
    page.keyboard.press("2")
    page.keyboard.press("g")
    page.keyboard.press("1")
    saved(page)
    assert scores(course) == {"s0000": 1.0, "s0001": 2.0, "s0002": None}


def test_a_comment_that_was_not_saved_stays_and_is_sent_again(
    open_page: OpenPage, tmp_path: Path
) -> None:
    """Its question was closed for a while: the page does not go on, and warns whoever leaves it."""
    course = make_class(tmp_path / "course", TEXTS)
    page, warnings = open_page(course), list[str]()

    def warned(dialog: Any) -> None:
        warnings.append(dialog.type)
        dialog.accept()

    page.on("dialog", warned)
    first = student(page, course)
    gone = "**/toy/argue/answer/*/comment"
    page.route(gone, lambda route: route.fulfill(status=404, body="There is no such question."))
    write_comment(page, "Which value?")
    expect(page.locator("#saving")).to_have_text("Not saved: There is no such question.")
    page.keyboard.press("n")
    page.wait_for_timeout(300)
    assert student(page, course) == first
    expect(page.locator("#comment")).to_have_value("Which value?")
    page.unroute(gone)
    page.keyboard.press("1")
    saved(page)
    assert mark_of(course, first) == (1, False)
    assert comment(course, first, "argue")[1] == "Which value?"
    page.route(gone, lambda route: route.fulfill(status=404, body="There is no such question."))
    write_comment(page, " Of which numbers?")
    expect(page.locator("#saving")).to_have_text("Not saved: There is no such question.")
    assert warnings == []
    page.goto("about:blank")
    assert warnings == ["beforeunload"]


def test_a_comment_behind_a_refused_mark_stays(open_page: OpenPage, tmp_path: Path) -> None:
    """Another marker was faster: their mark is shown, and the comment is sent with the next key."""
    course = make_class(tmp_path / "course", TEXTS[:1])
    page = open_page(course)
    written_question(course).give_nothing(_id(course, "s0000"), marker="ben", version=0)
    page.locator("#comment").evaluate(
        """field => {
            document.querySelector(".item").click();
            field.value = "Which value?";
            field.dispatchEvent(new Event("change", { bubbles: true }));
        }"""
    )
    expect(page.locator(".said")).to_contain_text("Ben marked this answer meanwhile")
    expect(page.locator("#comment")).to_have_value("Which value?")
    assert not comment(course, "s0000", "argue")[1]
    page.keyboard.press("1")
    saved(page)
    assert comment(course, "s0000", "argue")[1] == "Which value?"


def test_a_comment_that_came_meanwhile_stays(open_page: OpenPage, tmp_path: Path) -> None:
    """The page shows both; what its marker types next changes neither, and gives no mark."""
    course = make_class(tmp_path / "course", TEXTS[:2])
    page = open_page(course)
    first = student(page, course)
    written_question(course).say(_id(course, first), "Which sign?", marker="ben", seen="")
    page.keyboard.press("c")
    page.keyboard.type("Good")
    expect(page.locator("#aside")).to_have_value("Good")
    page.keyboard.type("1, but short")
    expect(page.locator("#comment")).to_have_value("Which sign?")
    page.keyboard.press("Escape")
    write_comment(page, " Which value? ")
    saved(page)
    expect(page.locator("#aside")).to_have_value("Good")
    assert mark_of(course, first) == (None, True)
    both = str(comment(course, first, "argue")[1])
    assert sorted(both.split()) == ["Which", "Which", "sign?", "value?"]


def until_compared(page: Any, id: str, shown: str) -> None:
    """Open an answer until its page has what a process of low priority finds."""
    for _ in range(600):  # other tests come first
        page.goto(f"/toy/argue/answer/{id}")
        if page.locator(shown).count():
            break
        page.wait_for_timeout(100)


def test_nearly_the_same_answers_get_one_mark_after_a_look(
    open_page: OpenPage, tmp_path: Path
) -> None:
    """The page shows how they differ, and only the chosen ones get the mark."""
    long = "It is the number 0 divided by 0, for which somebody has to choose a value that suits us"
    texts = [
        long,
        f"{long}.",
        long.replace("suits", "serves"),
        long.replace("value", "number"),
        "No.",
    ]
    course = make_class(tmp_path / "course", [*texts, long])
    page = open_page(course, bypass_csp=True)
    until_compared(page, _id(course, "s0000"), ".similar")
    expect(page.locator(".similar summary")).to_contain_text("3 more with nearly the same text")
    expect(page.locator(".marks .note")).to_contain_text("1 more with exactly this text")
    page.keyboard.press("s")
    expect(page.locator(".variants li")).to_have_count(3)
    assert sorted(page.locator(".variants del").all_inner_texts()) == ["suits", "value"]
    assert sorted(page.locator(".variants ins").all_inner_texts()) == [".", "number", "serves"]
    check_access(page)
    other = page.locator(".variants li", has_text="serves").locator("input")
    other.uncheck()
    page.keyboard.press("Escape")
    page.locator(".text").click()
    for key in "1G":
        page.keyboard.press(key)
    expect(page.locator(".said")).to_have_text("Applied to 2 other answers.")
    given = {who: score for who, score in scores(course).items() if score is not None}
    assert given == {"s0000": 1.0, "s0001": 1.0, "s0003": 1.0}


def test_what_an_answer_speaks_of_is_above_it(open_page: OpenPage, tmp_path: Path) -> None:
    """The question is open until one has marked; a copy with another number is shown beside its twin."""
    long = "Of the five numbers 3 are above zero, so that the mean is their sum divided by 3 and not 5."
    course = make_class(
        tmp_path / "course", [long, long.replace("five numbers 3", "five numbers 4")]
    )
    page = open_page(course)
    expect(page.locator(".question")).to_have_attribute("open", "")
    page.keyboard.press("q")
    expect(page.locator(".question")).not_to_have_attribute("open", "")
    page.keyboard.press("m")
    expect(page.locator(".notebook h3").first).to_have_text("Around this answer")
    around = page.locator(".notebook > div > .around").all_inner_texts()
    assert "#" not in around[0]  # it is read as Markdown
    assert sum(text.startswith("Of the five") for text in around) == 1
    page.keyboard.press("0")
    saved(page)
    # nbgrader draws the ids, and of two answers that are like no other the smaller id is first.
    numbers = {_id(course, "s0000"): "3", _id(course, "s0001"): "4"}
    before, after = sorted(numbers)
    until_compared(page, after, ".echo")
    assert page.locator(".echo del").all_inner_texts() == [numbers[before]]
    assert page.locator(".echo ins").all_inner_texts() == [numbers[after]]
    assert page.locator(".similar").count() == 0
    expect(page.locator(".question")).not_to_have_attribute("open", "")


def test_a_second_marker_sees_nothing_of_the_first_mark(
    open_page: OpenPage, tmp_path: Path
) -> None:
    """Neither points nor comment; what they give counts for nobody, and axe finds nothing."""
    # Which tenth it is follows from ids that nbgrader draws: of 100 answers one is always in it.
    course = make_class(tmp_path / "course", [f"Answer {n}." for n in range(100)])
    question = written_question(course)
    question.begin([(1.0, "Says so.")])
    for one in question.all():
        item = question.items()[0].id
        question.set_item(one.id, item, on=True, marker="ana", version=0)
        question.say(one.id, "A comment of ana's.", marker="ana", seen="")
    page = open_page(course, "--second", "--marker", "ben", bypass_csp=True)
    expect(page.locator(".answer .note")).to_contain_text("A second mark")
    assert "ana" not in page.inner_text("body")
    expect(page.locator(".score")).to_have_text("–")
    assert page.locator("#comment, .change").count() == 0
    check_access(page)
    page.keyboard.press("0")
    expect(page.locator(".score")).to_have_text("0")
    page.keyboard.press("u")
    expect(page.locator(".score")).to_have_text("–")
    page.keyboard.press("0")
    saved(page)
    expect(page.locator(".progress")).to_contain_text("ben 1")
    assert set(scores(course).values()) == {1.0}


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_nothing_that_a_student_wrote_runs(
    opened: Any, page_of_class: tuple[Path, Served], number: int
) -> None:
    """Neither in the answer nor in the notebook below it; the next test sees such scripts run."""
    course, _ = page_of_class
    opened.goto(f"/toy/argue/answer/{_id(course, f's{len(TEXTS) + number:04}')}")
    opened.locator(".notebook summary").click()
    opened.wait_for_selector(".whole")
    opened.evaluate(UNFOLDED)
    opened.wait_for_selector(".whole pre.code")
    opened.wait_for_timeout(300)
    assert opened.title() == "argue: marking"
    text = opened.locator(".text")
    assert ("script" if number < 2 else "cmd()") in text.inner_text()
    assert (
        text.locator("a, img, script, iframe, form, link, meta, svg, [style], [onerror]").count()
        == 0
    )


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        (f"<script>{OWNED}</script>", "owned"),
        (EVIL, "owned"),
        (EVIL_NAME, "a dialog"),
        ("<img src=http://tracker.invalid/x.png>", "http://tracker.invalid/x.png"),
    ],
)
def test_without_the_guard_it_runs_and_is_seen(browser: Any, text: str, seen: str) -> None:
    """The same texts, as they are, in a page without a policy: by the title or by `watch`."""
    context = browser.new_context()
    context.route("http://**", lambda route: route.abort())  # nothing leaves here, either
    page = context.new_page()
    found = watch(page)
    page.set_content(f"<title>argue: marking</title><div class=text>{text}</div>")
    page.wait_for_timeout(300)
    assert seen in [page.title(), *found]
    context.close()


def test_feedback_of_nbgrader_has_items_points_and_comment(
    open_page: OpenPage, tmp_path: Path
) -> None:
    """From keys on the page to the page that `nbgrader generate_feedback` gives to the student."""
    course = make_class(tmp_path / "course", TEXTS[:1])
    page = open_page(course)
    page.keyboard.press("1")
    expect(page.locator(".score")).to_have_text("1")
    write_comment(page, "Which value is <chosen>?")
    expect(page.locator("#comment")).to_have_attribute("data-seen", "Which value is <chosen>?")
    saved(page)
    words = page.locator(".item span").all_inner_texts()
    call(course, "generate_feedback", "toy", "--student", "s0000")
    page.goto((course / "feedback" / "s0000" / "toy" / "toy.html").as_uri())
    shown = page.locator("#argue").inner_text()
    assert f"+1: {words[0]}" in shown
    assert "Which value is <chosen>?" in shown
    assert "1 / 2" in shown.replace(" of ", " / ")
    assert f"missing (+1): {words[1]}" in shown


def test_axe_finds_nothing_and_a_telephone_is_wide_enough(
    page_of_class: tuple[Path, Served], browser: Any
) -> None:
    """At both widths; nothing has to be scrolled sideways."""
    course, served = page_of_class
    for width in (1280, 390):
        # axe has to be let in; the policy itself is tested above.
        with visit(browser, served, viewport=sized(width), bypass_csp=True) as page:
            page.goto(f"/toy/argue/answer/{_id(course, 's0000')}")
            page.locator(".notebook summary").click()
            page.wait_for_selector(".whole")
            page.evaluate(UNFOLDED)
            check_access(page)
            assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_wide_formula_scrolls_and_not_the_page(tmp_path: Path, open_page: OpenPage) -> None:
    """On a telephone."""
    wide = "$" + " + ".join(f"x_{{{n}}}" for n in range(60)) + "$"
    course = make_class(tmp_path / "course", [wide])
    page = open_page(course, viewport=sized(390), bypass_csp=True)
    page.wait_for_selector(".text math")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    answer = page.locator(".text")
    assert answer.evaluate("it => it.scrollWidth > it.clientWidth")
    check_access(page)


def ask(
    served: Served, path: str, *, method: str = "GET", body: str = "", **headers: str
) -> tuple[int, str]:
    """Send a request as any program on this machine may."""
    address = urllib.parse.urlsplit(served.address)
    connection = http.client.HTTPConnection(str(address.hostname), address.port, timeout=10)
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body=body or None, headers=names)
    response = connection.getresponse()
    found = response.status, response.getheader("set-cookie") or ""
    connection.close()
    return found


def test_the_page_is_closed(page_of_class: tuple[Path, Served]) -> None:
    """Without the token, from another page, or under another name there is nothing."""
    _, served = page_of_class
    place = urllib.parse.urlsplit(served.address).netloc
    status, cookies = ask(served, "/" + served.link.split("/")[-1])
    assert status == 303
    assert cookies.count("HttpOnly") >= 1
    assert "SameSite=lax" in cookies
    session = cookies.split(";")[0]
    assert ask(served, "/toy/argue", Cookie=session)[0] == 200
    assert ask(served, "/toy/argue")[0] == 403
    assert ask(served, "/static/page.js")[0] == 403
    assert ask(served, "/?token=wrong")[0] == 403
    assert ask(served, "/toy/argue", Cookie=f"{session}x")[0] == 403
    assert ask(served, "/toy/argue", Cookie=session, Host="evil.example")[0] == 403
    json = "application/json"
    post = {"method": "POST", "body": "{}", "Cookie": session}
    undo = "/toy/argue/undo"
    assert ask(served, undo, **post, Content_Type=json)[0] == 403
    evil = "http://evil.example"
    assert ask(served, undo, **post, Content_Type=json, Origin=evil)[0] == 403
    own = f"http://{place}"
    assert ask(served, undo, **post, Content_Type="text/plain", Origin=own)[0] == 415
    assert ask(served, undo, **{**post, "body": "[1"}, Content_Type=json, Origin=own)[0] == 400
    assert ask(served, undo, **post, Content_Type=json, Origin=own)[0] in (200, 409)
    assert ask(served, "/toy/other", Cookie=session)[0] == 404
    assert ask(served, "/toy/argue/answer/none", Cookie=session)[0] == 404
    assert ask(served, "/static/../server.py", Cookie=session)[0] == 404


CODE = "def mean(numbers):\n    total = 0\n    return sum(numbers) / 0  # <b>why</b>\n"
ON_A_LINE = "By how many do you divide? <script>owned()</script>"


def test_a_comment_is_on_a_line_of_code(tmp_path: Path, open_page: OpenPage) -> None:
    """It is kept with the mark, read by a screen reader, undone, and in the student's report."""
    course = make_class(tmp_path / "course", TEXTS[:1])
    toy = homework.load(TOY, "toy")
    cells = tuple(
        replace(cell, type="code", source=CODE) if cell.grade_id == "argue" else cell
        for cell in toy.cells
    )
    put(course / "graded", "s0000", replace(of_code(), cells=cells), toy)
    status, said = run(course, "gradebook", course / "graded")
    assert status == 0, said
    page = open_page(course, harmless=True, viewport=sized(1280), bypass_csp=True)
    expect(page.locator(".lines code")).to_have_count(3)
    page.keyboard.press("1")
    saved(page)
    page.keyboard.press("l")
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    field = page.get_by_label("Comment on line 3").and_(page.locator("input"))
    expect(field).to_be_focused()
    page.keyboard.type(ON_A_LINE)
    page.keyboard.press("Escape")
    saved(page)
    expect(page.locator("#comment")).to_have_value(f"Line 3: {ON_A_LINE}")
    expect(field).to_have_value(ON_A_LINE)
    assert comment(course, "s0000", "argue")[1] == f"Line 3: {ON_A_LINE}"
    assert page.locator("input[data-line]:visible").count() == 1
    check_access(page)
    page.keyboard.press("u")
    expect(page.locator("#comment")).to_have_value("")
    page.locator("button[data-line='3']").click()
    field.fill(ON_A_LINE)
    page.keyboard.press("Enter")
    expect(page.locator("#comment")).to_have_value(f"Line 3: {ON_A_LINE}")
    status, said = run(course, "report", course / "graded")
    assert status == 0, said
    text = (course / "graded" / "s0000" / "report.html").read_text()
    assert "Line 3: By how many do you divide? &lt;script&gt;" in text
    report = page.context.new_page()
    report.goto(f"file://{course / 'graded' / 's0000' / 'report.html'}")
    expect(report.locator(".on-line")).to_have_text(f"Line 3: {ON_A_LINE}")
