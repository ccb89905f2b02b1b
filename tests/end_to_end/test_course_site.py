"""`autograder release --site`: a site for students, in a real browser, with nothing of staff/ in it."""

import html.parser
import shutil
import zipfile
from pathlib import Path

import pytest

from autograder.authoring.site import publish
from autograder.authoring.site.write import render_html
from tests.command_line import run
from tests.helpers import TOY

pytestmark = [pytest.mark.slow, pytest.mark.turns(2, whole=True)]


class Page(html.parser.HTMLParser):
    """What a page links to or loads, and its tags."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.tags: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Note one tag."""
        self.tags.add(tag)
        self.links |= {value or "" for name, value in attributes if name in ("href", "src")}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the toy course, with what goes out with every homework."""
    folder = shutil.copytree(TOY, tmp_path_factory.mktemp("site") / "course")
    for name in publish.FOR_STUDENTS:
        (folder / "release" / name).write_text("numpy\n")
    return folder


@pytest.fixture
def site(course: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Write the site."""
    status, _, errors = run(capsys, "publish", "--site", tmp_path / "site", "--course", course)
    assert status == 0, errors
    return tmp_path / "site"


def test_links_lead_somewhere_and_nothing_runs(site: Path) -> None:
    """Pages, notebooks and the style are there; no script, no page of elsewhere is loaded."""
    pages = sorted(site.rglob("*.html"))
    assert len(pages) == 7
    for path in pages:
        page = Page(path.read_text(encoding="utf-8"))
        assert page.tags >= {"h1", "nav", "main"}
        assert not page.tags & {"script", "iframe", "form", "object"}
        for link in page.links:
            assert "://" not in link, link
            assert (path.parent / link.split("#")[0]).exists(), f"{path}: {link}"
    notebook = (site / "toy" / "index.html").read_text(encoding="utf-8")
    assert "YOUR CODE HERE" in notebook


def test_a_homework_is_one_download(course: Path, site: Path) -> None:
    """It contains the release's files in a folder, with the same bytes at every release."""
    with zipfile.ZipFile(site / "toy" / "toy.zip") as zipped:
        release = course / "release" / "toy"
        files = {f"toy/{path.relative_to(release)}": path for path in release.rglob("*")}
        assert {*zipped.namelist()} == {name for name, path in files.items() if path.is_file()}
        assert zipped.read("toy/toy.ipynb") == (release / "toy.ipynb").read_bytes()
    first = (site / "index.html").read_text(encoding="utf-8")
    assert "toy/toy.zip" in first


def test_formulas_are_mathml_and_hints_stay_folded() -> None:
    """They look as in notebooks, and keys scroll a wide table."""
    text = "<details><summary>Hint</summary>\n\n**A** $\\frac12$\n\n</details>\n\n$$N \\times N$$\n\n| a |\n|---|\n| b |\n"
    found = render_html(text)
    assert found.count("<math") == 2
    assert "<summary>Hint</summary>" in found
    assert "<strong>A</strong>" in found
    assert '<div class="wide" tabindex="0"><table>' in found


def test_it_is_usable_on_a_telephone_and_by_a_screen_reader(browser: object, site: Path) -> None:
    """No page is wider than 390 pixels or loads anything; axe-core finds nothing."""
    from axe_playwright_python.sync_playwright import Axe

    for path in sorted(site.rglob("*.html")):
        view = browser.new_page(viewport={"width": 390, "height": 740})  # type: ignore[attr-defined]
        wanted: list[str] = []
        view.on("request", lambda request, wanted=wanted: wanted.append(request.url))
        view.goto(path.as_uri())
        assert view.evaluate("document.documentElement.scrollWidth") <= 390, path
        assert all(url.startswith("file://") for url in wanted)
        # axe has to be let in; that no script is in a page is tested above.
        text = path.read_text(encoding="utf-8").replace("default-src 'none'; ", "")
        path.write_text(text, encoding="utf-8")
        view.goto(path.as_uri())
        found = Axe().run(view)
        assert found.violations_count == 0, f"{path}\n{found.generate_report()}"
        view.close()


def test_a_text_that_gives_an_answer_away_stops_it(
    course: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Even in course.toml; then nothing is written."""
    leaky = shutil.copytree(course, tmp_path / "course")
    config = leaky / "course.toml"
    lines = [
        line
        for line in config.read_text(encoding="utf-8").splitlines()
        if not line.startswith("term")
    ]
    config.write_text('term = "staff/reference.py"\n' + "\n".join(lines), encoding="utf-8")
    status, _, errors = run(capsys, "publish", "--site", tmp_path / "site", "--course", leaky)
    assert status == 2
    assert "the site would give away a secret, so nothing was written" in errors
    assert not (tmp_path / "site").exists()


def test_pages_of_the_course_are_in_the_site(
    course: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are copied unchanged, with their scripts, and every page links to them."""
    mine = shutil.copytree(course, tmp_path / "course")
    (mine / "extras").mkdir()
    text = "<title>Ä</title><script>1 < 2</script>\n"
    (mine / "extras" / "try_it.html").write_text(text, encoding="utf-8")
    (mine / "extras" / "notes.txt").write_text("for staff")
    status, _, errors = run(capsys, "publish", "--site", tmp_path / "site", "--course", mine)
    assert status == 0, errors
    assert (tmp_path / "site" / "try_it.html").read_text(encoding="utf-8") == text
    assert not (tmp_path / "site" / "notes.txt").exists()
    for path in tmp_path.joinpath("site").rglob("*.html"):
        up = "../" * (len(path.relative_to(tmp_path / "site").parts) - 1)
        link = f'<a href="{up}try_it.html">Try it</a>'
        assert (link in path.read_text(encoding="utf-8")) == (path.name != "try_it.html")


@pytest.mark.parametrize(
    ("name", "data", "line"),
    [
        (
            "index.html",
            b"<p>",
            "extras/index.html: the site already has a page of this name; rename yours",
        ),
        ("try.html", b"<p>staff/reference.py</p>", "the site would give away a secret"),
        ("try.html", b"<p>caf\xe9", "try.html: it cannot be searched"),
    ],
)
def test_pages_of_the_course_that_cannot_go_out(
    name: str,
    data: bytes,
    line: str,
    course: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One line, and nothing is written."""
    mine = shutil.copytree(course, tmp_path / "course")
    (mine / "extras").mkdir()
    (mine / "extras" / name).write_bytes(data)
    status, _, errors = run(capsys, "publish", "--site", tmp_path / "site", "--course", mine)
    assert (status, line in errors, errors.count("\n")) == (2, True, 1), errors
    assert not (tmp_path / "site").exists()


def test_options_that_do_not_fit(
    tmp_path: Path, course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line each."""
    for words, line in (
        ((), "give either --to FOLDER or --site FOLDER"),
        (("--to", tmp_path / "a", "--site", tmp_path / "b"), "give either --to"),
    ):
        status, _, errors = run(capsys, "publish", *words, "--course", course)
        assert (status, line in errors, errors.count("\n")) == (2, True, 1)
