"""page: two submissions side by side, with shared parts marked and nothing active."""

import re

import pytest

from autograder.course.people import parsed
from autograder.staff.similar import page, pairs
from autograder.staff.similar.fingerprints import of_code, of_text
from autograder.staff.similar.pairs import Part, Work
from tests.active_content import ACTIVE

CODE = "first = 1\nsecond = torch.softmax(first @ third.T / 2, dim=-1)[:, 0].sum()\nlast = 2"


def code(source: str, place: str = "answer") -> Part:
    return Part(place, source, of_code(source), "code")


def text(source: str) -> Part:
    return Part("written", source, of_text(source), "text")


def work(
    student: str, *parts: Part, sha256: str = "", people: tuple[str, ...] = (), said: str = ""
) -> Work:
    return Work(student, "", sha256 or student, people, parts, said)


def shown(*works: Work, most: int = 30, left_out: tuple[str, ...] = ()) -> str:
    found = pairs.compare(works)
    return page.html(
        found,
        title="Toy",
        course="Toys, Spring",
        count=len(works),
        earlier=0,
        most=most,
        left_out=left_out,
    )


def test_the_shared_lines_are_marked_and_no_others() -> None:
    """They are marked in both columns, whatever their names."""
    one = shown(
        work("a", code(CODE)), work("b", code("other = 0\n" + CODE.replace("first", "x"), ""))
    )
    marked = re.findall("<mark>(.*?)</mark>", one)
    assert marked.count("second = torch.softmax(first @ third.T / 2, dim=-1)[:, 0].sum()") == 1
    assert marked.count("second = torch.softmax(x @ third.T / 2, dim=-1)[:, 0].sum()") == 1
    assert "<span>other = 0</span>" in one
    assert "Cells that students added" in one


def test_the_page_gives_no_verdict() -> None:
    """It names the questions that it cannot decide."""
    one = shown(work("a", code(CODE)), work("b", code(CODE)))
    assert "does not prove that anybody copied" in one
    assert not re.search("plagiar|cheat|guilty|suspect", one, re.IGNORECASE)


def test_what_explains_a_pair_is_above_it() -> None:
    """These are equal files, groups, and the students' own words."""
    group = ("a", "b")
    one = shown(
        work("a", code(CODE), sha256="0", people=group, said="With b, in the tutorial."),
        work("b", code(CODE), sha256="0", people=group),
    )
    for sentence in (
        "same, byte for byte",
        "work of one group",
        "With b, in the tutorial.",
        "Nothing.",
    ):
        assert sentence in one


def test_prose_is_counted_apart() -> None:
    """This needs five words in a row, in any case."""
    said = "the weights are equal since all keys are equal"
    one = shown(
        work("a", text(said)),
        work("b", text("I think THE weights are equal, since all keys are equal")),
    )
    assert re.search(r"<td>0</td><td>[1-9]\d*</td>", one)


@pytest.mark.parametrize(
    ("number", "sentence"),
    [(0, "nothing to compare."), (1, "nothing to compare it with."), (2, "No two share anything")],
)
def test_none_one_and_unlike_ones_are_said(number: int, sentence: str) -> None:
    """A page without pairs gives the reason."""
    assert sentence in shown(*(work(f"{n}", code(f"x{n} = {n}")) for n in range(number)))


def test_no_more_pairs_than_wanted() -> None:
    """The most similar ones are shown, and the page says that there are more."""
    one = shown(
        *(work(name, code(CODE)) for name in "abc"), *(work(f"{n}") for n in range(9)), most=2
    )
    assert one.count('<section class="pair"') == 2
    assert "3 pairs share something; the 2 most similar pairs" in one


def test_what_students_wrote_is_inert() -> None:
    """This covers code, text, ids, words on sources, and reasons."""
    evil = "\n".join(ACTIVE)
    source = f'{CODE}\nevil = """{evil}"""'
    said = f"{evil} {'word ' * 20}"
    one = shown(
        work(f"a{evil}", code(source, evil), text(said), said=evil),
        work(f"b{evil}", code(source, evil), text(said)),
        left_out=(evil,),
    )
    tags = set(re.findall(r"<[a-zA-Z/!?][^\s>]*", one))
    plain = set(
        re.findall(
            r"<[a-zA-Z/!?][^\s>]*",
            shown(
                work("a", code(CODE), text(said)),
                work("b", code(CODE), text(said)),
                left_out=("x",),
            ),
        )
    )
    assert tags <= plain | {"<wbr", "<span", "</span"}
    assert "javascript:" not in "".join(re.findall(r"<[^>]*>", one))
    assert "default-src 'none'" in one


def test_a_long_cell_is_cut() -> None:
    """The page says how much is left out."""
    long = "\n".join(f"name_{n} = {n}" for n in range(500))
    one = shown(work("a", code(f"{CODE}\n{long}")), work("b", code(CODE)))
    assert "353 more lines" in one
    assert "name_400" not in one


def test_of_prose_the_shared_sentence_is_marked() -> None:
    """The others are shown beside it; a long text is visibly cut."""
    said = "All keys of this sequence are equal here."
    one = shown(work("a", text(f"I think so. {said}")), work("b", text(f"{said} {'long' * 300}")))
    assert one.count(f"<mark>{said}</mark>") == 2
    assert "<span>I think so.</span>" in one
    assert "long ...</span>" in one


def test_what_is_far_from_a_shared_line_is_left_out() -> None:
    """A long prompt around an answer is not interesting."""
    prompt = "\n".join(f"# line {number} of a prompt" for number in range(30))
    one = shown(work("a", code(f"{prompt}\n{CODE}")), work("b", code(f"{prompt}\n{CODE}")))
    assert "⋯ 28 lines" in one or "⋯ 29 lines" in one
    assert "line 3 of a prompt" not in one
    assert "torch.softmax" in one


def test_names_are_there_on_request() -> None:
    found = pairs.compare([work("a", code(CODE)), work("b", code(CODE))])
    known = parsed("id,name\na,Ana Berg\n")
    asked = {"title": "Toy", "course": "Toys", "count": 2, "earlier": 0, "most": 3}
    assert "Ana Berg, a" in page.html(found, people=known, **asked)
    assert "Ana" not in page.html(found, **asked)
