"""How fast the marking page is: `python -m tests.benchmarks.marking_page [--students N] [--answers N]`.

Prints the seconds from the command to the first answer in a browser, the memory of the server's
own process, and milliseconds from a key to the next answer.
"""

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path

import psutil
from playwright.sync_api import sync_playwright

from tests.marking_course import BROWSER, make_class, start


def main() -> None:
    """Print the figures."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--students", type=int, default=5_000)
    words.add_argument("--answers", type=int, default=300)
    chosen = words.parse_args()
    text = "It is $\\frac{{0}}{{0}}$, and $\\sum_{{i=1}}^n x_i$ has no terms. Answer {}.\n\n" * 3
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        texts = [text.format(n, n, n) for n in range(chosen.students)]
        course = make_class(Path(folder) / "course", texts)
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
        times = []
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
        memory = psutil.Process(served.process.pid).memory_info().rss / 1e6
        print(f"memory of the server: {memory:.0f} MB")
        browser.close()
        served.process.terminate()
        served.process.wait()


if __name__ == "__main__":
    main()
