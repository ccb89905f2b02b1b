"""Each person's submission in Gradescope's "Download Submissions", found by its metadata.

Names and addresses stay here: an address only selects an id, and names are not used.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import yaml

from autograder.course import timestamps
from autograder.course.people import People
from autograder.records.codec import one_line, safe
from autograder.records.errors import UserError
from autograder.records.facts import Receipt
from autograder.submission.archives import File, Upload, by_folder, read_bytes, tops
from autograder.submission.platform import Given, Platform, Shares

METADATA = "submission_metadata.yml"
MAX_BYTES = 200_000_000  # it also contains the results of every upload
MAX_PEOPLE = 100  # the most people who submit together
MAX_DEPTH = 200  # the parser's time grows with its square
_ASKED = 4  # submission, :submitters, person, :sid; nothing we need is deeper
_NOTHING = {"", "~", "null", "Null", "NULL"}
_AGAIN = "download the export again"
# This loader makes only text. Only its events are used: deep nesting would crash a composer.
LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


@dataclass(frozen=True)
class _Person:
    sid: str
    email: str

    @property
    def known(self) -> str:
        """Return the key that identifies a person, or ""."""
        return self.email or self.sid


@dataclass(frozen=True)
class _Submission:
    key: str  # also the folder's name
    people: tuple[_Person, ...]
    created: datetime | None


def listed(given: Given) -> Shares | None:
    """Return each person's submission, and one complaint for each unusable entry.

    The metadata must be in the given folder or its only subfolder; otherwise return None.
    """
    found = given.found if given.is_export else {}
    places = ((w, file) for w in tops(found) for file in found.get(w, ()) if file.name == METADATA)
    where, metadata = next(places, ((), None))
    if metadata is None:
        return None
    name = one_line(given.top.path)
    try:
        submissions = _read(metadata)
    except (UserError, OSError) as error:
        return [], [f"{name}/{METADATA}: {one_line(error)}"]
    folders = by_folder(found, where)
    submissions, doubts = _without_doubts(submissions, name, given.roster)
    ids, complaints = _ids(submissions, name, given.roster)
    complaints = [*doubts, *complaints]
    for one in submissions:
        if one.key not in folders:
            complaints.append(
                f"{name}: {METADATA} lists {one_line(one.key)}, but there is no such "
                f"folder; {_AGAIN}"
            )
    keys = {one.key for one in submissions}
    for key, items in folders.items():
        if items and key not in keys:
            complaints.append(
                f"{name}/{one_line(key)}: {METADATA} does not show who submitted it; {_AGAIN}"
            )
    uploads: dict[str, list[str]] = {}
    for one in sorted(submissions, key=_age, reverse=True):
        for student in _students(one, ids):
            uploads.setdefault(student, []).append(one.key)
    receipts = {one.key: _receipt(one, ids) for one in submissions}
    counted = [
        Upload(
            student,
            f"{name}/{one_line(newest)}",
            folders[newest],
            _left_out(older),
            receipts[newest],
        )
        for student, (newest, *older) in uploads.items()
        if newest in folders
    ]
    return counted, complaints


def _without_doubts(
    submissions: Iterable[_Submission], name: str, roster: People
) -> tuple[list[_Submission], list[str]]:
    """Return submissions without people whose :sid and address contradict each other."""
    kept, complaints = [], []
    for one in submissions:
        people = tuple(_Person("", "") if _is_doubtful(p, roster) else p for p in one.people)
        if people != one.people:
            complaints.append(
                f"{name}/{one_line(one.key)}: its :sid and its address belong to different people "
                "in roster.csv; correct the :sid on Gradescope, or roster.csv"
            )
        kept.append(replace(one, people=people))
    return kept, complaints


def _is_doubtful(person: _Person, roster: People) -> bool:
    one, other = roster.find(person.sid), roster.find(person.email)
    return one is not None and other is not None and one != other


def _ids(
    submissions: Iterable[_Submission], name: str, roster: People
) -> tuple[dict[str, str], list[str]]:
    people: dict[str, _Person] = {}
    where: dict[str, list[str]] = {}
    for one in submissions:
        for person in one.people:
            if person.known:
                where.setdefault(person.known, []).append(one.key)
                if person.sid or person.known not in people:
                    people[person.known] = person
    complaints: list[str] = []
    refused: set[str] = set()
    while True:
        chosen = {p.known: _id(p, roster, refused) for p in people.values()}
        claims = Counter(student.casefold() for student in chosen.values() if student)
        shared = {student for student, count in claims.items() if count > 1}
        if not shared:
            return chosen, complaints
        refused |= shared
        for student in sorted(shared):
            keys = {
                k for known, s in chosen.items() if s.casefold() == student for k in where[known]
            }
            complaints.append(
                f"{name}: two people share an id in "
                f"{', '.join(map(one_line, sorted(keys)))}; give each a :sid of their "
                "own on Gradescope"
            )


def _id(person: _Person, roster: People, refused: set[str]) -> str:
    """Return the first usable id: one in roster.csv, or else Gradescope's."""
    known = filter(None, map(roster.find, (person.sid, person.email)))
    ids = [*(one.id for one in known), *([person.sid] if safe(person.sid) == person.sid else [])]
    return next((id for id in ids if id.casefold() not in refused), "")


def _students(one: _Submission, ids: Mapping[str, str]) -> Iterator[str]:
    """Yield the people of a submission; a person without an id is identified by the submission."""
    nameless = 0
    for person in one.people or (_Person("", ""),):
        if student := ids.get(person.known, ""):
            yield student
        else:
            nameless += 1
            yield safe(one.key) if nameless == 1 else f"{safe(one.key)}-{nameless}"


def _receipt(one: _Submission, ids: Mapping[str, str]) -> Receipt | None:
    if one.created is None:
        return None
    sids = (p.sid for p in one.people if safe(p.sid) == p.sid)
    known = (*sids, *(ids.get(p.known, "") for p in one.people))
    return Receipt(one.created, people=tuple(dict.fromkeys(filter(None, known))))


def _left_out(older: list[str]) -> str:
    return f"older than the one that counts: {', '.join(map(one_line, older))}" if older else ""


def _age(one: _Submission) -> tuple[datetime, int]:
    number = re.search(r"\d{1,18}$", one.key)
    return one.created or datetime.min.replace(tzinfo=UTC), int(number[0]) if number else 0


def _read(metadata: File) -> list[_Submission]:
    data = read_bytes(
        metadata, limit=MAX_BYTES, advice=f"this is not a list of submissions; {_AGAIN}"
    )
    try:
        return list(_submissions(data))
    except (yaml.YAMLError, UnicodeError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f" in line {mark.line + 1}" if mark else ""
        raise UserError(f"it is not YAML{place}; {_AGAIN}") from error


def _submissions(data: bytes) -> Iterator[_Submission]:
    events = yaml.parse(data, Loader=LOADER)
    anchors: dict[str, Any] = {}
    for event in events:
        if isinstance(event, yaml.MappingStartEvent):
            break
        if not isinstance(event, yaml.StreamStartEvent | yaml.DocumentStartEvent):
            raise UserError(f"it lists no submissions; {_AGAIN}")
    seen = set()
    for event in events:
        if isinstance(event, yaml.MappingEndEvent):
            return
        key = _value(event, events, anchors, 1)
        entry = _value(next(events), events, anchors, 1)
        if not isinstance(key, str) or not isinstance(entry, dict) or key in seen:
            raise UserError(
                f"{one_line(key)[:80]} is not a submission in Gradescope's form; {_AGAIN}"
            )
        seen.add(key)
        people = entry.get(":submitters")
        people = people if isinstance(people, list) else []
        if len(people) > MAX_PEOPLE:
            raise UserError(f"{one_line(key)[:80]} has more than {MAX_PEOPLE} submitters; {_AGAIN}")
        yield _Submission(
            key,
            tuple(_Person(_text(p, ":sid"), _text(p, ":email").casefold()) for p in people),
            _moment(_text(entry, ":created_at")),
        )


def _value(event: Any, events: Iterator[Any], anchors: dict[str, Any], depth: int) -> Any:
    """Return the value that an event begins, as text, lists and dicts; None if nested too deeply.

    An alias is the very object that it names, so any number of them takes no extra memory.
    """
    if isinstance(event, yaml.AliasEvent):
        return anchors.get(event.anchor)
    anchor, asked = event.anchor, depth < _ASKED
    value: Any = None
    if isinstance(event, yaml.ScalarEvent):
        nothing = depth <= _ASKED and event.implicit[0] and event.value in _NOTHING
        value = "" if nothing else event.value
    elif depth >= _ASKED + MAX_DEPTH:
        raise UserError(f"it is nested more than {MAX_DEPTH} deep; {_AGAIN}")
    elif isinstance(event, yaml.SequenceStartEvent):
        items: list[Any] = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            item = _value(event, events, anchors, depth + 1)
            if asked and len(items) <= MAX_PEOPLE:
                items.append(item)
        value = items if asked else None
    else:
        entries: dict[str, Any] = {}
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            key = _value(event, events, anchors, depth + 1)
            item = _value(next(events), events, anchors, depth + 1)
            if asked and isinstance(key, str):
                entries[key] = item
        value = entries if asked else None
    if anchor:
        anchors[anchor] = value
    return value


def _text(entry: Any, key: str) -> str:
    value = entry.get(key) if isinstance(entry, dict) else None
    return value.strip() if isinstance(value, str) else ""


def _moment(text: str) -> datetime | None:
    try:  # 2026-03-04 05:06:07.123456789 Z, as Ruby writes it
        return timestamps.moment(text, zone="UTC")
    except ValueError:
        return None


PLATFORM = Platform(called=re.compile("assignment_[0-9]+_export"), listed=listed)
