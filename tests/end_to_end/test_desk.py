"""desk: a class from an export to the platform's file, in a real browser, by clicks alone."""

import http.client
import json
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright.sync_api import expect

from autograder.staff import regrade_requests
from autograder.staff.desk.jobs import Command, Jobs
from autograder.staff.desk.server import JOBS
from autograder.staff.regrade_requests import Entry, Request
from autograder.store import files
from tests.gradebooks import make_course
from tests.helpers import TOY
from tests.marking_course import Served, hand_in, serve, start, visit
from tests.redteam.attacks.active import EVIL

pytestmark = [pytest.mark.slow, pytest.mark.turns(3)]

DESK = ("desk", "out")
HOSTILE = "<script>document.title='owned'</script>"
EXPLAINED = f"""\
mean: 0 of 3 points
    the student reads:
      {HOSTILE}
  evaluated at the end of the notebook, 1 case
    case 1: wrong
  case 1, the first wrong one
    hidden inputs:
      numbers = [1, 2]
"""
PAGES = (
    "/",
    "/bring",
    "/people",
    "/person/s0",
    "/person/s3",
    "/questions",
    "/questions/toy/",
    "/questions/toy/s1/notebook",
    "/requests/toy",
    "/mark",
    "/mark/toy",
    "/back?homework=toy",
    "/log",
    "/jobs/1",
)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a course with a graded class, whose names and answers are hostile, and submissions to bring in."""
    root = make_course(tmp_path_factory.mktemp("desk") / "course", like=TOY)
    with (root / "course.toml").open("a") as file:
        file.write("\n[homework.toy]\ndue = 2026-11-30T23:59:00\n")
    lines = [f"s{n},{HOSTILE},p{n}@uni.example" for n in range(5)]
    (root / "roster.csv").write_text("\n".join(["id,name,email", *lines, "s9,Di,"]) + "\n")
    for number, text in enumerate([EVIL, HOSTILE]):
        hand_in(root / "out" / "toy", f"s{number}", text)
    asked = [Entry(1, "2026-11-28 07:02", Request("s1", "mean", HOSTILE), 0, 0, "keep", "No.")]
    files.write(root / "out" / "toy" / regrade_requests.FILE, regrade_requests.written(asked))
    job = root / "out" / JOBS / "1"
    job.mkdir(parents=True)
    command = Command("Explain s1 in toy", ("explain", "out"), homework="toy", person="s1")
    files.write_bytes(job / "job.json", msgspec.json.encode(command))
    files.write(job / "output.txt", EXPLAINED)
    files.write(job / "status", "0")
    for number in range(5):
        place = root / "export" / f"s{number}"
        place.mkdir(parents=True)
        solved = (TOY / "solutions" / "toy" / "toy.ipynb").read_text()
        if number > 2:  # two with one mistake that nobody has named
            assert "(numbers > 0).sum())" in solved
            solved = solved.replace("(numbers > 0).sum())", "(numbers > 0).sum()) + 1")
        place.joinpath("toy.ipynb").write_text(solved if number else "no notebook")
    return root


@pytest.fixture(scope="module")
def served(course: Path) -> Iterator[Served]:
    with serve(course, "--marker", "Ana", verb=DESK) as one:
        yield one


@pytest.fixture
def page(browser: Any, served: Served) -> Iterator[Any]:
    size = {"width": 1280, "height": 900}
    with visit(browser, served, harmless=True, viewport=size) as one:
        yield one


def ended(page: Any) -> str:
    """Wait until a job has ended, and return what its page has."""
    page.wait_for_selector('[data-running="no"]', timeout=400_000)
    return str(page.inner_text("#part"))


def test_texts_of_a_notebook_are_read_and_stay_harmless(page: Any) -> None:
    """Markdown becomes headings and lists; no link, picture or script of a student is in it."""
    page.goto("/questions/toy/s1/notebook")
    assert page.locator("main .text strong").count()
    assert (
        page.locator("main .text :is(a, img, script, iframe, svg, [style], [onclick])").count() == 0
    )
    assert page.title() != "owned"


def test_a_class_comes_in_is_changed_and_goes_back(page: Any, course: Path) -> None:
    """Look, grade, extend, compare, write the platform's file, undo it; the log has what people changed."""
    page.goto("/bring")
    page.fill("#submitted", str(course / "export"))
    page.click("form >> nth=0 >> text=Look at it")
    page.wait_for_selector("#found h3")
    assert "5 submissions of toy" in page.inner_text("#found h3")
    assert "1 of the roster without a submission" in page.inner_text("#found")
    page.click('#found button:has-text("Grade 5 submissions")')
    text = ended(page)
    assert "4 of 5 graded" in text
    assert "it is not a notebook" in text

    page.goto("/people?homework=toy&filter=unusable")
    assert page.locator("[data-row]").all_inner_texts() == ["s0"]
    page.fill("#search", "p2@uni")
    page.select_option('[name="filter"]', "")
    expect(page.locator("[data-row]")).to_have_count(1)
    page.keyboard.press("Enter")
    page.wait_for_url("**/person/s2")

    page.click("summary:has-text('Extend')")
    page.fill("[name=until]", "2026-12-05T12:00")
    page.click("text=Write into course.toml")
    page.wait_for_selector('.done:has-text("Due Sat 05 Dec 2026, 12:00")')
    assert (
        "s2" in tomllib.loads((course / "course.toml").read_text())["homework"]["toy"]["extensions"]
    )

    page.reload()
    page.click("summary:has-text('Extend')")
    page.click("text=Take the extension back")
    page.wait_for_selector('.done:has-text("Due Mon 30 Nov")')
    assert (
        "extensions" not in tomllib.loads((course / "course.toml").read_text())["homework"]["toy"]
    )

    page.goto("/questions/toy/")
    page.click("summary:has(~ form:has-text('Name this mistake'))")
    page.fill("form:has-text('Name this mistake') [name=text]", "You count one too many.")
    page.click("text=Name this mistake")
    page.wait_for_selector('.done:has-text("2 reports of this folder")')
    for student in ("s3", "s4"):
        report = (course / "out" / "toy" / student / files.REPORT).read_text()
        assert "You count one too many." in report
    page.goto("/questions/toy/")
    page.click("details:has-text('Remove the sentence') > summary >> nth=0")
    page.click("text=Remove the sentence")
    page.wait_for_selector(".done:has-text('gone from all reports')")
    assert "one too many" not in (course / "out" / "toy" / "s3" / files.REPORT).read_text()

    page.goto("/person/s3")
    with page.expect_navigation():
        page.click("text=why? >> nth=0")
    ended(page)
    assert "Expected" in page.inner_text("#part details.card")

    page.goto("/questions/toy/")
    page.click("text=who would gain or lose?")
    assert "Nothing was written." in ended(page)
    page.fill("[name=text]", "The check was too strict.")
    with page.expect_navigation():
        page.click("text=Keep these marks")
    assert "Done" in ended(page)

    table = course / "canvas.csv"
    table.write_text(
        "Student,ID,SIS User ID,SIS Login ID,Section,Toy: numbers above zero (77)\n"
        '"    Points Possible",,,,,7\n' + "".join(f'"B, A{n}",{n},s{n},l{n},A,\n' for n in range(6))
    )
    page.goto("/back?homework=toy")
    page.set_input_files("[data-upload='#exported']", str(table))
    expect(page.locator("#exported")).not_to_have_value("")
    page.check("[name=provisional]")
    page.fill("[name=without]", "s0")
    with page.expect_navigation():
        page.click("text=Show what would change")
    assert "Write reports and tables" in page.inner_text("h1")  # marks are newer than the reports
    ended(page)
    with page.expect_navigation():
        page.click("#part .main")
    ended(page)
    assert page.inner_text("tr:has-text('s1') >> nth=0").split() == ["s1", HOSTILE, "–", "5"]
    assert not (course / "out" / "toy" / "canvas.csv").exists()
    with page.expect_navigation():
        page.click("text=Write the file")
    ended(page)
    page.goto("/back?homework=toy")
    with page.expect_download() as download:
        page.click("a:has-text('canvas.csv')")
    assert "B, A1" in Path(download.value.path()).read_text()
    with page.expect_navigation():
        page.click("text=Undo: remove it")
    expect(page.locator("a:has-text('canvas.csv')")).to_have_count(0)
    assert not (course / "out" / "toy" / "canvas.csv").exists()

    page.goto("/mark/toy")
    page.click("button:has-text('Prepare the answers')")
    ended(page)
    page.goto("/mark/toy")
    page.click("a:has-text('argue')")
    page.wait_for_load_state("load")
    page.wait_for_selector(".items")
    page.keyboard.press("1")
    expect(page.locator("#saving")).to_have_text("Saved")
    page.goto("/log")
    changes = page.inner_text("main")
    assert "extension" in changes
    assert "gave:" in changes
    assert "Ana" in changes


def test_a_request_is_decided(page: Any, course: Path) -> None:
    """Grant it with a reason on the person's page: the table has it, and the log shows it."""
    page.goto("/person/s1")
    page.fill(".request [name=text]", "The check was too strict.")
    page.press(".request [name=text]", "Enter")  # which is neither of the two decisions
    page.wait_for_timeout(300)
    assert not page.locator(".done").count()
    page.click("button:has-text('Grant')")
    page.wait_for_selector(".done:has-text('Request 1 is granted')")
    (one,) = regrade_requests.entries(course / "out" / "toy" / regrade_requests.FILE)
    assert one.decisions[16:] == " Ana: granted (The check was too strict.)"
    page.goto("/log?q=granted")
    assert "request 1: Ana: granted" in page.inner_text("main")


def test_a_roster_without_addresses_says_what_to_do(page: Any, tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text("id,name\ns1,Ana\n")
    page.goto("/bring")
    page.fill("#list", str(tmp_path / "list.csv"))
    page.click("section:has(#list) >> text=Look at it")
    page.wait_for_selector("#people .note:has-text('add a column email')")


@pytest.mark.parametrize(
    ("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]
)
def test_every_page_fits_and_a_screen_reader_can_use_it(
    browser: Any, served: Served, width: int, scheme: str
) -> None:
    """Nothing is wider than the window, no script of a student runs, and axe finds nothing."""
    from axe_playwright_python.sync_playwright import Axe

    complaints = []
    looks = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
    with visit(browser, served, bypass_csp=True, **looks) as page:
        for place in PAGES:
            page.goto(place)
            if page.evaluate("document.documentElement.scrollWidth") > width:
                complaints.append(f"{place} is wider than {width}")
            assert page.title() != "owned"
            found = Axe().run(page)
            if found.violations_count:
                complaints.append(f"{place}: {found.generate_report()}")
    assert complaints == [], "\n".join(complaints)


def ask(served: Served, path: str, **headers: str) -> int:
    host = served.address.split("//")[1]
    connection = http.client.HTTPConnection(host)
    body = json.dumps({"homework": "toy", "what": "report"})
    connection.request("POST" if headers.get("Origin") else "GET", path, body, headers)
    status = connection.getresponse().status
    connection.close()
    return status


def test_nobody_comes_in_without_the_token(served: Served) -> None:
    """No page, no table, no file, and no job for a request without a session or from a different page."""
    for path in (*PAGES, "/log.csv", "/questions/toy/s1/report.html", "/tokens.css"):
        assert ask(served, path) == 403
    assert ask(served, "/run", Origin=served.address, **{"Content-Type": "application/json"}) == 403
    assert (
        ask(served, "/run", Origin="http://evil.example", **{"Content-Type": "text/plain"}) == 403
    )


def test_a_job_outlives_the_desk(course: Path, browser: Any, tmp_path: Path) -> None:
    """The desk is killed while it grades: the grading goes on, and the next desk shows it."""
    out = tmp_path / "out"
    verb = ("desk", str(out))
    first = start(course, verb=verb)
    with visit(browser, first) as page:
        page.goto("/bring")
        page.fill("#submitted", str(course / "export"))
        page.click("form >> nth=0 >> text=Look at it")
        page.click('#found button:has-text("Grade 5 submissions")')
        page.wait_for_selector("#part")
    first.process.kill()
    first.process.wait()
    if first.process.stdout:
        first.process.stdout.close()
    with serve(course, verb=verb) as second, visit(browser, second) as page:
        page.goto("/jobs/1")
        assert "4 of 5 graded" in ended(page)
    assert (out / "toy" / "s1" / files.GRADE).is_file()


def test_a_job_is_stopped_in_order(course: Path, tmp_path: Path) -> None:
    """A stopped job shows that the same command continues; a lost job does not count as running."""
    jobs = Jobs(course, tmp_path / "jobs")
    (tmp_path / "inbox").mkdir()
    watching = ("grade", "toy", str(tmp_path / "inbox"), "--out", str(tmp_path / "out"), "--watch")
    number = jobs.start(Command("Watch", watching, "Ana", time.time()))
    for _ in range(300):
        if "Watching" in jobs.get(number).output or "atch" in jobs.get(number).output:
            break
        time.sleep(0.1)
    assert jobs.get(number).running
    jobs.stop(number)
    for _ in range(300):
        if not jobs.get(number).running:
            break
        time.sleep(0.1)
    assert not jobs.get(number).running
    time.sleep(0.5)  # the shell around it ends
    (tmp_path / "jobs" / str(number) / "status").unlink()
    assert jobs.get(number).status == -1
