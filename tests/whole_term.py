"""A fabricated term: 60 people, their submissions with times, and their totals.

What the kit should end with is computed here from the course's rules alone, with nothing of the kit's.
"""

import math
import random
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from fractions import Fraction

PEOPLE = 60
TERM = ("toy1", "toy2", "toy3")
"""The homeworks by due date. The first has no answer that a person marks."""
ZONE = "Europe/Vienna"
GRACE = timedelta(minutes=15)
A_DAY = timedelta(days=1)
SLIP_DAYS, SLIP_DAYS_AT_MOST, SHARE_A_DAY = 3, 2, Fraction(1, 10)
DUE = {
    "toy1": datetime(2026, 10, 23, 23, 59),  # clocks are put back in the second night after it
    "toy2": datetime(2026, 11, 13, 12, 0),
    "toy3": datetime(2026, 12, 4, 12, 0),
}
"""On the course's clock, as all times here."""
CHANGED = DUE | {"toy1": DUE["toy1"] + A_DAY}
"""The dates after toy1 was graded, since its due date was announced wrongly."""
TAKEN = {name: due + 5 * A_DAY for name, due in DUE.items()}
"""The last dates for late submissions."""
WEIGHTS = {"toy1": 1, "toy2": 2, "toy3": 2}
POSSIBLE = {"toy1": 5, "toy2": 7, "toy3": 7}

MACHINE = {
    "right": 5,
    "with loops": 5,
    "counts zeros": 3,
    "divides by all": 2,
    "nothing right": 0,
    "as given": 0,
}
"""An answer's points from the machine, of 2 and 3."""
UNREADABLE = "unreadable"
BY_HAND = {
    "": (0.0, ""),
    "It is a sum over nothing, divided by 0: undefined. With 0 a later sum stays.": (2.0, ""),
    "0 / 0 is undefined, and someone chose 0.": (1.5, "Give a reason for 0, too."),
    "0 / 0 is undefined.": (1.25, '=HYPERLINK("http://example.org") <script>alert(1)</script>'),
    "Otherwise the mean would be wrong.": (0.0, "This repeats the question."),
}
"""A written answer -> what the person who marks it gives, and the comment."""
TEXTS = tuple(BY_HAND)


@dataclass(frozen=True)
class Attempt:
    """A file that was submitted: its code and text, by the names above, when, and what it is called."""

    code: str
    text: str
    at: datetime
    file: str = ""

    @property
    def by_machine(self) -> int:
        return MACHINE.get(self.code, 0)

    @property
    def by_hand(self) -> float:
        return BY_HAND[self.text][0]


@dataclass(frozen=True, eq=False)
class Person:
    """A person of the roster, and all that was submitted for each homework, the oldest first."""

    number: int
    id: str
    name: str
    attempts: Mapping[str, Sequence[Attempt]] = field(default_factory=dict)
    extension: datetime | None = None
    """For toy2."""
    excused: bool = False
    """From toy3."""

    @property
    def shown(self) -> str:
        """The id as tables and messages have it: accents in one form."""
        return unicodedata.normalize("NFC", self.id)

    @property
    def email(self) -> str:
        return f"s{self.number:03}@example.org"

    def counts(self, homework: str) -> Attempt | None:
        """Return the attempt that counts in the end: the last one."""
        return self.attempts[homework][-1] if self.attempts.get(homework) else None


HOSTILE_NAMES = (
    ". Sukarno",
    '=HYPERLINK("http://example.org","Ada")',
    "../../gradebook",
    "<img src=x onerror=alert(1)>",
    "Robert'); DROP TABLE grade;--",
    "Zo\u00eb O'Neil-\u00c5ngstr\u00f6m",
    "-rf LATE 1003 9001",
    "[bold]Ben[/bold] {{ 7 * 7 }}",
    "@SUM(1+1)",
)
HOSTILE_FILES = (
    "=1+1.ipynb",
    "$(reboot); true.ipynb",
    "1003_9001_toy1.ipynb",
    "x_9_assignsubmission_file_y.ipynb",
    "\u00fcn\u00ef [bold] \U0001f642.ipynb",
    f"{'a' * 150}.ipynb",
    "-rf (1).ipynb",
)
# After the first due date, 47 hours and 50 minutes on the clock are an hour more, and 2 days anyway.
LATE = (
    timedelta(minutes=10),
    timedelta(hours=5),
    timedelta(hours=30),
    timedelta(hours=47, minutes=50),
    timedelta(hours=75),
)


FORMS = (
    "s{:03}",
    "anna{:03}@uni.example",
    "jose\u0301{:03}",  # two characters, as a Mac writes it
    "DOM\\bert{:03}",
    "o'brien{:03}",
    "anna maria {:03}",
    "_x{:03}",
)
"""Forms of ids, each with the person's number."""


def people() -> list[Person]:
    """Return the class: the first ones each have something special, the others are drawn."""
    rng = random.Random(2026)
    drawn = [_drawn(number, rng) for number in range(1, PEOPLE + 1)]
    special = [_special(person) for person in drawn[: len(_SPECIAL)]]
    return [*special, *drawn[len(_SPECIAL) :]]


def _drawn(number: int, rng: random.Random) -> Person:
    attempts: dict[str, list[Attempt]] = {}
    for name in TERM:
        early, late = -timedelta(hours=rng.randint(1, 90)), rng.choice(LATE)
        code, text = rng.choice(tuple(MACHINE)), rng.choice(TEXTS)
        file = rng.choice(HOSTILE_FILES) if number % 4 == 0 else ""
        at = DUE[name] + (late if rng.random() < 0.3 else early)
        if rng.random() < 0.95:
            attempts[name] = [_attempt(name, code, text, at, file)]
    hostile = dict(zip(range(6, PEOPLE, 6), HOSTILE_NAMES, strict=True))
    id = FORMS[number % len(FORMS)].format(number)
    return Person(number, id, hostile.get(number, f"Person {number:03}"), attempts)


def _attempt(name: str, code: str, text: str, at: datetime, file: str = "") -> Attempt:
    return Attempt(code, "" if name == "toy1" or code == UNREADABLE else text, at, file)


# Of each special person: homework -> code, text and hours after it was due, for each attempt.
_On = tuple[str, int, float]
_SPECIAL: tuple[dict[str, tuple[_On, ...]], ...] = (
    {},  # never submits
    {  # a file that nobody can read
        "toy1": (("right", 1, -5),),
        "toy2": ((UNREADABLE, 0, -5),),
        "toy3": (("right", 2, -5),),
    },
    {  # the newer file counts, not the better one
        "toy1": (("right", 1, -40), ("counts zeros", 1, -2)),
        "toy2": (("right", 1, -2),),
        "toy3": (("divides by all", 3, -2), ("right", 1, 20)),
    },
    {  # slip days: 2, then 1, then none is left
        "toy1": (("right", 1, 71),),
        "toy2": (("right", 1, 40),),
        "toy3": (("right", 1, 26),),
    },
    {  # late ones were no longer taken: everything is lost, no slip day is used
        "toy1": (("right", 1, 150),),
        "toy2": (("right", 1, 130),),
        "toy3": (("right", 1, 40),),
    },
    {  # has an extension in toy2, of two days
        "toy1": (("right", 1, 60),),
        "toy2": (("right", 1, 47),),
        "toy3": (("right", 1, 50),),
    },
    {  # has the same extension, and is late anyway
        "toy1": (("right", 1, 71),),
        "toy2": (("right", 1, 75),),
        "toy3": (("right", 1, -1),),
    },
    {  # is excused from toy3
        "toy1": (("right", 1, 20),),
        "toy2": (("counts zeros", 2, 20),),
        "toy3": (("as given", 0, 20),),
    },
    # Submitted again after a person had marked it: another text, the same text, and none any more.
    {
        "toy1": (("right", 1, -1),),
        "toy2": (("counts zeros", 3, -3), ("right", 1, 70)),
        "toy3": (("right", 1, 50),),
    },
    {
        "toy1": (("right", 1, -1),),
        "toy2": (("divides by all", 2, -3), ("with loops", 2, 30)),
        "toy3": (("counts zeros", 1, 30),),
    },
    {
        "toy1": (("divides by all", 1, -1),),
        "toy2": (("right", 1, -30), ("right", 0, -3)),
        "toy3": (("right", 3, -1),),
    },
)
_EXTENDED, _EXCUSED = (6, 7), 8


def _special(person: Person) -> Person:
    attempts = {
        name: [
            _attempt(name, code, TEXTS[text], DUE[name] + timedelta(hours=hours))
            for code, text, hours in several
        ]
        for name, several in _SPECIAL[person.number - 1].items()
    }
    extension = DUE["toy2"] + 2 * A_DAY if person.number in _EXTENDED else None
    excused = person.number == _EXCUSED
    return Person(person.number, person.id, person.name, attempts, extension, excused)


@dataclass(frozen=True)
class Reckoned:
    """What the rules give a person: points by homework, None for an unreadable file, and days.

    Args:
        scores: By homework.
        lost: Homeworks that came too late to earn anything.
        late_days: By homework.
        slip_days_left: Of the term.
    """

    scores: Mapping[str, float | None]
    lost: Collection[str]
    late_days: Mapping[str, int]
    slip_days_left: int


def reckoned(person: Person, due: Mapping[str, datetime]) -> Reckoned:
    """Return what the rules give a person in each homework that was submitted."""
    left = SLIP_DAYS
    scores: dict[str, float | None] = {}
    late: dict[str, int] = {}
    nothing = set()
    for name in TERM:
        one = person.counts(name)
        if one is None or one.code == UNREADABLE:
            scores |= {name: None} if one else {}
            continue
        until, taken = due[name], TAKEN[name]
        if person.extension and name == "toy2":
            until, taken = max(until, person.extension), max(taken, person.extension)
        days = max(0, math.ceil((one.at - until - GRACE) / A_DAY))
        if one.at > taken:
            late[name], lost = 0, Fraction(1)
            nothing.add(name)
        else:
            used = min(days, left, SLIP_DAYS_AT_MOST)
            left -= used
            late[name], lost = days, min(Fraction(1), SHARE_A_DAY * (days - used))
        earned = one.by_machine + (0 if name in nothing else Fraction(one.by_hand))
        scores[name] = float(earned - _half_up(lost * earned))
    return Reckoned(scores, nothing, late, left)


def _half_up(points: Fraction) -> Fraction:
    """Return points with two digits."""
    return Fraction(math.floor(100 * points + Fraction(1, 2)), 100)


def total(person: Person, due: Mapping[str, datetime]) -> float:
    """Return a person's total in percent; the one homework without which it is highest is dropped."""
    mine = reckoned(person, due).scores
    counted = [name for name in TERM if not (person.excused and name == "toy3")]
    best = 0.0
    for dropped in counted:
        kept = [name for name in counted if name != dropped]
        share = sum(WEIGHTS[name] * (mine.get(name) or 0) / POSSIBLE[name] for name in kept)
        best = max(best, 100 * share / sum(WEIGHTS[name] for name in kept))
    return best
