"""Hidden inputs that one processor drew are those that another draws, but for last digits."""

import os
import subprocess
import sys

import pytest

from autograder.course import homework
from tests.helpers import ROOT

DIGESTS = """
import sys
from pathlib import Path
from autograder.course import homework, inputs
from autograder.records.facts import SubmissionId
chosen = homework.load(Path(sys.argv[1]), sys.argv[2])
print(inputs.digests(chosen, submission=SubmissionId("a", "notebook", "0"), secret=sys.argv[3]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", homework.names(ROOT))
def test_processors_agree_on_hidden_inputs(name: str) -> None:
    """OpenBLAS gives different last digits on each, which once changed three digests."""
    kinds = ("Haswell", "Prescott")  # which only x86 has; elsewhere both are the machine's own
    said = {
        subprocess.run(
            [sys.executable, "-c", DIGESTS, str(ROOT), name, "of the test"],
            env=os.environ | {"OPENBLAS_CORETYPE": kind},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for kind in kinds
    }
    assert len(said) == 1
