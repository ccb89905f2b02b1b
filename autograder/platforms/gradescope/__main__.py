"""The commands that the zip's scripts start in the image: `run FOLDER` and `try FOLDER`."""

import sys
from pathlib import Path

from autograder.platforms.gradescope import run, self_test
from autograder.platforms.gradescope.platform import seconds_left
from autograder.records.errors import UserError


def main(words: list[str]) -> None:
    """Run the command that a script requested."""
    verb, folder = words
    root = Path(folder)
    if verb == "run":
        run.run(root, seconds=seconds_left())
        return
    try:
        for line in self_test.tried(root):
            sys.stdout.write(f"{line}\n")  # the image has no command line
            sys.stdout.flush()
    except UserError as error:
        raise SystemExit(f"autograder: {error}") from None


if __name__ == "__main__":
    main(sys.argv[1:])
