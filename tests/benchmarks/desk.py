"""How fast the desk is: `python -m tests.benchmarks.desk [--students N] [--homeworks N]`.

Prints the seconds from the command to the first page, milliseconds from a key in the search to the
list, milliseconds of each page on the server, and the memory of the server's own process.
"""

import argparse
import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path

import psutil
from playwright.sync_api import sync_playwright

from tests import fabricated_class
from tests.gradebooks import make_course
from tests.helpers import TOY
from tests.marking_course import BROWSER, start

SEARCHES = 40
# From the key to the painted list, by the browser's own clock: Playwright itself pauses between two
# looks at a page, for longer than a search takes.
_SEARCH = """([words, found]) => new Promise((resolve) => {
  const begin = performance.now();
  const search = document.getElementById("search");
  const watcher = new MutationObserver(() => {
    if (document.querySelector("#rows [role=status]").textContent !== found) return;
    watcher.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begin), 0));
  });
  watcher.observe(document.getElementById("rows"), { childList: true });
  search.value = words;
  search.dispatchEvent(new Event("input", { bubbles: true }));
})"""


def main() -> None:
    """Print the figures."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--students", type=int, default=5_000)
    words.add_argument("--homeworks", type=int, default=1)
    chosen = words.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        course = _course(Path(folder) / "course", chosen.students, chosen.homeworks)
        browser = playwright.chromium.launch(
            executable_path=BROWSER, args=["--no-sandbox", "--headless"]
        )
        page = browser.new_page()
        begin = time.perf_counter()
        served = start(course, verb=("desk", "out"))
        listening = time.perf_counter() - begin
        begin = time.perf_counter()
        page.goto(served.link)
        print(f"{chosen.students} people, {chosen.homeworks} homeworks: the link after ", end="")
        print(
            f"{listening:.2f} s, the first page {1000 * (time.perf_counter() - begin):.0f} ms later"
        )
        for place in ("/people", f"/person/s{chosen.students // 2:05}", "/log"):
            begin = time.perf_counter()
            page.goto(f"{served.address}{place}")
            print(f"{place}: {1000 * (time.perf_counter() - begin):.0f} ms")
        page.goto(f"{served.address}/people")
        times = []
        for number in range(SEARCHES):
            wanted = f"s{number * chosen.students // SEARCHES:05}"
            page.evaluate(_SEARCH, ["", f"{chosen.students} of {chosen.students}"])
            page.wait_for_timeout(200)  # nobody types before the list of everybody is there
            times.append(page.evaluate(_SEARCH, [wanted, f"1 of {chosen.students}"]))
        print(
            f"a search: median {statistics.median(times):.0f} ms, worst {max(times):.0f} ms ",
            end="",
        )
        print(f"(load {os.getloadavg()[0]:.1f})")
        memory = psutil.Process(served.process.pid).memory_info().rss / 1e6
        print(f"memory of the server: {memory:.0f} MB")
        begin = time.perf_counter()
        page.goto(f"{served.address}/questions/toy/", timeout=300_000)
        print(
            f"the figures of a class: {time.perf_counter() - begin:.1f} s the first time, ", end=""
        )
        begin = time.perf_counter()
        page.goto(f"{served.address}/questions/toy/", timeout=300_000)
        print(f"{1000 * (time.perf_counter() - begin):.0f} ms then")
        memory = psutil.Process(served.process.pid).memory_info().rss / 1e6
        print(f"memory of the server after that: {memory:.0f} MB")
        browser.close()
        served.process.terminate()
        served.process.wait()
        if served.process.stdout:
            served.process.stdout.close()


def _course(place: Path, students: int, homeworks: int) -> Path:
    make_course(place, like=TOY)
    for number in range(homeworks):
        name = f"toy{number}" if number else "toy"
        if number:
            shutil.copytree(place / "source" / "toy", place / "source" / name)
            (place / "source" / name / "toy.ipynb").rename(
                place / "source" / name / f"{name}.ipynb"
            )
        fabricated_class.write(place / "out" / name, students, homework=name, seed=number)
    lines = [f"s{n:05},Person {n},p{n}@uni.example" for n in range(students)]
    (place / "roster.csv").write_text("\n".join(["id,name,email", *lines]) + "\n")
    return place


if __name__ == "__main__":
    main()
