"""The records of scanned pages."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from autograder.staff.defence.sheets.answer_block import Label


@dataclass(frozen=True)
class Answered:
    """The crossed box of one question.

    Args:
        letter: One of `answer_block.CHOICES`; "" if a person has to look.
        why: Why a person has to look.
    """

    question: int
    letter: str
    why: str = ""


@dataclass(frozen=True)
class PageSeen:
    """The contents of one scanned page.

    Args:
        place: The file and page, for people.
        label: The contents of its code; None if unreadable.
        why: Why it is unusable as it is, or "".
        pictures: Question -> its strip as PNG, if a person has to look.
        whole: The page as JPEG, if it is unusable as it is.
    """

    place: str
    label: Label | None = None
    why: str = ""
    answers: tuple[Answered, ...] = ()
    pictures: Mapping[int, str] = field(default_factory=dict, repr=False)
    whole: str = field(default="", repr=False)
