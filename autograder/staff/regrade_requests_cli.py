"""Students' requests and the decisions: `explain --requests`, --grant and --refuse."""

import contextlib
import functools
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
    log = regrade_requests.entries(place)
    if path is None and not (grant or refuse):
        raise UserError("give a CSV of requests, or a decision on one: --grant N or --refuse N")
    if (grant or refuse) and not by:
        raise UserError("name the person who decided with --by")
    if path is not None:
        log = _with_answers(root, folder, path, log, hand_marks)
    now = datetime.now(course.read(root).zone)
    for word, numbers in (("granted", grant or ()), ("refused", refuse or ())):
        for count in numbers:
            log = regrade_requests.decided(log, count, word, by=by, why=why, at=now)
    files.write_table(place, regrade_requests.written(log))
    undecided = sum(not one.decisions for one in log)
    say(f"wrote {place}: {counted(len(log), 'request')}, {undecided} without a decision")


def _with_answers(
    root: Path, folder: Path, path: Path, log: list[regrade_requests.Entry], hand_marks: str | None
) -> list[regrade_requests.Entry]:
    settings, load = course.read(root), report.loader(root)
    known = roster(root)
    name = results.homework_of(results.folders(folder), folder)
    closes, today = settings.requests_close(name), datetime.now(UTC)
    zone = settings.zone.key if closes else ""
    new: list[regrade_requests.Request] = []
    late: dict[regrade_requests.Request, str] = {}
    for request in regrade_requests.read(path, known, zone):
        if not regrade_requests.is_in(request, log) and request not in new:
            new.append(request)
            late[request] = regrade_requests.too_late(request, today, closes, settings.zone)
    have = report.collect(root, folder, hand_marks)
    folders = {known.id_of(who): who for who in have.rows}
    wanted = {folders[request.id] for request in new if request.id in folders and not late[request]}
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
    for request in new:
        count = max((entry.number for entry in log), default=0) + 1
        if said := late[request]:
            entry = regrade_requests.Entry(count, came, request, None, None, "too late", said)
            log = [*log, entry]
            say(one_line(f"{count} {request.id} {request.question}: too late"))
            continue
        who = folders.get(request.id, "")
        given, one = have.given.get(who), judged.get(who)
        before, now, proposal, answer = regrade_requests.answered(
            request,
            one,
            have.rows[who].points if who else {},
            explain=one is not None
            and settings.explains(one.log.homework, datetime.now(UTC), one.log.receipt),
            given=given.comments if given else {},
            stranger=bool(known) and not who and known.find(request.id) is None,
        )
        log = [*log, regrade_requests.Entry(count, came, request, before, now, proposal, answer)]
        line = f"{count} {request.id} {request.question}: {proposal}"
        say(one_line(line))
    return log
