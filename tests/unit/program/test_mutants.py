"""mutants: small single changes, only of the solution."""

import ast

from autograder.program.mutants import mutants

ANSWER = '''class Head:
    def __init__(self, size=3):
        """Not a part of the solution: size 3."""
        ### BEGIN SOLUTION
        self.Q, self.K = size, 2
        ### END SOLUTION

    def scores(self, x):
        ### BEGIN SOLUTION
        if x is not None:
            x = np.concatenate([x, x[:1]], axis=-1)
        Q, K = x @ self.Q, x @ self.K
        return Q @ K.T / 2
        ### END SOLUTION
'''


def changes() -> dict[str, str]:
    return {mutant.what: mutant.source for mutant in mutants(ANSWER)}


def test_each_kind_of_change_is_there() -> None:
    """This covers operators, axes, transposes, indices, constants, missing lines and other names."""
    found = "\n".join(changes())
    for change in (
        "Q @ K.T / 2 -> Q @ K.T * 2",
        "x is not None -> x is None",
        "-1 -> +1",
        "1 -> 0",
        "Q @ K.T -> Q @ K",
        "Q @ K.T -> Q.T @ K.T",
        ":1 -> :",
        "self.Q -> self.K",
        "axis=-1) -> np.concatenate([x, x[:1]])",
        "[x, x[:1]] -> [x[:1], x]",
        "return Q @ K.T / 2 -> nothing",
        "if True:",
        "2 -> 4",
    ):
        assert change in found, change


def test_every_mutant_is_another_program() -> None:
    """None is the original, none occurs twice, and all can be parsed."""
    original = ast.dump(ast.parse(ANSWER))
    programs = [ast.dump(ast.parse(source)) for source in changes().values()]
    assert original not in programs
    assert len(set(programs)) == len(programs) > 60


def test_what_is_given_stays() -> None:
    """Signatures, docstrings and defaults outside the markers are not the student's."""
    for source in changes().values():
        assert "def __init__(self, size=3):" in source
        assert "Not a part of the solution: size 3." in source


def test_without_a_solution_there_is_none() -> None:
    """A cell without markers has nothing to change."""
    assert not list(mutants("x = 1 + 2"))


def test_each_mutant_is_python() -> None:
    """A call's first argument replaces it, unless it is an unpacked list."""
    answer = "def f(x, y):\n    ### BEGIN SOLUTION\n    return x if y else g(*x, *y)\n    ### END SOLUTION\n"
    for mutant in mutants(answer):
        ast.parse(mutant.source)
