"""hw5_memorization: its oracle is torch's own attention, its laws are laws, its bounds can be missed."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch

from autograder.course import homework, known_answers
from autograder.course.cells import defined_names
from autograder.kit.checks import Close
from autograder.records.questions import Question
from autograder.records.values import Refused, watched
from tests.helpers import ROOT

NAME = "hw5_memorization"
reference = homework.staff_module(ROOT, NAME, "reference")
cases = homework.staff_module(ROOT, NAME, "cases")
models = homework.staff_module(ROOT, NAME, "models")
adapters = homework.staff_module(ROOT, NAME, "adapters")
shared = homework.staff_module(ROOT, NAME, "shared")
batched = homework.staff_module(ROOT, NAME, "batched")


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def rng_of(draw: int) -> np.random.Generator:
    return np.random.default_rng(draw)


def test_the_forward_is_a_sum_of_modules() -> None:
    """One nn.MultiheadAttention for each head, in double precision; heads have the model's width."""
    w = cases._model(rng(), 7, 4, 3, 4)
    contexts = rng().integers(0, 7, size=(11, 2))
    x = torch.tensor(w["W_E"][contexts] + w["W_pos"])
    stream = x[:, 1]
    for head in range(3):
        module = torch.nn.MultiheadAttention(4, 1, bias=False, batch_first=True).double()
        q, k, v, o = (torch.tensor(w[f"W_{kind}"][head]) for kind in "QKVO")
        module.load_state_dict({"in_proj_weight": torch.cat([q, k, v]), "out_proj.weight": o})
        stream = stream + module(x[:, 1:], x, x)[0][:, 0]
    wanted = (stream @ torch.tensor(w["W_U"]).T).detach().numpy()
    assert reference.logits(contexts, w) == pytest.approx(wanted, abs=1e-12)


def test_the_lab_s_model_is_the_reference_s() -> None:
    """All heads in one product, with and without the residual stream."""
    w = batched.start(7, 4, 3, seed=0)
    contexts = torch.cartesian_prod(torch.arange(7), torch.arange(7))
    plain = {name: item.detach().double().numpy() for name, item in w.items()}
    for residual, skips in ((True, ()), (False, ("residual",))):
        found = batched.logits(w, contexts, residual=residual).detach().numpy()
        assert found == pytest.approx(reference.logits(contexts.numpy(), plain, skips), abs=1e-5)


def test_parts_add_up() -> None:
    """Heads and residual stream make the logits."""
    for case in cases.head_cases(rng()):
        heads, own = reference.head_logits(**case).values()
        w = {name: item for name, item in case.items() if name != "contexts"}
        assert heads.sum(axis=1) + own == pytest.approx(reference.logits(case["contexts"], w))


def test_every_switch_changes_something() -> None:
    """Whatever is skipped, the logits are others, and each choice of switches others again."""
    w, contexts = cases._model(rng(), 7, 4, 3, 4), rng().integers(0, 7, size=(11, 2))
    found = [reference.logits(contexts, w)]
    found += [reference.logits(contexts, w, (name,)) for name in reference.SKIPS]
    for number, one in enumerate(found):
        assert all(np.abs(one - other).max() > 0.1 for other in found[:number])


def test_laws_add_up_to_one() -> None:
    """At every place, whatever was before."""
    for case in cases.power_cases(rng()):
        for law in reference.power_unif(**case).values():
            assert law.sum(axis=-1) == pytest.approx(np.ones(law.shape[:-1]))
    for case in cases.last_cases(rng()):
        (law,) = reference.last_position_law(**case).values()
        assert law.sum(axis=-1) == pytest.approx(np.ones(law.shape[:-1]))


@pytest.mark.parametrize("choices", [1, 3, 5])
def test_the_entropy_of_equal_choices(choices: int) -> None:
    """It is the logarithm of their number; a uniform answer is off by ln N less that."""
    drawn = cases._choices(rng(), 5, (4, 2, choices))
    laws = reference.power_unif_law(np.ones(3), N=5, **drawn)
    (found,) = reference.entropy(*laws).values()
    assert found == pytest.approx(np.log(choices))


def test_point_masses_make_one_loss_of_two() -> None:
    """And laws with entropy do not."""
    for case in cases.loss_cases(rng()):
        divergence, next_token, *_ = reference.two_losses(**case).values()
        assert (divergence == pytest.approx(next_token)) == (case["law"].max(axis=1).min() == 1)


def test_what_no_law_determines_changes_no_distance() -> None:
    """Constants in columns, and other bases; a column more does."""
    A = rng().normal(size=(9, 3))
    turn = np.random.default_rng(1).normal(size=(3, 3))
    (same,) = reference.gauge(A, A @ turn + [3.0, -1.0, 7.0]).values()
    assert same < 1e-12
    assert reference.gauge(A, A[:, [0, 1, 1]] + 0.3 * A**2)["the distance"] > 0.1


def compared() -> list[Question]:
    return [q for q in homework.load(ROOT, NAME).questions if isinstance(q.check, Close)]


@pytest.fixture(scope="module")
def notebook() -> dict[str, Any]:
    """Return what the instructor's notebook defines, without its checks and demos."""
    names: dict[str, Any] = {}
    for cell in known_answers.instructor(ROOT, homework.load(ROOT, NAME)).cells:
        if cell.type == "code" and cell.role in ("provided", "answer"):
            exec(compile(cell.source, cell.id, "exec"), names)
    return names


def lost(question: Question, names: dict[str, Any], draw: int) -> Iterator[str]:
    """Yield what is said of each case that a notebook loses: all of them twice, in random order."""
    assert question.check
    assert question.ask
    order = np.random.default_rng([1, draw])
    drawn = question.cases(np.random.default_rng([2, draw]))
    objects = [
        watched(names[name], name) if name in question.ask.watched else names[name]
        for name in question.ask.objects
    ]
    adapter = getattr(adapters, question.ask.adapter)
    again = [] if question.once else [*order.permutation(len(drawn))]
    for number in [*order.permutation(len(drawn)), *again]:
        try:
            found = adapter(*objects, **drawn[number])
            value = {name: np.asarray(item) for name, item in found.items()}
        except Exception as error:
            yield f"{type(error).__name__}: {error}"
        else:
            verdict = question.check(drawn[number], value)
            if verdict.fraction < 1:
                yield verdict.message


@pytest.mark.slow
@pytest.mark.turns(5)
def test_held_out_mistakes_lose_their_own_questions(notebook: dict[str, Any]) -> None:
    """In each of two draws, whose cases are evaluated twice in random order."""
    course = homework.load(ROOT, NAME)
    for answer in known_answers.unlisted(ROOT, course):
        for question in course.questions:
            wanted = question.ask.objects if question.ask else ()
            if question.trains:  # the instructor's own keeps what it is built on
                wanted = wanted[-1:]
            if not defined_names(answer.define) & {*wanted}:
                continue
            for draw in range(1 if question.trains else 2):
                names = dict(notebook)
                exec(compile(answer.define, answer.name, "exec"), names)
                said = list(lost(question, names, draw))
                assert bool(said) == (question.id in answer.fails), (answer.name, question.id, said)


@pytest.mark.parametrize(
    "name", ["weights_changed_in_the_dict", "attention_learns_nothing", "centred_in_place"]
)
def test_the_notebook_s_check_complains(
    name: str, notebook: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """Of changed inputs and lost gradients, which need no hidden input to be noticed."""
    course = homework.load(ROOT, NAME)
    answer = next(one for one in known_answers.unlisted(ROOT, course) if one.name == name)
    cells = known_answers.instructor(ROOT, course).cells
    (check,) = (c for c in cells if c.role == "check" and c.grade_id == min(answer.fails))
    names = {**notebook}
    for cell in cells:  # functions know the names around them
        if cell.id in ("value_tool", "check_tool", "examples"):
            exec(compile(cell.source, cell.id, "exec"), names)
    exec(compile(answer.define, name, "exec"), names)
    exec(compile(check.source, check.id, "exec"), names)
    assert "changes `" in (said := capsys.readouterr().out) or "gradient for" in said


@pytest.mark.parametrize("draw", range(5))
def test_cases_differ_and_repeat_a_shape(draw: int) -> None:
    """Every case has a description of its own, and some two have the same shapes and other values."""
    for question in compared():
        assert isinstance(question.check, Close)
        drawn = question.cases(np.random.default_rng(draw))
        described = [question.check.describe(case) for case in drawn]
        assert len({*described}) == len(drawn), described
        shapes = [tuple(np.shape(item) for item in case.values()) for case in drawn]
        assert len({*shapes}) < len(drawn), question.id
        for one, other in pairwise(drawn):
            assert any(not np.array_equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize("draw", range(20))
def test_every_draw_has_what_is_special(draw: int) -> None:
    """Scores of every size and sign, ties, tokens that never come, each switch and all of a pair."""
    rows = [
        row
        for case in cases.rank_cases(rng_of(draw))
        for row in np.sort(case["E"] @ case["U"].T, axis=1)[:, ::-1]
    ]
    assert any(row[0] > 1900 and row[1] < row[0] for row in rows)
    assert any(row[0] > 1900 and row[1] == row[0] for row in rows)
    assert any(row[0] < -1900 for row in rows)
    scores = np.concatenate([c["scores"].reshape(-1, 2) for c in cases.share_cases(rng_of(draw))])
    assert (scores.max(axis=1) < -1900).any()
    assert (scores.min(axis=1) > 1900).any()
    assert (scores[:, 0] == scores[:, 1]).any()
    assert any(c["best"].max() < len(c["best"]) - 1 for c in cases.last_cases(rng_of(draw)))
    names = ("first", "second", "third")
    most = [(max(c[n].max() for n in names), c["N"]) for c in cases.power_cases(rng_of(draw))]
    assert any(token < N - 1 for token, N in most)
    on = {tuple(case["skipped"]) for case in cases.attention_cases(rng_of(draw))}
    assert {tuple(row) for row in np.eye(5, dtype=int)} <= on
    assert {(1, 1, 0, 0, 0), (0, 0, 1, 1, 0), (1, 1, 1, 1, 0), (1, 1, 1, 1, 1)} <= on


def test_gradients_are_torch_s(notebook: dict[str, Any]) -> None:
    """The reference's, by a complex step and by hand, are those of the solution by autograd."""
    for name in ("attention_only", "two_losses"):
        (question,) = (q for q in compared() if q.id == name)
        assert question.gradients
        for case in question.cases(rng()):
            found = getattr(adapters, name)(notebook[name], **case)
            for what, right in getattr(reference, name)(**case).items():
                assert found[what] == pytest.approx(right, abs=1e-9)


EASY = (lambda w, contexts: contexts, lambda *_: (1.0, 1.0))
"""What `train` is built on, where every loss is 1."""


class Textual:
    """A weight that has a text where a tensor has its numbers."""

    def detach(self) -> str:
        return "text"


@pytest.mark.parametrize("name", ["train_heads", "freezing"])
def test_a_weight_that_is_no_tensor_is_refused_in_the_sandbox(name: str) -> None:
    """It never comes before the judge, and what has no expected name stays behind."""

    def spoil(w: dict[str, Any], *rest: Any) -> list[float]:
        w["W_O"] = Textual()
        return [1.0] * rest[-1]

    def add(w: dict[str, Any], *rest: Any) -> list[float]:
        w.update({"more": Textual(), **{key: w[key].detach() + 1 for key in rest[0]}})
        return [1.0] * rest[-1]

    with pytest.raises(Refused, match="W_O after training .* is not an array of"):
        getattr(adapters, name)(*EASY, spoil)
    check = models.FROZEN if name == "freezing" else models.REMEMBERS
    value = getattr(adapters, name)(*EASY, add)
    assert {*value} == {*check.shapes}
    for what in ("W_O alone", "with 1 head"):  # a judge that is given more does not look at it
        more = value | {shared.weight_after("more", what): "text"}
        assert check({}, more).message == check({}, value).message


@pytest.mark.parametrize("name", ["train_heads", "freezing", "uneven"])
@pytest.mark.parametrize(
    ("losses", "said"),
    [
        (lambda steps: None, "a list of"),  # noqa: ARG005
        (lambda steps: 1 / steps, "a list of"),
        (lambda steps: [1 / steps], "one a step; yours has 1"),
        (lambda steps: [0.0] * (steps - 1), "one a step; yours has"),
        (lambda steps: ["text"] * steps, "a loss is text"),
        (lambda steps: [None] * steps, "a loss is None"),
        (lambda steps: [[0.1, 0.2]] * steps, "a loss should be one number"),
    ],
)
def test_losses_are_one_a_step(name: str, losses: Callable[[int], Any], said: str) -> None:
    """What is no list of so many numbers is refused, whatever the weights are."""

    def train(*given: Any) -> Any:
        return losses(next(item for item in given if isinstance(item, int)))

    with pytest.raises(Refused, match=said):
        getattr(adapters, name)(*(EASY[:1] if name == "uneven" else EASY), train)


@pytest.mark.parametrize("name", ["train_heads", "freezing"])
@pytest.mark.parametrize(
    ("place", "loss", "said"),
    [
        (0, 2.0, "first loss is 2, but your `two_losses` gives 1"),
        (-1, 2.0, "last loss is 2, but your `two_losses` gives 1"),
        (-1, np.inf, "last loss is inf|infinity"),
    ],
)
def test_losses_are_the_student_s_own(name: str, place: int, loss: float, said: str) -> None:
    """A mistake in `two_losses` is no mistake of the training that uses it."""

    def train(*given: Any) -> list[float]:
        losses = [1.0] * given[-1]
        losses[place] = loss
        return losses

    with pytest.raises(Refused, match=said):
        getattr(adapters, name)(*EASY, train)


def untrained() -> dict[str, np.ndarray]:
    """Return what an answer has that trains nothing, and tells the losses of that."""
    N, _, d, heads = shared.FEW
    return of_no_training(dict.fromkeys(models.PARTS, shared.start(N, d, heads)))


def of_no_training(begun: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Return weights in single precision, by training."""
    return {
        shared.weight_after(name, what): item.astype(np.float32).astype(float)
        for what, w in begun.items()
        for name, item in w.items()
    }


def test_what_moves_is_looked_at() -> None:
    """Nothing moved, something else moved, and the right thing moved to no use."""
    assert "W_E has not moved" in models.FROZEN({}, untrained()).message
    value = untrained()
    for name in value:
        if "W_" in name.split()[0] and name.startswith("W_O") == name.endswith("W_O alone"):
            value[name] = value[name] * 1.001
    assert "is needed" in models.FROZEN({}, value).message
    name = shared.weight_after("W_pos", "W_O alone")
    value[name] = value[name] * (1 + 1e-6)
    assert "W_pos has moved as well" in models.FROZEN({}, value).message
    other = replace(models.FROZEN, seed=1)
    assert "W_E has moved as well" in other({}, value).message


def test_more_heads_have_to_remember_more() -> None:
    """What is not trained has not moved; what moved to no use, remembers too little."""
    contexts, tokens = shared.law(*shared.MANY[:2])
    value = of_no_training(models.REMEMBERS._begun())
    assert "W_E has not moved" in models.REMEMBERS({}, value).message
    value = {name: (1.001 if "W_" in name else 1) * item for name, item in value.items()}
    verdict = models.REMEMBERS({}, value)
    assert verdict.fraction == 0
    assert "at least 36 with 1 are needed" in verdict.message
    assert models.REMEMBERS.figure(value) < 3
    assert len(contexts) == len(tokens) == 256


def test_losses_are_those_of_the_steps() -> None:
    """The first is the divergence before any step, and the last nearly that of the weights at the end."""
    begun = shared.start(*shared.UNEVEN)
    value = of_no_training(dict.fromkeys(models.LEFT_OUT, begun)) | {
        shared.losses_of(what): np.full(shared.UNEVEN_STEPS, models._divergence(begun, skips))
        for what, skips in models.LEFT_OUT.items()
    }
    assert "with everything, W_E has not moved" in models.UNEVEN({}, value).message
    moved = {name: np.array(item * (1.001 if "W_" in name else 1)) for name, item in value.items()}
    verdict = models.UNEVEN({}, moved)
    assert verdict.fraction == 0
    assert "0.4 is wanted" in verdict.message
    for what in models.LEFT_OUT:
        for place, factor, said in (
            (0, 1.001, f"Training {what}: the first loss is"),
            (-1, 1.05, f"Training {what}: the last loss is"),
        ):
            losses = moved[shared.losses_of(what)].copy()
            losses[place] *= factor
            message = models.UNEVEN({}, moved | {shared.losses_of(what): losses}).message
            assert message.startswith(said)
            losses[place] = np.nan
            message = models.UNEVEN({}, moved | {shared.losses_of(what): losses}).message
            assert "contains NaN or infinity" in message


def test_laws_that_are_trained_on_have_zeros() -> None:
    """Some contexts leave every token possible, some a few, and some one."""
    _, law, chances = shared.uneven_law()
    assert {1, 2, shared.UNEVEN[0]} <= {*(law > 0).sum(axis=1).tolist()}
    assert law.sum(axis=1) == pytest.approx(np.ones(len(law)))
    assert chances.sum() == pytest.approx(1)
