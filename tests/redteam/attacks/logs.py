"""Logs in place of a notebook: right, wrong, odd and claimed ones."""

import functools
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.redteam.attack import Attack, log, log_file, write, writes, wrong

SAYS_WHY = "nothing, and one line that says why"
PORT = ("port", "port_positions", "port_gradients", "port_vectorised")
Content = str | bytes | Mapping[str, Any]


def states(deserves: str, loses: Sequence[str] = ()) -> Callable[[Callable[[], Content]], Attack]:
    """Make an attack of a function that returns what a submission_log.json has."""

    def made(content: Callable[[], Content]) -> Attack:
        def build(folder: Path) -> Path:
            return log_file(content())(folder)

        return writes(deserves, loses)(functools.update_wrapper(build, content))

    return made


@writes("nothing: the notebook is graded")
def beside_a_notebook(folder: Path) -> Path:
    """Lies in a right log beside a wrong notebook."""
    write(wrong(), folder)
    log_file(log())(folder)
    return folder


@states(SAYS_WHY)
def booleans() -> Content:
    """Has booleans and text for numbers."""
    return log(attention_by_content_K=[True, False] * 4 + ["1"])


@states("nothing: claims are not read")
def claims() -> Content:
    """Claims a score, marks, outcomes and a perfect digest beside empty answers."""
    return log(
        score=1000,
        tests=[{"name": "port", "score": 1000}],
        outcomes=[{"question": "port", "status": "returned", "fraction": 1}],
        **dict.fromkeys(log(), None),
    )


@writes("what it is worth: a log shows what is right, and not whose it is", loses=["unique"])
def classmates_graded_log(folder: Path) -> Path:
    """Is the graded log of a classmate, renamed."""
    path = folder / "submission_log.json"
    graded = folder.parent.parent / "out" / "right" / "submission_log.json"
    path.write_bytes(graded.read_bytes())
    return path


@states(
    "nothing for the port: it runs where all student code runs",
    loses=[*PORT, "unique"],
)
def code_in_sources() -> Content:
    """Hides code for the grader in the sources that a log carries."""
    evil = 'def forward(self, seq):\n    open("/tmp/redteam-left", "w").write("x")\n'
    return log(torch_transformer_forward=evil)


@states("nothing: nobody can tell which is meant")
def duplicate_keys() -> Content:
    """States every key twice, wrong first."""
    return '{"attention_by_content": [], ' + json.dumps(log())[1:]


@states(SAYS_WHY)
def huge_integers() -> Content:
    """Has integers of a thousand digits."""
    return log(attention_by_content_K=[10**1000] * 9)


@states("nothing")
def nested_bomb() -> Content:
    """Is nested a hundred thousand levels deep."""
    return '{"attention_by_content": ' + "[" * 100_000 + "]" * 100_000 + "}"


@states(SAYS_WHY)
def not_a_number() -> Content:
    """Has NaN and infinity where numbers belong."""
    return json.dumps(log(attention_by_content_K=[float("nan")] * 9))


@states("nothing, and one line that says what does not fit")
def other_shapes() -> Content:
    """Has matrices whose sizes do not fit each other."""
    return log(
        attention_by_content_K=[1.0] * 9,
        attention_by_content_Q=[1.0] * 12,
        attention_by_position_pos=[1.0],
    )


@states("nothing: outcomes that a submission states are not read")
def our_own_format() -> Content:
    """Is a log as the grader writes it, with invented outcomes that look right."""
    matrix = {"dtype": "float64", "shape": [3, 3], "values": [12.0, 0, 0, 0, 12, 0, 0, 0, 12]}
    said = {"question": "identity", "number": 0, "status": "returned", "error": "", "seconds": 0.1}
    return {
        "schema": 1,
        "homework": "hw2_transformer",
        "submission": {"student": "me", "kind": "notebook", "sha256": "0" * 64},
        "complete": True,
        "inputs": {},
        "outcomes": [said | {"value": dict.fromkeys(("Km", "Qm", "Vm"), matrix)}],
    }


@states("what a log can hold: all but `unique` and the written answers", loses=["unique"])
def right() -> Content:
    """Is a right log in the original format, without a notebook."""
    return log()


@states("nothing")
def too_large() -> Content:
    """Is a hundred megabytes of numbers."""
    return b'{"attention_by_content": [' + b"1," * 50_000_000 + b"1]}"


@states(SAYS_WHY)
def utf_16() -> Content:
    """Is written in UTF-16."""
    return json.dumps(log()).encode("utf-16")


@states(
    "nothing for the designs: matrices and outputs do not fit",
    loses=["identity", "copy_first", "unique"],
)
def wrong_matrices() -> Content:
    """States the right outputs beside matrices that do not give them."""
    zeros = [0.0] * 9
    return log(
        attention_by_content_K=zeros,
        attention_by_content_Q=zeros,
        attention_by_position_K=[0.0] * 7,
    )
