"""The site that `make docs` writes: whole, without a network, for telephones and screen readers."""

import html.parser
import os
import subprocess
import sys
import time
import urllib.parse
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import ROOT

pytestmark = pytest.mark.slow

WITHOUT_NETWORK = """\
import socket


def refuse(*words):
    raise RuntimeError(f"the site's build wants a network: {words}")


socket.getaddrinfo = socket.create_connection = socket.socket.connect = refuse
"""
PAGES = sorted(
    str(path.relative_to(ROOT / "docs").with_suffix(".html"))
    for path in (ROOT / "docs").rglob("*.md")
)
SECONDS = 60
"""What a build may take."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site as `make docs` does, in a Python that has no network; no warning is let pass."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "sitecustomize.py").write_text(WITHOUT_NETWORK)
    binaries = Path(sys.executable).parent
    words = ["make", "-o", ".venv/ready", "docs", f"SITE={folder / 'html'}", f"BIN={binaries}"]
    started = time.monotonic()
    done = subprocess.run(
        [*words, f"READ={folder / 'read'}"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert time.monotonic() - started < SECONDS
    return folder / "html"


class Links(html.parser.HTMLParser):
    """What a page links to and loads, and the places in it that others can link to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Note what one tag names."""
        found = {name: value or "" for name, value in attributes}
        self.ids |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.add(found["href"])
        elif tag == "link" and found.get("rel") in (
            "stylesheet",
            "preload",
            "icon",
            "shortcut icon",
        ):
            self.loads.add(found["href"])
        elif "src" in found:
            self.loads.add(found["src"])


@pytest.fixture(scope="module")
def links(site: Path) -> dict[Path, Links]:
    """What each page of the site links to; _static has templates of the theme's beside files."""
    paths = (path for path in site.rglob("*.html") if "_static" not in path.parts)
    return {path: Links(path.read_text(encoding="utf-8")) for path in paths}


def test_every_page_of_docs_is_in_the_site(site: Path) -> None:
    """And in the contents on the left: a page without a place there is a warning, and stops the build."""
    assert [name for name in PAGES if not (site / name).is_file()] == []


def test_no_link_is_dead(site: Path, links: dict[Path, Links]) -> None:
    """Pages, files and the places in them."""
    dead = []
    seen = 0
    for path, found in links.items():
        for link in found.links | found.loads:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or link in ("", "#"):
                continue
            seen += 1
            target = (path.parent / urllib.parse.unquote(parts.path)) if parts.path else path
            target = target.resolve()
            inside = links.get(target)
            if not target.is_file() or (
                inside and parts.fragment and parts.fragment not in inside.ids
            ):
                dead.append(f"{path.relative_to(site)}: {link}")
    assert seen > 500
    assert dead == []


def test_nothing_is_loaded_from_elsewhere(links: dict[Path, Links]) -> None:
    """No script, style, font or picture has an address of the network."""
    for path, found in links.items():
        assert not [link for link in found.loads if urllib.parse.urlsplit(link).netloc], path


@pytest.mark.turns(4)
@pytest.mark.parametrize("width", [1280, 390])
def test_pages_ask_no_network_and_fit(site: Path, browser: Any, width: int) -> None:
    """Each page, opened as a file: nothing but files is loaded, and nothing sticks out sideways."""
    context = browser.new_context(viewport={"width": width, "height": 800})
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    wide = []
    for name in PAGES:
        page.goto((site / name).as_uri())
        if page.evaluate("document.documentElement.scrollWidth") > width:
            wide.append(name)
    context.close()
    assert len(asked) > len(PAGES)
    assert not [url for url in asked if not url.startswith(("file:", "data:"))]
    assert wide == []


@pytest.mark.turns(4)
@pytest.mark.parametrize(
    ("scheme", "pages"), [("light", PAGES[0::2]), ("dark", PAGES[1::2])], ids=["light", "dark"]
)
def test_a_screen_reader_can_use_it(
    site: Path, browser: Any, scheme: str, pages: list[str]
) -> None:
    """axe-core finds nothing: on half of the pages in light colours, on the other half in dark ones."""
    from axe_playwright_python.sync_playwright import Axe

    context = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    complaints = []
    assert len(pages) >= 10
    for name in pages:
        page.goto((site / name).as_uri())
        found = Axe().run(page)
        if found.violations_count:
            complaints.append(f"{name}: {found.generate_report()}")
    context.close()
    assert complaints == [], "\n".join(complaints)


def test_search_finds_a_word(site: Path, browser: Any) -> None:
    """From the button, by a word that one page alone is about."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto((site / "index.html").as_uri())
    page.locator("button[aria-label=Search]:visible").first.click()
    page.keyboard.type("winnowing")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=winnowing*")
    result = page.locator("#search-results li a").first
    result.wait_for()
    assert result.inner_text() == "Submissions that are alike"
    result.click()
    page.wait_for_url("**/how_to/similar.html*")
    page.close()
