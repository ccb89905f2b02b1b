"""hw7_induction: the words, designs by hand in many forms, damaged ones, and what training finds."""

import tomllib
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

from autograder.course import homework
from autograder.records.questions import Value, Verdict
from tests.helpers import ROOT

NAME = "hw7_induction"
designed, drawn, reference, adapters, words = (
    homework.staff_module(ROOT, NAME, module)
    for module in ("designed", "drawn", "reference", "adapters", "words")
)
CHECK = designed.Induction()
CHECKS = {
    "previous_weights": designed.Pattern(words.all_words, words.previous_places),
    "copy_weights": designed.Pattern(words.words_with_a_copy, words.copied_places),
    "induction_weights": CHECK,
}
FORMS = ["rooms", *(f"basis {seed}" for seed in range(7))]
DESIGNS = [f"{road}, {form}" for road in ("shift", "pointer") for form in FORMS]


def test_more_than_fifty_are_damaged() -> None:
    """Each in a way of its own."""
    assert len(damaged()) > 50


def a_design(name: str) -> dict[str, Any]:
    """Return a right design: in rooms, or in a basis and with sizes of its own."""
    road, form = name.split(", ")
    rng = np.random.default_rng(FORMS.index(form))
    return dict(getattr(drawn, road)(rng, disguised=form != "rooms"))


def judged(value: Value) -> Verdict:
    verdict: Verdict = CHECK({}, value)
    return verdict


def test_there_are_2188_words_and_each_has_one_earlier_copy() -> None:
    """By length as the text gives them; slow and obvious beside what the check uses."""
    every = [
        word
        for length in range(2, 7)
        for word in product(range(4), repeat=length)
        if word[:-1].count(word[-1]) == 1
    ]
    found = words.words_with_a_copy()
    assert [len(some) for some in found] == [4, 24, 108, 432, 1620]
    assert [tuple(word) for some in found for word in some.tolist()] == every
    wanted = [word[word.index(word[-1]) + 1] for word in every]
    assert np.concatenate([words.next_letter(some) for some in found]).tolist() == wanted
    assert sum(map(len, words.all_words())) == 5456


@pytest.mark.parametrize("name", DESIGNS)
def test_sixteen_right_designs_are_accepted(name: str) -> None:
    """Both roads, in rooms and in bases that nobody would write down."""
    assert judged(a_design(name)).fraction == 1


def _without(*names: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda m: {**m, **{name: np.zeros_like(m[name]) for name in names}}


def _turned(*names: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda m: {**m, **{name: -m[name] for name in names}}


def _exchanged(one: str, other: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda m: {**m, one: m[other], other: m[one]}


DAMAGES: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    **{f"no {name}": _without(name) for name in ("E", "pos", "Q1", "K1", "V1", "Q2", "K2", "V2", "U")},
    **{f"{name} with the other sign": _turned(name) for name in ("Q1", "K1", "V1", "Q2", "K2", "V2", "U")},
    "queries and keys of layer 1 exchanged": _exchanged("Q1", "K1"),
    "queries and keys of layer 2 exchanged": _exchanged("Q2", "K2"),
    "values exchanged": _exchanged("V1", "V2"),
    "letters named in another order": lambda m: {**m, "U": np.roll(m["U"], 1, axis=1)},
    "positions moved by one": lambda m: {**m, "pos": np.roll(m["pos"], 1, axis=0)},
    "logits doubled": lambda m: {**m, "U": 2 * m["U"]},
    "values of layer 2 halved": lambda m: {**m, "V2": m["V2"] / 2},
    "values of layer 1 turned round": lambda m: {**m, "V1": m["V1"].T},
    "queries of layer 1 read one number further": lambda m: {**m, "Q1": np.roll(m["Q1"], 1, axis=0)},
    "keys of layer 2 read one number further": lambda m: {**m, "K2": np.roll(m["K2"], 1, axis=0)},
    "layer 1 too soft": lambda m: {**m, "Q1": m["Q1"] / 200},
    "layer 2 too soft": lambda m: {**m, "Q2": m["Q2"] / 200},
    "two letters alike": lambda m: {**m, "E": m["E"][[0, 0, 2, 3]]},
}  # fmt: skip


# A pointer's first layer compares letters and positions, whichever of the two asks.
SAME = ("pointer, basis 1", "queries and keys of layer 1 exchanged")


def damaged() -> list[tuple[str, str]]:
    """Return a shift and a pointer with everything that is done to each."""
    return [pair for pair in product(("shift, rooms", "pointer, basis 1"), DAMAGES) if pair != SAME]


@pytest.mark.parametrize(("name", "damage"), damaged())
def test_no_damaged_design_is_accepted(name: str, damage: str) -> None:
    """Of more than fifty, none earns everything."""
    value = DAMAGES[damage](a_design(name))
    verdict = judged(value)
    assert verdict.fraction < 1, damage
    assert "should have shape" in verdict.message or "words" in verdict.message


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("question", CHECKS)
def test_drawn_designs_are_right(question: str, seed: int) -> None:
    """What `check --large` draws by the thousand."""
    value = drawn.DRAWN[question](np.random.default_rng(100 + seed))
    assert CHECKS[question]({}, value).fraction == 1


KNOWN = {
    "position_zero_not_excluded": 1708,
    "pointer_finds_itself": 760,
    "keys_read_the_letter_itself": 484,
    "layer_one_left_out": 16,
}


@pytest.mark.parametrize(("mistake", "right"), list(KNOWN.items()))
def test_known_mistakes_get_so_many_words_right(mistake: str, right: int) -> None:
    """As many as other people counted; the message has the number, the lengths and never the answer."""
    value = adapters.two_layers(answer_of(mistake))
    message = judged({name: np.asarray(item) for name, item in value.items()}).message
    assert f"Right on {right:,} of 2,188 words: 4 of 4 of length 2, " in message


def test_the_message_tells_which_kind_of_words_fails() -> None:
    """A shift that answers for position 0, and keys that find the letter itself."""
    for mistake, sentence in (
        ("position_zero_not_excluded", "Of the 484 words whose earlier copy is the first letter, 4 are right; of the 1,704 others, 1,704."),
        ("keys_read_the_letter_itself", "Of the 484 words whose earlier copy is the letter right before the last, 484 are right; of the 1,704 others, 0."),
    ):  # fmt: skip
        value = adapters.two_layers(answer_of(mistake))
        assert sentence in judged({name: np.asarray(item) for name, item in value.items()}).message


def test_a_pointer_that_finds_itself_only_has_to_be_sharper() -> None:
    """With the same weights and larger queries it is a right design, of 43 numbers."""
    value = {
        n: np.asarray(m) for n, m in adapters.two_layers(answer_of("pointer_finds_itself")).items()
    }
    assert judged(value).fraction == 0.5
    assert judged({**value, "Q2": 20 * value["Q2"]}).fraction == 1
    assert sum(np.count_nonzero(matrix) for matrix in value.values()) == 43


def answer_of(mistake: str) -> Callable[[], Any]:
    """Return induction_weights of a known mistake, made from the instructor's solution."""
    cells = homework.read_cells(ROOT / "source" / NAME / f"{NAME}.ipynb")
    (source,) = (cell.source for cell in cells if cell.id == "induction_weights_answer")
    known = tables()[mistake]
    for old, new in known.get("edits", ()):
        if old in source:
            source = source.replace(old, new)
    notebook: dict[str, Any] = {"np": np}
    exec(known.get("code", source), notebook)
    found: Callable[[], Any] = notebook["induction_weights"]
    return found


def tables() -> dict[str, Any]:
    path = ROOT / "source" / NAME / "staff" / "mistakes.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def test_four_words_that_no_single_layer_can_tell_apart() -> None:
    """Both pairs have the same letters at each position, and want different ones next."""
    left, right = (np.array([["ABCD".index(c) for c in word] for word in pair]) for pair in (("ABDCA", "DCABA"), ("ACDBA", "DBACA")))  # fmt: skip
    assert np.array_equal(np.sort(left, axis=0), np.sort(right, axis=0))
    assert words.next_letter(left).tolist() == [1, 1]
    assert words.next_letter(right).tolist() == [2, 2]


@pytest.mark.parametrize("seed", range(20))
def test_the_proof_on_random_layers(seed: int) -> None:
    """Times its denominator, the difference of two logits has the same sum over both pairs of words."""
    rng = np.random.default_rng(seed)
    E, pos, U = rng.normal(size=(4, 9)), rng.normal(size=(6, 9)), rng.normal(size=(9, 4))
    Q, K, V = (rng.normal(size=(9, 9)) for _ in "QKV")
    sums = []
    for pair in (("ABDCA", "DCABA"), ("ACDBA", "DBACA")):
        x = E[np.array([["ABCD".index(c) for c in word] for word in pair])] + pos[:5]
        exponentials = np.exp((x[:, -1:] @ Q) @ (x @ K).transpose(0, 2, 1) / 3)[:, 0]
        total = exponentials.sum(axis=1, keepdims=True)
        logits = (x[:, -1] + np.einsum("ns,nsw->nw", exponentials / total, x @ V)) @ U
        sums.append((total[:, 0] * (logits[:, 1] - logits[:, 2])).sum())
    assert np.isclose(*sums)


def test_the_scores_of_pure_designs() -> None:
    """1 for what each is for, on the words of six letters."""
    six = words.words_with_a_copy()[-1]
    for road, score in (("shift", "previous_score"), ("pointer", "copy_score")):
        m = a_design(f"{road}, rooms")
        x = m["E"][six] + m["pos"][:6]
        first = designed.pattern(x, m["Q1"], m["K1"])
        second = designed.pattern(x + first @ (x @ m["V1"]), m["Q2"], m["K2"])
        given = (first,) if score == "previous_score" else (first, six)
        assert getattr(reference, score)(*given)["the score"] > 0.999
        assert reference.induction_score(second, six)["the score"] > 0.999
