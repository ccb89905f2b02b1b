"""Groups of written answers: those that one mark suits, and those to be kept apart."""

import itertools
import random

import pytest

from autograder.platforms.nbgrader.groups import Group, groups, order

BLANK = "YOUR ANSWER HERE"
LONG = (
    "The keys and the query of token 2 are linear in the sentence, so both signs change and every "
    "score stays as it is; the weights stay, and the mean of the values turns round."
)


def kinds(found: list[Group]) -> dict[str, str]:
    return {id: group.kind for group in found for id in group.members}


def together(one: str, other: str) -> bool:
    """Return whether two answers are in one group."""
    return len(groups({"a": one, "b": other}, BLANK)) == 1


def test_each_answer_is_in_one_group() -> None:
    """This covers empty, unchanged, equal and similar answers, and a unique one."""
    answers = {
        "s1": LONG,
        "s2": "  \n",
        "s3": LONG.replace(" so ", "\n\nso "),
        "s4": BLANK + "\n",
        "s5": LONG.replace("sentence", "tokens").replace("round", "around"),
        "s6": "Convexity, by Jensen.",
        "s7": "Convexity,\nby Jensen.",
        "s8": "I do not know.",
        "s9": "",
    }
    assert groups(answers, BLANK) == [
        Group("empty", ("s2", "s9")),
        Group("unchanged", ("s4",)),
        Group("near-identical", ("s1", "s3", "s5")),
        Group("identical", ("s6", "s7")),
        Group("alone", ("s8",)),
    ]


def fabricated(size: int, seed: int) -> dict[str, str]:
    """Return answers, half of them copies with up to four changed words."""
    draw = random.Random(seed)
    words = [f"w{chr(97 + n % 26)}{chr(97 + n // 26)}rd" for n in range(300)]
    originals = [[draw.choice(words) for _ in range(60)] for _ in range(size // 2)]
    answers = {}
    for number in range(size):
        text = list(originals[number] if number < len(originals) else draw.choice(originals))
        for _ in range(draw.randrange(5) if number >= len(originals) else 0):
            text[draw.randrange(60)] = draw.choice(words)
        answers[f"s{number:04}"] = " ".join(text)
    return answers


@pytest.mark.parametrize("seed", range(3))
def test_the_order_in_which_answers_come_changes_nothing(seed: int) -> None:
    """The groups and the order stay the same, and every copy is beside its original."""
    answers = fabricated(200, seed)
    ids = list(answers)
    random.Random(seed).shuffle(ids)
    found = groups(answers, BLANK)
    assert groups({id: answers[id] for id in ids}, BLANK) == found
    assert order(found, {id: answers[id] for id in ids}) == order(found, answers)
    assert sorted(id for group in found for id in group.members) == sorted(answers)
    by_id = {id: group for group in found for id in group.members}
    copies = [id for id in answers if int(id[1:]) >= 100]
    assert all(by_id[id].kind != "alone" for id in copies)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (LONG, LONG.replace("stays as it is", "does not stay as it is")),
        (LONG, LONG.replace("the weights stay", "the weights don't stay")),
        (LONG, LONG.replace("token 2", "token 3")),
        (LONG, LONG.replace("every score", "no score")),
        (LONG + " So $a < b$.", LONG + " So $a > b$."),
        (LONG + " So a < b.", LONG + " So a > b."),
        (LONG + " It is $QK^\\top$.", LONG + " It is $KQ^\\top$."),
        (LONG + " It is $(a + b)c$.", LONG + " It is $a + bc$."),
        (LONG + " It is $x^{2n}$.", LONG + " It is $x^2n$."),
        (LONG + " It is $N$.", LONG + " It is $n$."),
        (LONG + " It is 0.87.", LONG + " It is 0.78."),
        (LONG + " A attends to B.", LONG + " B attends to A."),
        ("It is larger.", "It is smaller."),
        ("![](attachment:image.png)", "![](attachment:image.png)"),
        ('Here: <img src="attachment:a.png">', 'Here: <img src="attachment:a.png">'),
    ],
)
def test_what_may_mean_the_opposite_is_apart(one: str, other: str) -> None:
    """This covers negations, numbers, signs, letters in formulas, and pictures."""
    assert not together(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (LONG, LONG.upper().lower()),
        (LONG, LONG.replace("keys", "**keys**").replace("query", "`query`")),
        (LONG, LONG.replace("linear", "linaer")),
        (LONG, "# My answer\n" + LONG),
        (LONG + " $\\left(x_{i}\\right)$", LONG + " $( x_i )$"),
        (LONG + " $$q \\cdot k$$", LONG + " \\(q\\cdot k\\)"),
        (LONG + " It doesn't.", LONG + " It doesn’t."),
    ],
)
def test_what_only_looks_different_is_together(one: str, other: str) -> None:
    """This covers white space, emphasis, typing errors and the look of formulas."""
    assert together(one, other)


def test_no_chain_joins_what_differs() -> None:
    """Everybody in a group is near its first member's text, not just near somebody's."""
    words = [f"word{chr(97 + n)}" for n in range(20)]
    chain = {
        f"s{n}": " ".join(f"other{chr(97 + m)}" if m < n else words[m] for m in range(20))
        for n in range(0, 20, 2)
    }
    found = groups(chain, BLANK)
    assert [len(group.members) for group in found] == [3, 2, 2, 2, 1]


def test_similar_answers_follow_each_other() -> None:
    """Two mixed subjects end up separate in the order; empty answers come last."""
    answers: dict[str, str] = {"s00": "", "s01": BLANK}
    for number in range(10):
        words = ("softmax saturates", "gradient vanishes", "weights", "one key wins")
        other = ("mirror pairs", "training fraction", "symmetric tables", "plateau")
        chosen = words if number % 2 else other
        extra = " ".join(f"x{chr(97 + number)}{chr(97 + m)}" for m in range(4))
        answers[f"s{number + 2:02}"] = " and ".join(chosen) + f" {extra}"
    found = groups(answers, BLANK)
    assert {"alone"} == {kind for id, kind in kinds(found).items() if id > "s01"}
    ordered = order(found, answers)
    assert ordered[-2:] == ["s00", "s01"]
    subjects = [int(id[1:]) % 2 for id in ordered[:-2]]
    assert sum(a != b for a, b in itertools.pairwise(subjects)) == 1


def test_a_group_stays_together_in_the_order() -> None:
    """The largest comes first, without any others in between."""
    answers = fabricated(100, 7)
    found = groups(answers, BLANK)
    ordered = order(found, answers)
    assert sorted(ordered) == sorted(answers)
    assert tuple(ordered[: len(found[0].members)]) == found[0].members
    for group in found:
        places = sorted(ordered.index(id) for id in group.members)
        assert places == list(range(places[0], places[0] + len(places)))


@pytest.mark.parametrize(
    "text",
    [
        "$" * 50_000,
        "\\(" * 20_000,
        "{" * 50_000,
        "`" * 50_000,
        "a " * 50_000,
        "\ud800 \U0010ffff \x00 \u202e",
        "?!",
        "<script>alert(1)</script>" * 1_000,
    ],
)
def test_hostile_answers_are_grouped_like_others(text: str) -> None:
    """They are fast, and grouped only with their equals."""
    found = groups({"a": text, "b": text, "c": LONG}, BLANK)
    assert [group.members for group in found] == [("a", "b"), ("c",)]
    assert order(found, {"a": text, "b": text, "c": LONG}) == ["a", "b", "c"]


def test_nobody_wrote_anything() -> None:
    """Without answers there are no groups."""
    assert groups({}, BLANK) == []
    assert order([], {}) == []
