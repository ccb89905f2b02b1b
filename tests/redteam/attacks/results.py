"""An answer that is right every second time; all other attacks on results are in results.toml."""

from tests.redteam.attack import Notebook, cell, changes, text

EVERY_SECOND_CALL = """

import pathlib

def in_two_tries(name, answer):
    def tried():
        count = pathlib.Path(name)
        calls = 1 + int(count.read_text() if count.exists() else 0)
        count.write_text(str(calls))
        return answer() if calls % 2 == 0 else tuple(0 * matrix for matrix in answer())
    return tried

{0}_weights = in_two_tries("{0}", {0}_weights)
"""
WRAPPED = ("identity", "copy_first", "unique")


@changes("right", "nothing for these: of two evaluations in one state the worse counts", WRAPPED)
def second_try(notebook: Notebook) -> None:
    """Answers wrongly at every first call and rightly at every second, with a count kept in a file."""
    for name in WRAPPED:
        answer = cell(notebook, f"{name}_answer")
        answer["source"] = text(answer) + EVERY_SECOND_CALL.replace("{0}", name)
