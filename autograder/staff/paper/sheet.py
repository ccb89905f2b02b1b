"""Define the written answers of one student as they are printed."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Part:
    """A cell that belongs to an answer.

    Args:
        label: What to say above it, if anything.
        markdown: Whether it is Markdown; otherwise it is shown as it is.
        attachments: Name -> image in base64.
    """

    text: str
    label: str = ""
    markdown: bool = True
    attachments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class PrintedAnswer:
    """A question, and what is in its place.

    Args:
        worth: Its points, in words.
        most: The same as a number, for the box that a marker fills in.
        notices: Sentences for the reader, above the answer.
        parts: Its cells; none where nothing was written.
    """

    question: str
    worth: str
    most: str
    notices: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True)
class PrintedSheet:
    """All that is printed of a notebook; without a student it is a blank template."""

    title: str
    student: str
    answers: tuple[PrintedAnswer, ...]
