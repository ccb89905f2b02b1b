"""fingerprints: shared runs are found anywhere, even reordered."""

import random

from autograder.staff.similar import fingerprints
from autograder.staff.similar.fingerprints import Fingerprint, of_code, of_text

CODE = """\
def weights(numbers):
    queries = numbers @ first.transpose(0, 1)
    keys = second.reshape(4, 7) - queries.mean(0)
    values = torch.einsum('ij,jk->ik', third, numbers)
    return torch.softmax(queries / keys, dim=1) @ values
"""
KNOWN = frozenset({"torch", "numbers"})


def keys(items: tuple[Fingerprint, ...]) -> set[int]:
    return {item.key for item in items}


def test_a_shared_run_is_always_found() -> None:
    """Winnowing guarantees that k + w - 1 shared words give a shared fingerprint."""
    draw = random.Random(0)
    long = fingerprints.TEXT_RUN + fingerprints.TEXT_WINDOW - 1
    for _ in range(200):
        shared = [f"s{draw.randrange(9)}" for _ in range(long)]
        texts = [
            " ".join(
                [f"{name}{draw.randrange(99)}" for _ in range(draw.randrange(30))]
                + shared
                + [f"{name}{draw.randrange(99)}" for _ in range(draw.randrange(30))]
            )
            for name in "ab"
        ]
        assert keys(of_text(texts[0])) & keys(of_text(texts[1]))


def test_winnowing_keeps_the_least_of_each_window() -> None:
    """In the paper's example, with windows of 4, these remain."""
    hashes = (77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 74, 42, 17, 98)
    kept = fingerprints.winnowed([Fingerprint(key, n, n) for n, key in enumerate(hashes)], 4)
    assert [(item.key, item.first) for item in kept] == [
        (17, 3),
        (17, 6),
        (8, 8),
        (39, 11),
        (17, 15),
    ]


def test_what_is_left_out_is_among_all() -> None:
    """`every` returns all fingerprints that winnowing keeps, and those that it leaves out."""
    assert keys(of_code(CODE, KNOWN)) < keys(of_code(CODE, KNOWN, every=True))
    text = "one two three four five six seven eight nine ten eleven twelve"
    assert keys(of_text(text)) < keys(of_text(text, every=True))


def test_renaming_changes_no_fingerprint() -> None:
    """Comments change none either; a different use of a name does."""
    renamed = CODE.replace("queries", "q").replace("values", "out") + "# done\n"
    assert keys(of_code(renamed, KNOWN)) == keys(of_code(CODE, KNOWN))
    other = CODE.replace("softmax(queries / keys", "softmax(keys / queries").replace(
        "@ values", "@ keys"
    )
    assert keys(of_code(other, KNOWN)) != keys(of_code(CODE, KNOWN))


def test_statements_in_another_order_share_their_own() -> None:
    """If no run of tokens is shared any more, the statements still are."""
    lines = CODE.splitlines()
    turned = "\n".join([lines[0], lines[3], lines[2], lines[1], lines[4]])
    assert len(keys(of_code(turned, KNOWN)) & keys(of_code(CODE, KNOWN))) >= 4


def test_positions_are_lines() -> None:
    """Each fingerprint knows its lines."""
    (first, *_) = [item for item in of_code(CODE, KNOWN) if item.first == item.last == 4]
    assert first.key in keys(of_code(CODE, KNOWN))


def test_rows_of_numbers_are_no_fingerprint() -> None:
    """All matrices of numbers look alike."""
    assert not keys(of_code("[" + "[0, 1, 2, 3], " * 20 + "]", KNOWN))
