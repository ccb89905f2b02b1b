"""How fast the marking page is: `python -m tests.benchmarks.marking_page [--students N] [--answers N]`.

Prints the seconds from the command to the first answer in a browser, the memory of the server's
own process, milliseconds from a key to the next answer, and the processor time that the server took
for it, which tells more on a machine with other work.
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

from tests.marking import make_gradebook
from tests.marking_course import BROWSER, make_class, start


def main() -> None:
    """Print the figures."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--students", type=int, default=5_000)
    words.add_argument("--answers", type=int, default=300)
    chosen = words.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        course = _class(Path(folder) / "course", chosen.students)
        arguments = ["--no-sandbox", "--headless"]
        browser = playwright.chromium.launch(executable_path=BROWSER, args=arguments)
        page = browser.new_page()
        begin = time.perf_counter()
        served = start(course)
        listening = time.perf_counter() - begin
        page.goto(served.link)
        page.wait_for_selector(".text")
        print(f"{chosen.students} submissions: listening after {listening:.2f} s, ", end="")
        print(f"the first answer after {time.perf_counter() - begin:.2f} s")
        times, server = [], psutil.Process(served.process.pid)
        before = sum(server.cpu_times()[:2])
        for _ in range(min(chosen.answers, chosen.students - 1)):
            id = page.locator(".desk").get_attribute("data-id")
            page.keyboard.press("1")
            page.locator("#saving", has_text="Saved").wait_for()
            begin = time.perf_counter()
            page.keyboard.press("n")
            page.locator(f'.desk:not([data-id="{id}"])').wait_for()
            times.append(1000 * (time.perf_counter() - begin))
        print(f"the next of {len(times)}: median {statistics.median(times):.0f} ms, ", end="")
        print(f"worst {max(times):.0f} ms (load {os.getloadavg()[0]:.1f})")
        used = 1000 * (sum(server.cpu_times()[:2]) - before) / len(times)
        print(f"processor time of the server for an answer, its mark included: {used:.0f} ms")
        memory = server.memory_info().rss / 1e6
        print(f"memory of the server: {memory:.0f} MB")
        browser.close()
        served.process.terminate()
        served.process.wait()


def _class(place: Path, students: int) -> Path:
    """Make a class whose answers are alike to read, and not known to be the same."""
    text = (
        "It is $\\frac{0}{0}$, and $\\sum_{i=1}^n x_i$ has no terms. Nobody can divide by it.\n\n"
    )
    course = make_class(place, [3 * text])
    (course / "gradebook.db").unlink()
    make_gradebook(course / "gradebook.db", students)
    for number in range(1, students):
        shutil.copytree(
            course / "graded" / "s0000", course / "graded" / f"s{number:04}", copy_function=os.link
        )
    return course


if __name__ == "__main__":
    main()
