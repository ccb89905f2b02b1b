"""suggestions: they change no mark, are refused if false, and stay hidden until good."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import sqlalchemy

from autograder.records.errors import UserError
from autograder.staff.marking_page.marks import suggestions
from autograder.staff.marking_page.marks.connection import connect
from autograder.staff.marking_page.marks.double_marking import Second, agreement
from autograder.staff.marking_page.marks.question import Question
from tests.marking import HOMEWORK, QUESTION, fill, make_gradebook, score

ORDERS = (Path(__file__).with_name("injected_orders.txt")).read_text(encoding="utf-8").splitlines()
CLASS = 240
SAYS, WHY = "It is above zero.", "Since nothing is below."


def text(number: int) -> str:
    """Return an answer that says so, says why as well, or does neither."""
    kind = (number // 2) % 3
    return f"Answer {number}. " + ("Nothing.", SAYS, f"{SAYS} {WHY}")[kind]


class Class:
    """A gradebook whose answers are texts, all marked by ana."""

    def __init__(self, path: Path, texts: list[str]) -> None:
        self.url = make_gradebook(path, len(texts))
        self.marks = Question(connect(self.url), HOMEWORK, QUESTION, 2)
        self.marks.begin([(1.0, "Says so."), (1.0, "Says why.")])
        self.says, self.why = (one.id for one in self.marks.items())
        self.ids = {one.student: one.id for one in self.marks.all()}
        self.texts = {self.ids[f"s{n:04}"]: one for n, one in enumerate(texts)}
        self.asked = {QUESTION: suggestions.Asked(self.marks, self.ids, self.texts.__getitem__)}

    def mark(
        self, marker: str, marks: Question, wrong: Callable[[int], bool] = lambda n: False
    ) -> None:
        for number, one in enumerate(marks.all()):
            written = self.texts[one.id]
            true = [
                item for item, words in ((self.says, SAYS), (self.why, WHY)) if words in written
            ]
            if wrong(number):
                true = [item for item in (self.says, self.why) if item not in true]
            for version, item in enumerate(true):
                marks.set_item(one.id, item, on=True, marker=marker, version=version)
            if not true:
                marks.give_nothing(one.id, marker=marker, version=0)

    def file(self, path: Path, wrong: Callable[[int], bool] = lambda n: False) -> Path:
        entries = []
        for number, (student, id) in enumerate(sorted(self.ids.items())):
            items = [
                {"item": place, "quote": words}
                for place, words in ((1, SAYS), (2, WHY))
                if words in self.texts[id]
            ]
            entries.append(
                {
                    "id": student,
                    "question": QUESTION,
                    "items": items[:-1] if wrong(number) else items,
                }
            )
        path.write_text(json.dumps(entries))
        return path

    def store(self, path: Path, marker: str = "rules", seed: int | None = None) -> None:
        found = suggestions.checked(suggestions.read(path), self.asked, str)
        suggestions.store(self.asked, found, marker, seed)

    def standing(self, marker: str = "rules") -> suggestions.Standing:
        return next(one for one in suggestions.standings(self.marks) if one.marker == marker)

    def counted(self) -> Mapping[str, object]:
        """Return the marks that count in the gradebook."""
        engine = sqlalchemy.create_engine(self.url)
        names = (
            "grade",
            "comment",
            "autograder_hand_mark",
            "autograder_second_mark",
            "autograder_item",
        )
        with engine.connect() as connection:
            return {
                name: connection.execute(sqlalchemy.text(f"select * from {name} order by 1")).all()
                for name in names
            }


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Class:
    """Return a class marked by ana, a tenth also by ben, with small differences."""
    made = Class(tmp_path_factory.mktemp("marks") / "gradebook.db", [text(n) for n in range(CLASS)])
    made.mark("ana", made.marks)
    made.mark("ben", Second(connect(made.url), HOMEWORK, QUESTION, 2, "ben"), lambda n: n == 0)
    return made


def test_suggestions_change_no_mark_and_stay_hidden_until_they_are_as_good_as_people(
    marked: Class, tmp_path: Path
) -> None:
    """A good rule's may be shown, for answers that were not drawn; a bad one's may not."""
    before = marked.counted()
    people = agreement(marked.marks)
    assert people.answers >= suggestions.FEWEST
    marked.store(marked.file(tmp_path / "good.json"), "good", seed=3)
    marked.store(marked.file(tmp_path / "bad.json", lambda n: n % 2 == 0), "bad")
    assert marked.counted() == before
    good, bad = marked.standing("good"), marked.standing("bad")
    assert (good.same, good.kappa, good.severity) == (good.answers, 1, 0)
    assert set(good.items.values()) == {1.0}
    assert good.answers >= suggestions.FEWEST
    assert good.people == bad.people == people.kappa
    assert good.shown
    assert not bad.shown
    assert bad.severity < 0
    assert bad.items["Says so."] < 1
    seen = list(suggestions.shown(marked.marks))
    assert {who for who, _ in seen} == {"good"}
    # ana has marked all that are drawn, and those that are drawn for `bad` are left out as well
    assert 0 < len(seen) < good.suggested - good.answers
    assert not list(suggestions.shown(Second(marked.marks.engine, HOMEWORK, QUESTION, 2, "eve")))
    assert {quote for _, one in seen for quote in one.quotes.values()} <= {SAYS, WHY}


def test_the_seed_stays_and_draws_the_answers(marked: Class, tmp_path: Path) -> None:
    """Nobody can redraw until the sample is lucky; a new file replaces the old."""
    path = marked.file(tmp_path / "rules.json")

    def seen(name: str) -> set[str]:
        return {one.answer for who, one in suggestions.shown(marked.marks) if who == name}

    marked.store(path, "first", seed=1)
    alone = seen("first")
    marked.store(path, "second", seed=2)
    # Each has a sample of its own, and nobody's suggestion is shown for an answer of either.
    assert seen("first") == seen("second") < alone
    with pytest.raises(UserError, match="drawn with the seed 1, which cannot change"):
        marked.store(path, "first", seed=2)
    marked.store(path, "first")
    marked.store(path, "first", seed=1)
    few = tmp_path / "few.csv"
    few.write_text(f"id,question,item,quote\ns0002,{QUESTION},1,{SAYS}\ns0000,{QUESTION},,\n")
    marked.store(few, "first")
    assert marked.standing("first").suggested == 2


def test_too_few_answers_show_nothing(tmp_path: Path) -> None:
    """Nothing is shown before people have marked, nor in a class whose tenth is three answers."""
    small = Class(tmp_path / "gradebook.db", [text(n) for n in range(30)])
    path = small.file(tmp_path / "rules.json")
    small.store(path)
    assert (small.standing().answers, small.standing().kappa) == (0, None)
    small.mark("ana", small.marks)
    assert small.standing().kappa == 1
    assert not small.standing().shown
    assert not list(suggestions.shown(small.marks))


def test_a_suggestion_for_another_text_counts_no_more(tmp_path: Path) -> None:
    """The answer has been submitted again since."""
    small = Class(tmp_path / "gradebook.db", [text(n) for n in range(6)])
    fill(small.url, dict.fromkeys(small.texts, "a"))
    small.store(small.file(tmp_path / "rules.json"))
    assert small.standing().suggested == 6
    fill(small.url, {small.ids["s0001"]: "b"})
    assert small.standing().suggested == 5


@pytest.mark.parametrize("name", ["ana", "Ben", "ANA"])
def test_a_person_is_no_suggester_and_a_suggester_no_person(
    marked: Class, tmp_path: Path, name: str
) -> None:
    """This holds whatever the capitals."""
    path = marked.file(tmp_path / "rules.json")
    with pytest.raises(UserError, match="a person has this name"):
        marked.store(path, name)
    marked.store(path, "model")
    with pytest.raises(UserError, match="belongs to a source of suggestions"):
        suggestions.refuse_person(marked.marks.engine, "Model")
    suggestions.refuse_person(marked.marks.engine, name)


HEAD = "id,question,item,quote\n"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (f"s0002,{QUESTION},3,{SAYS}\n", "line 2: argue has no item 3; its items are 1 to 2"),
        (f"s0002,{QUESTION},0,{SAYS}\n", "has no item 0"),
        (f"s0002,{QUESTION},-1,{SAYS}\n", "'-1' is not an item's number"),
        (f"s0002,{QUESTION},all,{SAYS}\n", "'all' is not an item's number"),
        (f"s0002,{QUESTION},\u0661,{SAYS}\n", "is not an item's number"),
        (f"s0002,{QUESTION},1,It is above Zero.\n", "is not in the answer of s0002"),
        (f"s0002,{QUESTION},1,\n", "is not in the answer of s0002"),
        (f"s0002,{QUESTION},1,  \n", "is not in the answer of s0002"),
        (f"s0002,{QUESTION},2,{WHY}\n", "is not in the answer of s0002"),
        (f"s0002,{QUESTION},,{SAYS}\n", "has a quote but no item"),
        (f"s9999,{QUESTION},1,{SAYS}\n", "line 2: 's9999' has no answer to argue here"),
        (f",{QUESTION},1,{SAYS}\n", "'' has no answer to argue here"),
        (f"s0002,other,1,{SAYS}\n", "'other' is not a question marked by hand (there are argue)"),
        (
            f"s0002,{QUESTION},1,{SAYS}\ns0002,{QUESTION},,\n",
            "one of its lines says that none applies",
        ),
        (f"s0002,{QUESTION},,\n\ns0002,{QUESTION},1,{SAYS}\n", "line 4: s0002 has items"),
    ],
)
def test_what_is_not_true_is_refused_in_one_line_and_nothing_is_kept(
    marked: Class, tmp_path: Path, lines: str, said: str
) -> None:
    """This includes earlier lines of the file."""
    path = tmp_path / "rules.csv"
    path.write_text(f"{HEAD}{lines}", encoding="utf-8")
    with pytest.raises(UserError) as error:
        marked.store(path, "refused")
    assert said in str(error.value)
    assert "\n" not in str(error.value)
    assert "refused" not in {one.marker for one in suggestions.standings(marked.marks)}


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", "id,question,item\n", "its first line has no column quote"),
        ("a.csv", "", "its first line has no column id"),
        ("a.csv", "\xff\n", "cannot be read as CSV"),
        ("a.json", "{", "it is not a list of"),
        ("a.json", "{}", "it is not a list of"),
        ("a.json", '[{"id": "s0002", "question": "argue", "points": 2}]', "it is not a list of"),
        (
            "a.json",
            '[{"id": "s", "question": "q", "items": [{"item": "1", "quote": "x"}]}]',
            "it is not a list of",
        ),
    ],
)
def test_a_file_in_another_form_is_one_line(
    tmp_path: Path, name: str, content: str, said: str
) -> None:
    """It shows the expected form."""
    (tmp_path / name).write_bytes(content.encode("latin-1"))
    with pytest.raises(UserError, match=said):
        suggestions.read(tmp_path / name)


def test_no_order_in_an_answer_changes_anything(tmp_path: Path) -> None:
    """Fifty of them are tried, in the text of an answer, as a quote, an item and a name."""
    assert len(ORDERS) == 50
    plain = Class(tmp_path / "plain.db", [text(n) for n in range(len(ORDERS))])
    injected = Class(
        tmp_path / "injected.db", [f"{text(n)} {order}" for n, order in enumerate(ORDERS)]
    )
    for one in (plain, injected):
        one.mark("ana", one.marks)
        one.store(one.file(tmp_path / "rules.json"))
    assert injected.standing() == plain.standing()
    before = injected.counted()
    quoting = [
        {"id": f"s{n:04}", "question": QUESTION, "items": [{"item": 1, "quote": order}]}
        for n, order in enumerate(ORDERS)
    ]
    (tmp_path / "quoting.json").write_text(json.dumps(quoting))
    injected.store(tmp_path / "quoting.json", "quoting")  # it stands there: one item, and no mark
    assert injected.counted() == before
    assert not injected.standing("quoting").shown
    for order in ORDERS:
        line = suggestions.Line("here", "s0001", QUESTION, 1, order)
        with pytest.raises(UserError, match="is not in the answer"):
            suggestions.checked([line], plain.asked, str)
        for other in (
            suggestions.Line("here", order, QUESTION, 1, SAYS),
            suggestions.Line("here", "s0001", order, 1, SAYS),
        ):
            with pytest.raises(UserError) as error:
                suggestions.checked([other], plain.asked, str)
            assert "\n" not in str(error.value)
    assert score(injected.url, injected.ids["s0000"]) == (0, False, None)
