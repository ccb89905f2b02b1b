"""hw6_grokking: answers that once earned too much or too little, before visible and hidden checks."""

import io
import re
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from typing import Any

import numpy as np
import pytest
import torch

from autograder.course import homework, inputs
from autograder.course.cells import defined_names
from autograder.records.facts import SubmissionId
from autograder.records.questions import Question
from autograder.records.values import Refused, watched
from tests.helpers import ROOT

NAME = "hw6_grokking"
adapters = homework.staff_module(ROOT, NAME, "adapters")
CELLS = homework.read_cells(ROOT / "source" / NAME / f"{NAME}.ipynb")
QUESTIONS = homework.load(ROOT, NAME)
ME = SubmissionId("somebody", "notebook", "0" * 64)


def solution(name: str) -> str:
    """Return the instructor's answer that defines a function."""
    (source,) = (
        c.source
        for c in CELLS
        if c.role == "answer" and c.type == "code" and name in defined_names(c.source)
    )
    return source


@pytest.fixture(autouse=True)
def _as_torch_was() -> Iterator[None]:
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)
    torch.set_default_dtype(torch.float32)


def seen_and_hidden(question_id: str, source: str) -> tuple[str, list[str]]:
    """Return what the visible check prints of an answer, and what its hidden cases say, twice each."""
    question = QUESTIONS.question(question_id)
    notebook: dict[str, Any] = {"__name__": "notebook"}
    printed = io.StringIO()
    with redirect_stdout(io.StringIO()):
        for cell in CELLS:
            if cell.type == "code" and cell.role in ("provided", "answer"):
                exec(cell.source, notebook)
        exec(source, notebook)
        # A check may use the complaint of another one.
        for cell in CELLS:
            if cell.type == "code" and cell.role == "check":
                function, call = cell.source.rsplit("\n\n\ncheck(", 1)
                exec(function, notebook)
                if cell.id == question_id:
                    with redirect_stdout(printed):
                        exec("check(" + call, notebook)
                    break
    seen = printed.getvalue().strip().removeprefix(f"[{question_id}] ")
    return seen, list(hidden(question, notebook))


def hidden(question: Question, notebook: dict[str, Any]) -> Iterator[str]:
    """Yield what each case says of a wrong value: twice, in random order, nothing may be changed."""
    assert question.ask
    assert question.check
    cases = inputs.draw(question, submission=ME, secret="answers")
    objects = [
        notebook[name] if name in question.ask.may_mutate else watched(notebook[name], name)
        for name in question.ask.objects
    ]
    rng = np.random.default_rng(0)
    for number in (*rng.permutation(len(cases)), *rng.permutation(len(cases))):
        case = cases[number]
        try:
            value = getattr(adapters, question.ask.adapter)(*objects, **case)
        except Refused as error:
            yield str(error)
            continue
        except Exception as error:
            yield f"raised {error}"
            continue
        verdict = question.check(case, {name: np.asarray(item) for name, item in value.items()})
        if verdict.fraction < 1:
            yield verdict.message


def edited(name: str, *edits: tuple[str, str]) -> Callable[[], str]:
    """Return what makes the source of a solution with some texts replaced."""

    def source() -> str:
        text = solution(name)
        for old, new in edits:
            assert old in text, old
            text = text.replace(old, new)
        return text

    return source


LAW = "torch.randn(shape, generator=generator) * math.sqrt(variance)"
REMEMBERED = """
NAME_itself, seen = NAME, {}
def NAME(*given):
    shapes = [len(x["W_E"]) if isinstance(x, dict) else getattr(x, "shape", x) for x in given]
    key = str(shapes)
    if key not in seen:
        seen[key] = NAME_itself(*given)
    return seen[key]
"""


def remembered(name: str) -> Callable[[], str]:
    """Return what makes the source of a solution that keeps its first value by the shapes."""
    return lambda: solution(name) + REMEMBERED.replace("NAME", name)


def beyond(rows: int) -> str:
    """Return the source of a fast form that is right in so many first rows of a large pass."""
    right = solution("fast_forward").replace("def fast_forward", "def right")
    return f"""{right}
def fast_forward(w, pairs):
    if len(pairs) < 200:
        return right(w, pairs)
    head = right(w, pairs[:{rows}])
    return torch.cat([head, head[:1].expand(len(pairs) - {rows}, -1)])
"""


def through_the_neurons(product: str) -> str:
    """Return the source of a fast form that computes what is never read, by another product."""
    add = f"""    for rows in x.repeat(3, 1).split(706):
        x = x + 0 * ({product}).sum()
"""
    return solution("fast_forward").replace("    x = x + F.relu", add + "    x = x + F.relu")


WRONG = {
    "naive detached": ("naive_forward", edited("naive_forward", ("return x @ w[\"W_U\"].T", "return (x @ w[\"W_U\"].T).detach()")), "No gradient can flow"),
    "scores detached": ("naive_forward", edited("naive_forward", ("scores.masked", "scores.detach().masked")), "the slope along W_"),
    "no tensor": ("naive_forward", edited("naive_forward", ("return x @ w[\"W_U\"].T", "return (x @ w[\"W_U\"].T).tolist()")), "it is no tensor of torch, but a list"),
    "p from the pairs": ("naive_forward", edited("naive_forward", ('len(w["W_E"]) - 1', "int(pairs.max()) + 1")), "not among their numbers.*off by"),
    "naive remembered": ("naive_forward", remembered("naive_forward"), "off by"),
    "weights written to": ("naive_forward", edited("naive_forward", ("    return", "    w[\"W_U\"].data *= 1.001\n    return")), "changes `w.*work on a copy"),
    "tables by p": ("fast_forward", edited("fast_forward", ("    places =", "    kept = globals().setdefault('kept', {})\n    places = kept[len(w['W_E'])] = kept.get(len(w['W_E'])) or")), "off by|raised"),
    "tables in w": ("fast_forward", edited("fast_forward", ("    places =", "    places = w['places'] = w.get('places') or")), "changes `w`"),
    "fast remembered": ("fast_forward", remembered("fast_forward"), "off by"),
    "end from the pairs": ("fast_forward", edited("fast_forward", ('w["W_E"][-1]', 'w["W_E"][pairs.max() + 1]')), "not among their numbers"),
    "right in few rows": ("fast_cost", lambda: beyond(199), "In the pass that is counted .* is not right"),
    "a sparse product": ("fast_cost", lambda: through_the_neurons("torch.sparse.mm(rows.detach().to_sparse(), w['W_in'].T)"), "a third is allowed"),
    "addmm": ("fast_cost", lambda: through_the_neurons("torch.addmm(w['W_in'][:, 0], rows, w['W_in'].T)"), "a third is allowed"),
    "addbmm": ("fast_cost", lambda: through_the_neurons("torch.addbmm(rows[:, :1], rows[None], w['W_in'].T[None])"), "a third is allowed"),
    "numbers times numbers": ("fast_cost", lambda: through_the_neurons("torch.linalg.vecdot(rows[:, None, :], w['W_in'])"), "a third is allowed"),
    "one head four times": ("initial_weights", edited("initial_weights", ("    return w", "    w['W_Q'] = w['W_Q'].detach()[:1].repeat(4, 1, 1).requires_grad_()\n    return w")), "Numbers of W_Q depend on each other"),
    "tied": ("initial_weights", edited("initial_weights", ("    return w", "    w['W_U'] = (w['W_E'].detach() * math.sqrt(width / (p + 1))).requires_grad_()\n    return w")), "Numbers of W_E and W_U depend"),
    "root of p": ("initial_weights", edited("initial_weights", ("p + 1 if", "p if")), "W_U: the standard deviation is not right"),
    "three values": ("initial_weights", edited("initial_weights", (LAW, "(lambda u: (u < 0.1587).float() - (u > 0.8413).float())(torch.rand(shape, generator=generator)) * math.sqrt(variance / 0.3174)")), "the law is not normal"),
    "truncated": ("initial_weights", edited("initial_weights", (LAW, "torch.nn.init.trunc_normal_(torch.empty(shape), 0, 1, -2, 2, generator=generator) * math.sqrt(variance) / 0.8796")), "the law is not normal"),
    "trained before": ("initial_weights", lambda: "import functools\n@functools.cache\n" + solution("initial_weights"), "when it is drawn again"),
    "few seeds": ("initial_weights", edited("initial_weights", ("manual_seed(seed)", "manual_seed(seed % 50)")), "is the same for two seeds"),
    "a graph": ("one_epoch", edited("one_epoch", ("loss.item()", "loss")), "keeps its whole graph"),
    "p from the trained pairs": ("one_epoch", edited("one_epoch", ("loss_of(fast_forward(w, pairs), pairs)", "F.cross_entropy(fast_forward(w, pairs), pairs.sum(dim=1) % (pairs.max() + 1))")), "not among their numbers.*off by"),
    "another learning rate": ("one_epoch", edited("one_epoch", ("    optimizer.step()", "    optimizer.param_groups[0]['lr'] *= 0.9\n    optimizer.step()")), "not right"),
    "pairs mixed": ("one_epoch", edited("one_epoch", ("    loss =", "    pairs[:] = pairs.flip(0)\n    loss =")), "`one_epoch` changes `pairs`"),
    "codes of the trained": ("mirror_share", lambda: "def mirror_share(trained, others):\n    p = trained.max() + 1\n    return torch.isin(others @ torch.tensor([1, p]), trained @ torch.tensor([p, 1])).double().mean()\n", "not right"),
    "codes of the others": ("mirror_share", lambda: "def mirror_share(trained, others):\n    p = others.max() + 1\n    return torch.isin(others @ torch.tensor([1, p]), trained @ torch.tensor([p, 1])).double().mean()\n", "not right"),
    "share remembered": ("mirror_share", remembered("mirror_share"), "not right"),
    "power remembered": ("fourier_power", remembered("fourier_power"), "off by"),
    "mean taken away": ("fourier_power", edited("fourier_power", ("    power =", "    E -= E.mean(dim=0)\n    power =")), "`fourier_power` changes `E`"),
    "parts taken away": ("keep_and_remove", lambda: solution("keep_and_remove") + "\nright = keep_and_remove\ndef keep_and_remove(E, frequencies):\n    kept, removed = right(E, frequencies)\n    E[:] = removed\n    return kept, E\n", "`keep_and_remove` changes `E`"),
    "no frequency": ("keep_and_remove", edited("keep_and_remove", ("    alone =", "    assert min(frequencies)\n    alone =")), "raised"),
    "a range": ("keep_and_remove", edited("keep_and_remove", ("torch.tensor(list(frequencies), dtype=torch.long)", "torch.arange(min([0, *frequencies][1:] or [0]), 1 + max([0, *frequencies]))")), "off by"),
}  # fmt: skip


SECONDS_EACH = {"numbers times numbers", "a sparse product", "right in few rows", "addmm", "addbmm"}
"""They multiply what the course's forms never do."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name,
            marks=[pytest.mark.slow, pytest.mark.turns(10, long=True)]
            if name in SECONDS_EACH
            else [],
        )
        for name in WRONG
    ],
)
def test_a_wrong_answer_loses_in_both(name: str) -> None:
    """The visible check and the hidden cases notice it, and the words fit."""
    question, source, words = WRONG[name]
    seen, said = seen_and_hidden(question, source())
    assert seen != "passed"
    assert said
    assert re.search(words, said[0]), said[0]


RIGHT = {
    "a ParameterDict": ("initial_weights", edited("initial_weights", ("    return w", "    return torch.nn.ParameterDict(w)"))),
    "double precision": ("initial_weights", edited("initial_weights", ("randn(shape,", "randn(shape, dtype=torch.float64,"))),
    "one generator a matrix": ("initial_weights", edited("initial_weights", ("generator=generator", "generator=torch.Generator().manual_seed(seed + len(w))"))),
    "its own default": ("fast_forward", lambda: "torch.set_default_dtype(torch.float64)\n" + solution("fast_forward")),
    "an object": ("naive_forward", lambda: solution("naive_forward") + "\nclass Naive:\n    def __init__(self, f): self.f = f\n    def __call__(self, w, pairs): return self.f(w, pairs)\nnaive_forward = Naive(naive_forward)\n"),
    "an array of none axes": ("one_epoch", edited("one_epoch", ("loss.item()", "loss.detach().numpy()"))),
    "pairs in another order": ("one_epoch", edited("one_epoch", ("    loss =", "    pairs = pairs[torch.randperm(len(pairs))]\n    loss ="))),
    "a Fraction": ("mirror_share", lambda: "from fractions import Fraction\n" + solution("mirror_share").replace("return sum", "return Fraction(1, len(others)) * sum").replace(" / len(others)", "")),
    "a complex number": ("mirror_share", edited("mirror_share", ("/ len(others)", "/ len(others) + 0j"))),
    "a list of tensors": ("fourier_power", edited("fourier_power", ("return power / power.sum()", "return list(power / power.sum())"))),
    "both in one": ("keep_and_remove", lambda: solution("keep_and_remove") + "\nright = keep_and_remove\ndef keep_and_remove(E, frequencies):\n    return torch.stack(right(E, frequencies)).to(torch.complex128)\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_answer_passes_both(name: str) -> None:
    """In whatever form it returns its numbers."""
    question, source = RIGHT[name]
    assert seen_and_hidden(question, source()) == ("passed", [])
