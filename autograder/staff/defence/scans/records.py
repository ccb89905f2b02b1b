"""What is read of scans, and passed around."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from autograder.staff.defence.sheets.answer_block import Label


@dataclass(frozen=True)
class Answered:
    """What is crossed for one question.

    Args:
        letter: Of `answer_block.CHOICES`; "" where a person has to look.
        why: Why a person has to look.
    """

    question: int
    letter: str
    why: str = ""


@dataclass(frozen=True)
class PageSeen:
    """What one page of a scan shows.

    Args:
        place: Which page of which file, for people.
        label: What its code says; None where it cannot be read.
        why: Why it cannot be taken as it is; "" where it can.
        pictures: Question -> its strip as PNG, where a person has to look.
        whole: The page as JPEG, where it cannot be taken as it is.
    """

    place: str
    label: Label | None = None
    why: str = ""
    answers: tuple[Answered, ...] = ()
    pictures: Mapping[int, str] = field(default_factory=dict, repr=False)
    whole: str = field(default="", repr=False)
