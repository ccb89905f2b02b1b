"""Students' requests and the decisions: `explain --requests`, --grant and --refuse."""

import contextlib
import functools
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from autograder.cli import report
from autograder.cli.shared import CourseOption, GradebookOption, complain, say
from autograder.course import course
from autograder.course.people import roster
from autograder.grading import regrade
from autograder.marking.mark import counted
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.sandbox import mistake_bank
from autograder.staff import regrade_requests
from autograder.store import files, results

verbs = typer.Typer()
Grant = Annotated[
    list[int] | None, typer.Option(metavar="N", help="Record that this request was granted.")
]
Refuse = Annotated[
    list[int] | None, typer.Option(metavar="N", help="Record that this request was refused.")
]
By = Annotated[str, typer.Option(metavar="NAME", help="The name of the person who decided.")]
Why = Annotated[str, typer.Option(metavar="TEXT", help="The reason for the decision.")]


@verbs.command(name="requests", hidden=True)
def requests_command(
    folder: Annotated[
        Path, typer.Argument(metavar="D", help="The folder that `grade --out D` wrote.")
    ],
    path: Annotated[
        Path | None,
        typer.Argument(metavar="[CSV]", help="Requests, with the columns id, question and reason."),
    ] = None,
    grant: Grant = None,
    refuse: Refuse = None,
    by: By = "",
    why: Why = "",
    hand_marks: GradebookOption = None,
    course_folder: CourseOption = Path(),
) -> None:
    """Judge the requested questions again, draft answers, and keep requests and decisions in D."""
    root = course.find(course_folder)
    place = folder / regrade_requests.FILE
    if path is None and not (grant or refuse):
        raise UserError("give a CSV of requests, or a decision on one: --grant N or --refuse N")
    if (grant or refuse) and not by:
        raise UserError("name the person who decided with --by")
    new = [] if path is None else _answered(root, folder, path, hand_marks)
    now = datetime.now(course.read(root).zone)
    with files.locked(place):  # somebody may have decided while these were judged
        log = before = regrade_requests.entries(place)
        for entry in new:
            if not regrade_requests.is_in(entry.request, log):
                last = max((one.number for one in log), default=0)
                log = [*log, replace(entry, number=last + 1)]
        for word, numbers in (("granted", grant or ()), ("refused", refuse or ())):
            for count in numbers:
                log = regrade_requests.decided(log, count, word, by=by, why=why, at=now)
        files.write_table(place, regrade_requests.written(log))
    for one in log[len(before) :]:
        say(one_line(f"{one.number} {one.request.id} {one.request.question}: {one.proposal}"))
    undecided = sum(not one.decisions for one in log)
    say(f"wrote {place}: {counted(len(log), 'request')}, {undecided} without a decision")


def _answered(
    root: Path, folder: Path, path: Path, hand_marks: str | None
) -> list[regrade_requests.Entry]:
    """Return requests that are not in the log yet, without numbers, each with a draft."""
    log = regrade_requests.entries(folder / regrade_requests.FILE)
    settings, load = course.read(root), report.loader(root)
    known = roster(root)
    name = results.homework_of(results.folders(folder), folder)
    closes, today = settings.requests_close(name), datetime.now(UTC)
    zone = settings.zone.key if closes else ""
    new: dict[regrade_requests.Request, str] = {}  # the answer to one that is too late, or ""
    for request in regrade_requests.read(path, known, zone):
        if not regrade_requests.is_in(request, log) and request not in new:
            new[request] = regrade_requests.too_late(request, today, closes, settings.zone)
    have = report.collect(root, folder, hand_marks)
    folders = {known.id_of(who): who for who in have.rows}
    wanted = {folders[one.id] for one, closed in new.items() if one.id in folders and not closed}
    judged: dict[str, regrade.Regraded] = {}
    with contextlib.ExitStack() as stack:
        bank = functools.cache(
            lambda name: stack.enter_context(mistake_bank.bank(root, load(name)))
        )
        for item in regrade.regrade(folder, load, settings, bank, wanted):
            if isinstance(item, str):
                complain(item)
            else:
                judged[item.folder.name] = item
    came = f"{datetime.now(settings.zone):%Y-%m-%d %H:%M}"
    found = []
    for request, closed in new.items():
        if closed:
            found.append(regrade_requests.Entry(0, came, request, None, None, "too late", closed))
            continue
        who = folders.get(request.id, "")
        given, one = have.given.get(who), judged.get(who)
        drafted = regrade_requests.answered(
            request,
            one,
            have.rows[who].points if who else {},
            explain=one is not None
            and settings.explains(one.log.homework, datetime.now(UTC), one.log.receipt),
            given=given.comments if given else {},
            stranger=bool(known) and not who and known.find(request.id) is None,
        )
        found.append(regrade_requests.Entry(0, came, request, *drafted))
    return found
