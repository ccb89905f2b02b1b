"""Two browsers mark the same question while the server is killed again and again."""

import collections
import json
import os
import signal
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.marking_course import BROWSER, free_port, make_class, scores, start

FULL = bool(os.environ.get("FULL_COUNTS"))
ANSWERS, KILLS = (500, 10) if FULL else (60, 3)


def mark_all(link: str, given: dict[str, int], errors: list[str]) -> None:
    """Mark answers with keys until none waits, in a browser of its own."""
    from playwright.sync_api import sync_playwright

    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=BROWSER, args=["--no-sandbox", "--headless"]
            )
            page = browser.new_page()
            page.goto(link)
            while id := page.locator(".desk").get_attribute("data-id"):
                key = 1 + int(id[0], 16) % 2
                page.keyboard.press(str(key))
                given[id] = key
                page.keyboard.press("n")
                page.locator(f'.desk:not([data-id="{id}"])').wait_for(timeout=60_000)
            browser.close()
    except Exception as error:
        errors.append(repr(error))


@pytest.mark.slow
@pytest.mark.turns(5)
def test_no_mark_is_lost_and_none_counts_twice(tmp_path: Path, browser: Any) -> None:
    """500 answers and ten kills in full: each has one mark, from one browser, with the right item."""
    course = make_class(tmp_path / "course", [f"Answer {n}." for n in range(ANSWERS)])
    port = free_port()
    served = start(course, port=port)
    given: list[dict[str, int]] = [{}, {}]
    errors: list[str] = []
    works = [
        threading.Thread(target=mark_all, args=(f"{served.link}&marker={name}", mine, errors))
        for name, mine in zip(("ana", "ben"), given, strict=True)
    ]
    for work in works:
        work.start()
    kills = 0
    while any(work.is_alive() for work in works):
        done = sum(map(len, given))
        if kills < KILLS and done >= (kills + 1) * ANSWERS // (KILLS + 1):
            served.process.send_signal(signal.SIGKILL)
            served.process.wait()
            assert served.process.stdout
            served.process.stdout.close()
            served = start(course, port=port)
            kills += 1
        time.sleep(0.02)
    served.process.send_signal(signal.SIGINT)
    served.process.wait(30)
    assert served.process.stdout
    served.process.stdout.close()
    assert errors == []
    assert kills == KILLS
    both = given[0].keys() & given[1].keys()
    assert both == set()
    assert len({**given[0], **given[1]}) == ANSWERS
    assert collections.Counter(scores(course).values()) == {1.0: ANSWERS}
    with sqlite3.connect(course / "gradebook.db") as database:
        rows = database.execute("select grade_id, items, marker, version from autograder_hand_mark")
        found = {row[0]: (json.loads(row[1]), row[2], row[3]) for row in rows.fetchall()}
        items = [
            row[0] for row in database.execute("select id from autograder_item order by place")
        ]
    database.close()
    for name, mine in zip(("ana", "ben"), given, strict=True):
        for id, key in mine.items():
            assert found[id] == ([items[key - 1]], name, 1)
