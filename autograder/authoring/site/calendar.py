"""The due dates as a calendar for other programs."""

from collections.abc import Sequence
from datetime import UTC

from autograder.course.course import Course
from autograder.records.homework import Homework

NAME = "calendar.ics"


def dates(settings: Course, homeworks: Sequence[Homework]) -> bytes:
    """Return the dates as a calendar that programs subscribe to; b"" if there are none."""
    import icalendar  # part of the extra `pdf`, which other verbs do not need

    found = icalendar.Calendar()
    found.add("prodid", f"-//{settings.title}//autograder//EN")
    found.add("version", "2.0")
    for one in homeworks:
        if (known := settings.homework.get(one.name)) is None:
            continue
        for words, at in (
            ("due", known.due),
            ("closes", known.late_due),
            ("requests close", known.requests_until),
        ):
            if at is not None:
                event = icalendar.Event()
                moment = settings.moment(at).astimezone(UTC)
                name = f"{one.name}-{words.replace(' ', '-')}"
                event.add("uid", f"{name}@{settings.title}, {settings.term}")
                event.add("summary", f"{one.title} {words}")
                for when in ("dtstamp", "dtstart", "dtend"):
                    event.add(when, moment)
                found.add_component(event)
    return found.to_ical() if found.subcomponents else b""
