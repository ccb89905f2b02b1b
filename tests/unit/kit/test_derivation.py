"""Derivations: right ones pass, and wrong ones are told the first invalid line.

Each is checked twice: as in the notebook, without the kit, and as by the judge.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from autograder.course import homework
from autograder.kit.derivation import Derivation
from autograder.records.questions import Verdict
from tests.helpers import ROOT

NAME = "hw3_proofs"
adapters = homework.staff_module(ROOT, NAME, "adapters")
spec = homework.staff_module(ROOT, NAME, "spec")
QUESTIONS = {q.id: q for q in spec.HOMEWORK.questions if isinstance(q.check, Derivation)}

# Two right derivations of each result: one that a careful student writes, one that is another way.
RIGHT: dict[str, list[list[str]]] = {
    "purifier_derivation": [
        [
            "('gradient of the reconstruction loss', lambda X, W: -2 * (X - W @ X) @ X.T)",
            "('gradient of the regularisation loss', lambda W, lam: 2 * lam * W)",
            "lambda X, W, lam: (-2 * (X - W @ X) @ X.T + 2 * lam * W, 0)",
            "lambda X, W, lam: (lam * W, (X - W @ X) @ X.T)",
            "lambda X, W, lam: (W @ (X @ X.T + lam * np.eye(len(X))), X @ X.T)",
            "('A', lambda X, lam: X @ X.T + lam * np.eye(len(X)))",
            "lambda X, lam: X @ X.T @ np.linalg.inv(X @ X.T + lam * np.eye(len(X)))",
            "lambda X, lam: np.linalg.inv(X @ X.T + lam * np.eye(len(X))) @ X @ X.T",
        ],
        [
            "('A', lambda lam, X: lam * np.eye(len(X)) + X @ X.T)",
            "('gradient of the regularisation loss', lambda W, lam: lam * (W + W))",
            "('gradient of the reconstruction loss', lambda X, W: 2 * W @ X @ X.T - 2 * X @ X.T)",
            "lambda X, W, lam: ((X @ X.T + lam * np.eye(len(X))) @ W.T, X @ X.T)",
            "lambda X, W, lam: (W.T, np.linalg.solve(X @ X.T + lam * np.eye(len(X)), X @ X.T))",
            "lambda X, lam: X @ np.linalg.inv(X.T @ X + lam * np.eye(X.shape[1])) @ X.T",
        ],
    ],
    "svd_derivation": [
        [
            "lambda X, lam: X @ X.T @ np.linalg.inv(X @ X.T + lam * np.eye(len(X)))",
            "('eigenvalues of X X^T', lambda s: s**2)",
            "lambda U, s, lam: U * s**2 @ U.T @ np.linalg.inv(U * (s**2 + lam) @ U.T)",
            "('eigenvalues of A^-1', lambda s, lam: 1 / (s**2 + lam))",
            "lambda U, s, lam: U * s**2 @ U.T @ (U / (s**2 + lam) @ U.T)",
            "('eigenvalues of the purifier', lambda s, lam: s**2 / (s**2 + lam))",
            "lambda U, s, lam: U @ np.diag(s**2 / (s**2 + lam)) @ U.T",
        ],
        [
            "('eigenvalues of A^-1', lambda lam, s: (lam + s * s) ** -1.0)",
            "('eigenvalues of X X^T', lambda s: s * s)",
            "('eigenvalues of the purifier', lambda s, lam: 1 - lam / (s**2 + lam))",
            "lambda X, lam: np.eye(len(X)) - lam * np.linalg.inv(X @ X.T + lam * np.eye(len(X)))",
            "lambda U, s, lam: np.eye(len(U)) - lam * (U / (s**2 + lam)) @ U.T",
            "lambda U, s, lam: (U * (1 - lam / (s**2 + lam))) @ U.T",
        ],
    ],
    "variance_derivation": [
        [
            "('E[(q.k)^2]', lambda mu, sigma, d: d * (sigma**2 + mu**2)**2 + d * (d - 1) * mu**4)",
            "('(E[q.k])^2', lambda mu, d: d**2 * mu**4)",
            "lambda q, k, mu, d: (q * k).sum(axis=1)**2 - d**2 * mu**4",
            "lambda mu, sigma, d: d * (sigma**2 + mu**2)**2 + d * (d - 1) * mu**4 - d**2 * mu**4",
            "lambda mu, sigma, d: d * ((sigma**2 + mu**2)**2 - mu**4)",
            "('Var[q.k]', lambda mu, sigma, d: d * (sigma**4 + 2 * mu**2 * sigma**2))",
        ],
        [
            "lambda q, k, d: d * (q[:, 0] * k[:, 0] - (q[:, 0] * k[:, 0]).mean())**2",
            "lambda q, k, d, mu: d * ((q[:, 0] * k[:, 0])**2 - mu**4)",
            "lambda mu, sigma, d: d * ((mu**2 + sigma**2) * (mu**2 + sigma**2) - mu**4)",
            "('Var[q.k]', lambda mu, sigma, d: d * sigma**2 * (sigma**2 + 2 * mu**2))",
            "('(E[q.k])^2', lambda mu, d: (d * mu * mu)**2)",
            "('E[(q.k)^2]', lambda mu, sigma, d: d * sigma**2 * (sigma**2 + 2*mu**2) + (d*mu**2)**2)",
        ],
    ],
    "features_derivation": [
        [
            "lambda x, y: (x @ y)**2 + 2 * x @ y + 1",
            "lambda x, y: sum(a * b for a in x * y for b in x * y) + 2 * x @ y + 1",
            "('squares', lambda x, y: (x**2) @ (y**2))",
            "('cross terms', lambda x, y: (x @ y)**2 - (x**2) @ (y**2))",
            "('linear terms', lambda x, y: 2 * x @ y)",
            "lambda x, y: (x**2) @ (y**2) + (x @ y)**2 - (x**2) @ (y**2) + 2 * x @ y + 1",
        ],
        [
            "lambda x, y: (np.append(x, 1) @ np.append(y, 1))**2",
            "lambda x, y: (np.outer(x, x) * np.outer(y, y)).sum() + 2 * (x * y).sum() + 1",
            "lambda x, y: np.outer(np.append(x, 1), np.append(x, 1)).ravel()"
            " @ np.outer(np.append(y, 1), np.append(y, 1)).ravel()",
            "('linear terms', lambda x, y: (x * y).sum() + (y * x).sum())",
            "('squares', lambda x, y: ((x * y)**2).sum())",
            "('cross terms', lambda x, y: sum(2 * x[i] * x[j] * y[i] * y[j]"
            " for i in range(len(x)) for j in range(i)))",
        ],
    ],
    "linear_derivation": [
        [
            "lambda phi_Q, phi_K, V: phi_Q @ phi_K.T @ V / (phi_Q @ phi_K.T).sum(1)[:, None]",
            "('S', lambda phi_K, V: phi_K.T @ V)",
            "('z', lambda phi_K: phi_K.sum(axis=0))",
            "lambda phi_Q, phi_K, V: phi_Q @ (phi_K.T @ V) / (phi_Q @ phi_K.T).sum(1)[:, None]",
            "lambda phi_Q, phi_K, V: phi_Q @ (phi_K.T @ V) / (phi_Q @ phi_K.sum(0))[:, None]",
        ],
        [
            "('z', lambda phi_K: phi_K.T @ np.ones(len(phi_K)))",
            "('S', lambda V, phi_K: np.einsum('jc,jm->cm', phi_K, V))",
            "lambda phi_Q, phi_K, V: np.array("
            "[(phi_K @ query) @ V / (phi_K @ query).sum() for query in phi_Q])",
            "lambda phi_Q, phi_K, V: np.array("
            "[query @ (phi_K.T @ V) / (phi_K @ query).sum() for query in phi_Q])",
            "lambda phi_Q, phi_K, V: np.array("
            "[query @ (phi_K.T @ V) / (query @ phi_K.sum(0)) for query in phi_Q])",
        ],
    ],
    "gaussian_derivation": [
        [
            "lambda q, k: np.exp((q @ q + k @ k - (q - k) @ (q - k)) / 2 / np.sqrt(len(q)))",
            "('factor of q', lambda q: np.exp(q @ q / 2 / np.sqrt(len(q))))",
            "('Gaussian kernel', lambda q, k: np.exp(-(q - k) @ (q - k) / 2 / np.sqrt(len(q))))",
            "('factor of k', lambda k: np.exp(k @ k / 2 / np.sqrt(len(k))))",
            "lambda q, k: np.exp((q @ q + k @ k) / 2 / len(q)**0.5)"
            " * np.exp(-((q - k)**2).sum() / 2 / len(q)**0.5)",
        ],
        [
            "lambda q, k: np.prod(np.exp(q * k / np.sqrt(len(q))))",
            "('factor of k', lambda k: np.exp((k**2).sum() / (2 * len(k)**0.5)))",
            "('factor of q', lambda q: np.exp((q**2).sum() / (2 * len(q)**0.5)))",
            "lambda q, k: np.exp((((q + k)**2).sum() - ((q - k)**2).sum()) / 4 / np.sqrt(len(q)))",
            "('Gaussian kernel', lambda q, k: np.exp(-((q - k)**2).sum() / (2 * len(q)**0.5)))",
        ],
    ],
    "merge_derivation": [
        [
            "lambda s1, V1, s2, V2: (np.exp(s1) @ V1 + np.exp(s2) @ V2)"
            " / (np.exp(s1).sum() + np.exp(s2).sum())",
            "lambda m1, l1, o1, m2, l2, o2: (np.exp(m1) * o1 + np.exp(m2) * o2)"
            " / (np.exp(m1) * l1 + np.exp(m2) * l2)",
            "('new maximum', lambda m1, m2: max(m1, m2))",
            "('rescaled denominator', lambda m1, l1, m2, l2:"
            " np.exp(m1 - max(m1, m2)) * l1 + np.exp(m2 - max(m1, m2)) * l2)",
            "('rescaled numerator', lambda m1, o1, m2, o2:"
            " np.exp(m1 - max(m1, m2)) * o1 + np.exp(m2 - max(m1, m2)) * o2)",
            "lambda m1, l1, o1, m2, l2, o2:"
            " (np.exp(m1 - max(m1, m2)) * o1 + np.exp(m2 - max(m1, m2)) * o2)"
            " / (np.exp(m1 - max(m1, m2)) * l1 + np.exp(m2 - max(m1, m2)) * l2)",
        ],
        [
            "('rescaled numerator', lambda m1, o1, m2, o2:"
            " (np.exp(m1) * o1 + np.exp(m2) * o2) / max(np.exp(m1), np.exp(m2)))",
            "('rescaled denominator', lambda m1, l1, m2, l2:"
            " (np.exp(m1) * l1 + np.exp(m2) * l2) / max(np.exp(m1), np.exp(m2)))",
            "lambda m1, l1, o1, m2, l2, o2: (o1 + np.exp(m2 - m1) * o2) / (l1 + np.exp(m2 - m1) * l2)",
            "lambda m1, l1, o1, m2, l2, o2: (np.exp(m1 - m2) * o1 + o2) / (np.exp(m1 - m2) * l1 + l2)",
            "('new maximum', lambda m1, m2: (m1 + m2 + abs(m1 - m2)) / 2)",
        ],
    ],
}

GIVEN = "the given first line"
# Question, which of its two derivations, the line that is replaced, by what, and the pair to name.
WRONG: list[tuple[str, int, int, str, tuple[str, str]]] = [
    ("purifier_derivation", 0, 3, "lambda X, W, lam: (2 * (X - W @ X) @ X.T + 2 * lam * W, 0)", (GIVEN, "line 3")),
    ("purifier_derivation", 0, 4, "lambda X, W, lam: (lam * W, (W @ X - X) @ X.T)", ("line 3", "line 4")),
    ("purifier_derivation", 0, 5, "lambda X, W, lam: (W @ (X @ X.T + lam), X @ X.T)", ("line 4", "line 5")),
    ("purifier_derivation", 1, 6, "lambda X, lam: np.linalg.inv(X @ X.T + lam * np.eye(len(X)))", ("line 6", "purifier")),
    ("svd_derivation", 0, 1, "lambda X, lam: X @ X.T @ np.linalg.inv(X @ X.T + lam**2 * np.eye(len(X)))", (GIVEN, "line 1")),
    ("svd_derivation", 0, 3, "lambda U, s, lam: U * s**2 @ U.T @ np.linalg.inv(U * (s + lam) @ U.T)", ("line 1", "line 3")),
    ("svd_derivation", 0, 5, "lambda U, s, lam: U * s**2 @ U.T @ (U * (1 / s.max()**2 + 1 / lam) @ U.T)", ("line 3", "line 5")),
    ("svd_derivation", 1, 6, "lambda U, s, lam: U @ (1 - lam / (s**2 + lam))", ("line 5", "line 6")),
    ("variance_derivation", 0, 3, "lambda q, k, mu, d: (q * k).sum(axis=1)**2 - d * mu**4", (GIVEN, "line 3")),
    ("variance_derivation", 0, 4, "lambda mu, sigma, d: d * sigma**2 * sigma**2", ("line 3", "line 4")),
    ("variance_derivation", 0, 5, "lambda mu, sigma, d: d * (sigma**2 + mu**2)**2", ("line 4", "line 5")),
    ("variance_derivation", 1, 2, "lambda q, k, d: d * (q[:, 0] * k[:, 0])**2", ("line 1", "line 2")),
    ("features_derivation", 0, 1, "lambda x, y: (x @ y)**2 + x @ y + 1", (GIVEN, "line 1")),
    ("features_derivation", 0, 2, "lambda x, y: sum(a * a for a in x * y) + 2 * x @ y + 1", ("line 1", "line 2")),
    ("features_derivation", 0, 6, "lambda x, y: (x**2) @ (y**2) + 2 * x @ y + 1", ("line 2", "line 6")),
    ("features_derivation", 1, 3, "lambda x, y: np.outer(x, x).ravel() @ np.outer(y, y).ravel()", ("line 2", "line 3")),
    ("linear_derivation", 0, 1, "lambda phi_Q, phi_K, V: phi_Q @ phi_K.T @ V / (phi_Q @ phi_K.T).sum(0)[:, None]", (GIVEN, "line 1")),
    ("linear_derivation", 0, 4, "lambda phi_Q, phi_K, V: phi_Q @ (phi_K.T @ V)", ("line 1", "line 4")),
    ("linear_derivation", 0, 5, "lambda phi_Q, phi_K, V: phi_Q @ (phi_K.T @ V) / (phi_Q * phi_K).sum(1)[:, None]", ("line 4", "line 5")),
    ("linear_derivation", 1, 5, "lambda phi_Q, phi_K, V: phi_Q @ (phi_K.T @ V) / phi_K.sum()", ("line 4", "line 5")),
    ("gaussian_derivation", 0, 1, "lambda q, k: np.exp((q @ q + k @ k - (q - k) @ (q - k)) / np.sqrt(len(q)))", (GIVEN, "line 1")),
    ("gaussian_derivation", 0, 5, "lambda q, k: np.exp((q @ q + k @ k) / 2) * np.exp(-(q - k) @ (q - k) / 2)", ("line 1", "line 5")),
    ("gaussian_derivation", 1, 1, "lambda q, k: np.sum(np.exp(q * k / np.sqrt(len(q))))", (GIVEN, "line 1")),
    ("gaussian_derivation", 1, 4, "lambda q, k: np.exp((((q + k)**2).sum() - ((q - k)**2).sum()) / 2 / np.sqrt(len(q)))", ("line 1", "line 4")),
    ("merge_derivation", 0, 1, "lambda s1, V1, s2, V2: (np.exp(s1) @ V1 + np.exp(s2) @ V2) / np.exp(s1).sum()", (GIVEN, "line 1")),
    ("merge_derivation", 0, 2, "lambda l1, o1, l2, o2: (o1 + o2) / (l1 + l2)", ("line 1", "line 2")),
    ("merge_derivation", 0, 6, "lambda l1, o1, l2, o2: o1 / l1 + o2 / l2", ("line 2", "line 6")),
    ("merge_derivation", 1, 4, "lambda m1, l1, o1, m2, l2, o2: (o1 + np.exp(m1 - m2) * o2) / (l1 + np.exp(m1 - m2) * l2)", ("line 3", "line 4")),
]  # fmt: skip


@pytest.fixture(scope="module")
def notebook() -> dict[str, Any]:
    """Return the definitions of the instructor's notebook, without its demos."""
    namespace: dict[str, Any] = {}
    for cell in homework.read_cells(ROOT / "source" / NAME / f"{NAME}.ipynb"):
        if cell.type == "code" and cell.role != "demo":
            exec(cell.source, namespace)
    return namespace


def said_by_notebook(notebook: dict[str, Any], question: str, lines: Sequence[str]) -> str:
    """Return the visible check's message on a derivation, or ""."""
    solution = notebook[question]
    notebook[question] = eval(f"lambda: [{', '.join(lines)}]", notebook)
    try:
        notebook["REMARKS"].clear()
        said = notebook["said"](notebook[f"{question}_complaint"])
    finally:
        notebook[question] = solution
    return said or next(iter(notebook["REMARKS"]), "")


def verdicts(
    notebook: Mapping[str, Any], question: str, lines: Sequence[str]
) -> tuple[Verdict, ...]:
    """Return the judge's verdict of each hidden case."""
    derivation = _function(notebook, lines)
    found = []
    for case in QUESTIONS[question].cases(np.random.default_rng(0)):
        value = getattr(adapters, question)(derivation, **case)
        value = {k: v if isinstance(v, str) else np.asarray(v) for k, v in value.items()}
        check = QUESTIONS[question].check
        assert check is not None
        found.append(check(case, value))
    return tuple(found)


def _function(notebook: Mapping[str, Any], lines: Sequence[str]) -> Any:
    return eval(f"lambda: [{', '.join(lines)}]", dict(notebook))


@pytest.mark.parametrize(("question", "number"), [(q, n) for q in RIGHT for n in range(2)])
def test_right_derivations_pass(notebook: dict[str, Any], question: str, number: int) -> None:
    """Neither the notebook nor the judge complains about fourteen right derivations."""
    lines = RIGHT[question][number]
    assert said_by_notebook(notebook, question, lines) == ""
    for verdict in verdicts(notebook, question, lines):
        assert verdict == Verdict(
            1.0, "3 of 3 waypoints are right.".replace("3", _waypoints(question))
        )


@pytest.mark.parametrize(("question", "number", "line", "replacement", "pair"), WRONG)
def test_of_a_wrong_line_the_pair_is_named(
    notebook: dict[str, Any],
    question: str,
    number: int,
    line: int,
    replacement: str,
    pair: tuple[str, str],
) -> None:
    """For 28 derivations with one wrong line, the message names the two lines around it."""
    lines = list(RIGHT[question][number])
    lines[line - 1] = replacement
    visible = said_by_notebook(notebook, question, lines)
    assert re.search(_pattern(pair[0]) + ".*" + _pattern(pair[1]), visible), visible
    for verdict in verdicts(notebook, question, lines):
        assert re.search(_pattern(pair[0]) + ".*" + _pattern(pair[1]), verdict.message), verdict
        assert re.search(r"by up to [\d.]+|has shape", verdict.message), verdict
        assert verdict.fraction == 1.0  # a line between waypoints costs nothing


def _pattern(name: str) -> str:
    if name.startswith(("line", "the given")):
        return rf"{name}\b"
    return f"your `{name}`"


def _waypoints(question: str) -> str:
    check = QUESTIONS[question].check
    assert isinstance(check, Derivation)
    return str(len(check.waypoints))


@pytest.mark.parametrize("question", QUESTIONS)
def test_lines_without_waypoints_earn_nothing(notebook: dict[str, Any], question: str) -> None:
    """A chain of right lines is not a proof: points come only from waypoints."""
    lines = [line for line in RIGHT[question][0] if not line.startswith("(")]
    assert all(verdict.fraction == 0 for verdict in verdicts(notebook, question, lines))
    assert "waypoint" in said_by_notebook(notebook, question, lines)


def test_an_identity_says_nothing_about_the_minimum(notebook: dict[str, Any]) -> None:
    """A message points out an equation that is also true at other W."""
    lines = ["lambda X, W: (W @ X, W @ X)", *RIGHT["purifier_derivation"][0]]
    assert "line 1 is also true at a random W" in said_by_notebook(
        notebook, "purifier_derivation", lines
    )
    for verdict in verdicts(notebook, "purifier_derivation", lines):
        assert "Line 1 is also true at a random W" in verdict.message


def test_an_equation_may_be_divided(notebook: dict[str, Any]) -> None:
    """Multiplying both sides by a number or a power of ten gives the same equation."""
    lines = list(RIGHT["purifier_derivation"][0])
    for factor in ("0.5", "1e-9", "1e9"):
        lines[2] = f"lambda X, W, lam: ({factor} * (X - W @ X) @ X.T, {factor} * lam * W)"
        assert said_by_notebook(notebook, "purifier_derivation", lines) == ""
        assert all(
            v.message == "3 of 3 waypoints are right."
            for v in verdicts(notebook, "purifier_derivation", lines)
        )


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_result_cannot_prove_itself(notebook: dict[str, Any], question: str) -> None:
    """If a line calls the function that the derivation should derive, the message says so."""
    check = QUESTIONS[question].check
    assert isinstance(check, Derivation)
    lines = [f"lambda: {check.result}(*[1] * 9)", *RIGHT[question][0]]
    for verdict in verdicts(notebook, question, lines):
        assert "it calls the result that is to be derived" in verdict.message
    assert "calls the result that is to be derived" in said_by_notebook(notebook, question, lines)
    assert callable(notebook[check.result])


@pytest.mark.parametrize(
    "line",
    [
        "lambda s, lam, /: s**2 / (s**2 + lam)",
        "lambda s, /, lam: s**2 / (s**2 + lam)",
        "lambda s, /, *, lam: s**2 / (s**2 + lam)",
        "lambda *, lam, s: s**2 / (s**2 + lam)",
        "lambda power=2, s=None, /, *rest, lam, **more: s**power / (s**power + lam)",
    ],
)
def test_a_line_may_take_its_quantities_in_any_form(notebook: dict[str, Any], line: str) -> None:
    """Quantities may come by position or by name, beside parameters with defaults."""
    lines = list(RIGHT["svd_derivation"][0])
    lines[5] = f"('eigenvalues of the purifier', {line})"
    assert said_by_notebook(notebook, "svd_derivation", lines) == ""
    for verdict in verdicts(notebook, "svd_derivation", lines):
        assert verdict == Verdict(1.0, "3 of 3 waypoints are right.")
    changed = ["lambda U, s, /: s.sort()", *lines]
    assert "changes `s`" in said_by_notebook(notebook, "svd_derivation", changed)
    assert "changes `s`" in verdicts(notebook, "svd_derivation", changed)[0].message


def test_a_waypoint_may_not_repeat_its_definition(notebook: dict[str, Any]) -> None:
    """A waypoint's statement includes what it may use."""
    lines = list(RIGHT["svd_derivation"][0])
    lines[1] = "('eigenvalues of X X^T', lambda X, U: np.diag(U.T @ X @ X.T @ U))"
    assert "it may ask for s only" in said_by_notebook(notebook, "svd_derivation", lines)
    for verdict in verdicts(notebook, "svd_derivation", lines):
        assert verdict.fraction == pytest.approx(2 / 3)
        assert "may ask for s only" in verdict.message


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        (["3"], "not a function"),
        (["lambda s: s / 0 * 0"], "NaN or infinity"),
        (["lambda s: undefined"], "NameError"),
        (["('eigenvalue', lambda s: s)"], "no waypoint is called 'eigenvalue'"),
        (["lambda other: 1"], "asks for other"),
        (["lambda s: 'text'"], "is text, not numbers"),
        (["lambda s: s.sort()"], "changes `s`"),
    ],
)
def test_a_line_that_is_no_line_is_said(
    notebook: dict[str, Any], lines: list[str], complaint: str
) -> None:
    """Lines that cannot be evaluated are named, and later waypoints still count."""
    with np.errstate(all="ignore"):
        found = verdicts(notebook, "svd_derivation", [*lines, *RIGHT["svd_derivation"][0]])
        visible = said_by_notebook(
            notebook, "svd_derivation", [*lines, *RIGHT["svd_derivation"][0]]
        )
    said_there = complaint.replace("not a function", "be a function").replace("other", ".*other")
    assert re.search(said_there, visible), visible
    for verdict in found:
        assert complaint in verdict.message
        assert verdict.fraction == 1.0


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("lambda X, W: W @ X == X", "line 1 compares and gives True or False"),
        ("(lambda X, W: W @ X, lambda X: X)", "line 1 is a pair of functions"),
    ],
)
def test_what_looks_like_an_equation_is_told_how_to_write_one(
    notebook: dict[str, Any], line: str, words: str
) -> None:
    lines = [line, *RIGHT["purifier_derivation"][0]]
    assert words in said_by_notebook(notebook, "purifier_derivation", lines)
