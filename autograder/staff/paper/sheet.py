"""The printed form of one student's written answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Part:
    """A cell that belongs to an answer.

    Args:
        label: The text above it, if any.
        markdown: Whether it is Markdown; otherwise it is shown as plain text.
        attachments: Name -> image in base64.

    """

    text: str
    label: str = ""
    markdown: bool = True
    attachments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class PrintedAnswer:
    """A question and its answer.

    Args:
        worth: Its points, in words.
        most: Its points as a number, for the marker's box.
        notices: Sentences for the reader, above the answer.
        parts: Its cells; none if nothing was written.

    """

    question: str
    worth: str
    most: str
    notices: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True)
class PrintedSheet:
    """All printed parts of a notebook; without a student it is a blank template."""

    title: str
    student: str
    answers: tuple[PrintedAnswer, ...]
