"""The command line in this process."""

import sys

import pytest

from autograder.cli import main


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    """Run a verb in this process; return exit status, stdout and stderr."""
    before = sys.argv
    sys.argv = ["autograder", *map(str, words)]
    try:
        main.main()
        status = 0
    except SystemExit as end:
        status = int(end.code or 0)
    finally:
        sys.argv = before
    out, err = capsys.readouterr()
    return status, out, err
