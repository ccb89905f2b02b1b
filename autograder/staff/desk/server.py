"""The desk's addresses: requests of a browser -> pages from the store and the gradebook."""

import contextlib
import time
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import msgspec
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse
from starlette.responses import Response as Answer
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from autograder.cli import report
from autograder.course import course, homework
from autograder.marking.mark import counted, number, points
from autograder.records.errors import UserError
from autograder.reports import style
from autograder.reports.templates import environment
from autograder.staff.class_page import names
from autograder.staff.desk import extensions, home, intake, listing, person
from autograder.staff.desk.activity import dates, journal, printed, requests
from autograder.staff.desk.class_figures import ClassFigures
from autograder.staff.desk.classes import FILTERS, Classes, Entry
from autograder.staff.desk.jobs import Command, Job, Jobs
from autograder.staff.desk.marking import Marking
from autograder.staff.marking_page import guard
from autograder.staff.marking_page.marks.connection import Gradebook
from autograder.staff.marking_page.server import Pages
from autograder.store import files, mark_changes

HERE = Path(__file__).parent
INBOX, JOBS, MARKING = ".desk/inbox", ".desk/jobs", "/mark/at"
_POLICY = "Content-Security-Policy"
# A report contains its own style, and nothing in it may run.
_REPORT = {_POLICY: "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"}
_OURS = guard.HEADERS[_POLICY].replace("style-src", "style-src 'unsafe-inline'")
_STYLED = {_POLICY: _OURS.replace("img-src 'self'", "img-src data:")}
_WORK = "look roster extension decide name unname remove run stop again then".split()


class Sent(msgspec.Struct, frozen=True):
    """The fields that a page sends; the address determines which ones count."""

    homework: str = ""
    path: str = ""
    id: str = ""
    question: str = ""
    until: str = ""
    what: str = ""
    platform: str = ""
    submissions: str = ""
    without: str = ""
    provisional: bool = False
    number: int = 0
    text: str = ""
    where: str = ""


class Desk:
    """The desk of a course, whose homeworks have their results in folders below `out`.

    Args:
        url: The gradebook as given on the command line, for the verbs; "" for formgrader's.
    """

    def __init__(
        self, root: Path, out: Path, gradebook: Gradebook, url: str, marking: Marking
    ) -> None:
        self.root, self.out, self._gradebook, self._marking = root, out, gradebook, marking
        self._url, self._book = url or None, ("--gradebook", url) if url else ()
        self.classes, self.jobs = Classes(root, out, self._url), Jobs(root, out / JOBS)
        # Jobs that put new answers into the gradebook: number -> homework.
        self._fills = {
            job.number: job.command.homework
            for job in self.jobs.recent()
            if job.running and job.command.words[0] == "mark"
        }
        self._load = report.loader(root)
        self._figures = ClassFigures(root, self.classes, marking)
        self._environment = environment("autograder.staff.desk", "templates")
        self._environment.filters["date"] = dates.written
        self._environment.globals.update(
            person_of=lambda one: self.classes.roster().id_of(one),
            number=number,
            points=points,
            counted=counted,
            filters=FILTERS,
            who=self._who,
            read_printed=printed.read,
        )

    def application(self) -> Starlette:
        """Return the application, behind a guard."""
        one = "/questions/{name}/{student}"
        routes = [
            Route("/", self._home),
            Route("/favicon.ico", lambda _: Answer(status_code=204)),  # it does not exist
            Route("/tokens.css", lambda _: Answer(style.tokens(), media_type="text/css")),
            Mount("/static", StaticFiles(directory=HERE / "static")),
            Route("/bring", self._bring),
            Route("/bring/upload", self._upload, methods=["POST"]),
            Route("/people", self._people),
            Route("/people/rows", self._people),
            Route("/person/{id:path}", self._person),
            Route("/questions", self._choose),
            Route("/questions/{name}/", self._class),
            Route("/questions/{name}/similar.html", self._similar),
            Route(f"{one}/report.html", self._report),
            Route(f"{one}/notebook", self._notebook),
            Route(f"{one}/sheet/{{round:int}}", self._sheet),
            Route("/mark", self._choose),
            Route("/mark/{name}", self._mark),
            Mount(MARKING, self._opening(Pages(self._marking.rooms, at=MARKING).application())),
            Route("/back", self._back),
            Route("/back/{name}/{file}", self._file),
            Route("/jobs/{number:int}", self._job),
            Route("/jobs/{number:int}/part", self._job),
            Route("/requests/{name}", self._requests),
            Route("/log", self._log),
            Route("/log/rows", self._log),
            Route("/log.csv", self._log_table),
            Route("/{what}", self._do, methods=["POST"]),
        ]
        refused = {UserError: self._refused, HTTPException: self._refused}
        return Starlette(routes=routes, exception_handlers=refused)

    # Pages

    def _home(self, request: Request) -> Answer:
        found = home.homeworks(self.classes, self._settings(), self._load)
        return self._page(request, "home", homeworks=found)

    def _bring(self, request: Request) -> Answer:
        chosen, known = request.query_params.get("homework", ""), homework.names(self.root)
        return self._page(request, "bring", names=known, chosen=chosen)

    def _people(self, request: Request) -> Answer:
        words = listing.listed(self.classes, request.query_params)
        return self._page(request, "people", part="rows", **words)

    def _person(self, request: Request) -> Answer:
        id = request.path_params["id"]
        found = next((one for one in self.classes.people() if one.id == id), None)
        if found is None:
            raise HTTPException(404, "Nobody here has this id.")
        settings = self._settings()
        parts = person.parts(self.classes, found, settings, homework.names(self.root))
        changed = [line for line in self._lines() if line.student == id]
        items: dict[str, Markup] = {}
        for part in parts:
            texts = [text for each in (part.items or {}).values() for text in each]
            items |= self._marking.lines(self.classes.place(part.name), texts)
        words: dict[str, Any] = {"person": found, "parts": parts, "items": items}
        return self._page(request, "person", lines=changed, zone=settings.time_zone, **words)

    def _choose(self, request: Request) -> Answer:
        """Let the user choose a homework for a page; if there is only one, show its page."""
        counts = {
            name: (len(entries), sum(entry.waiting for entry in entries.values()))
            for name in self.classes.folders()
            if (entries := self.classes.entries(name))
        }
        mark = request.url.path == "/mark"
        if len(counts) == 1:
            return RedirectResponse(f"{request.url.path}/{next(iter(counts))}{'/' * (not mark)}")
        return self._page(request, "choose", counts=counts, mark=mark)

    def _class(self, request: Request) -> Answer:
        name = self._known(request.path_params["name"])
        return self._page(request, "class", name=name, figures=self._figures.html(name))

    def _report(self, request: Request) -> Answer:
        name, entry = self._submission(request)
        given = self.classes.given(name).get(entry.folder.name)
        try:
            text = person.report(entry.folder, given, self._load(name), self._settings())
        except UserError:
            text = _text(entry.folder / files.REPORT)
        return HTMLResponse(text, headers=_REPORT)

    def _similar(self, request: Request) -> Answer:
        place = self.classes.place(self._known(request.path_params["name"]))
        return HTMLResponse(_text(place / "similar.html"), headers=_REPORT)

    def _sheet(self, request: Request) -> Answer:
        name, entry = self._submission(request)
        made = person.sheets(self.classes, name, entry.folder.name)
        found = {one.round: one.page for one in made}.get(request.path_params["round"])
        return HTMLResponse(_text(found or entry.folder / "none"), headers=_REPORT)

    def _notebook(self, request: Request) -> Answer:
        name, entry = self._submission(request)
        reader = self._marking.reader(self.classes.place(name))
        cells = person.cells(entry.folder, reader)
        id = self.classes.roster().id_of(entry.folder.name)
        return self._page(request, "notebook", cells=cells, id=id, name=name)

    def _submission(self, request: Request) -> tuple[str, Entry]:
        name, student = self._known(request.path_params["name"]), request.path_params["student"]
        entry = self.classes.entries(name).get(student)
        if entry is None:
            raise HTTPException(404, "There is no such submission.")
        return name, entry

    def _mark(self, request: Request) -> Answer:
        name = self._known(request.path_params["name"])
        why = self._open(name)
        rows = self._marking.rows(name, [one.id for one in self._load(name).questions])
        return self._page(request, "mark", name=name, why=why, rows=rows)

    def _back(self, request: Request) -> Answer:
        asked, known = request.query_params, list(self.classes.folders())
        name = asked.get("homework", known[0] if len(known) == 1 else "")
        words: dict[str, Any] = {"name": name, "names": known, "asked": asked}
        if name:
            people = self.classes.roster()
            there = self.classes.entries(self._known(name))
            words["written"] = home.written(self.classes.place(name))
            words["stale"] = home.stale(self.classes, name)
            words["strangers"] = [one for one in there if people and not people.in_folder(one)]
        return self._page(request, "back", **words)

    def _file(self, request: Request) -> Answer:
        path = self._given_back(request.path_params["name"], request.path_params["file"])
        return _download(path.name, path.read_bytes(), "application/octet-stream")

    def _requests(self, request: Request) -> Answer:
        name = self._known(request.path_params["name"])
        found = requests.asked(self.classes.place(name))
        return self._page(request, "asked", name=name, found=found)

    def _log(self, request: Request) -> Answer:
        words = request.query_params.get("q", "").casefold()
        found = [line for line in self._lines() if words in self._searched(line).casefold()]
        shown: dict[str, Any] = {"lines": found[:500], "of": len(found), "words": words}
        zone = self._settings().time_zone
        return self._page(request, "log", part="log_rows", zone=zone, **shown)

    def _log_table(self, request: Request) -> Answer:  # noqa: ARG002
        return _download("log.csv", journal.table(self._lines()).encode("utf-8-sig"), "text/csv")

    def _job(self, request: Request) -> Answer:
        job = self._get(request.path_params["number"])
        if not job.running:
            self.classes.look_again()
        return self._page(request, "job", part="job_part", job=job)

    # Changes

    async def _upload(self, request: Request) -> Answer:
        name = intake.kept_name(request.query_params.get("name", ""))
        folder = self.out / INBOX / str(time.time_ns())
        files.make_folder(folder)
        path, size = folder / name, 0
        with path.open("wb") as file:
            async for chunk in request.stream():
                size += len(chunk)
                if size > intake.MOST_BYTES:
                    path.unlink()
                    most = f"{intake.MOST_BYTES // 10**9} GB"
                    raise UserError(f"{name} is larger than {most}; type its path on this machine")
                await run_in_threadpool(file.write, chunk)
        return JSONResponse({"path": str(path)})

    async def _do(self, request: Request) -> Answer:
        what = request.path_params["what"]
        if what not in _WORK:
            raise HTTPException(404)
        try:
            sent = msgspec.json.decode(await request.body() or b"{}", type=Sent)
        except msgspec.DecodeError as error:
            raise HTTPException(400, f"This was not understood: {error}") from error
        return await run_in_threadpool(getattr(self, f"_{what}"), request, sent)

    def _look(self, request: Request, sent: Sent) -> Answer:
        name = self._known(sent.homework)
        found = intake.look(self.root, name, sent.path, self.classes.place(name))
        return self._html("look", request, look=found, shown=intake.SHOWN)

    def _roster(self, request: Request, sent: Sent) -> Answer:
        found = intake.roster(self.root, sent.path)
        if sent.what != "keep":
            return self._html("roster", request, found=found, path=sent.path)
        intake.keep_roster(self.root, found.text)
        self.classes.look_again()
        many = f"{len(found.people)} {'person' if len(found.people) == 1 else 'people'}"
        return self._said(request, f"roster.csv has {many} now.")

    def _extension(self, request: Request, sent: Sent) -> Answer:
        name, settings = self._known(sent.homework), self._settings()
        until = None
        if sent.what != "take back":
            try:
                until = datetime.fromisoformat(sent.until)
            except ValueError as error:
                raise UserError(f"{sent.until or 'nothing'}: give a date and a time") from error
        now, by, place = datetime.now(settings.zone), request.state.marker, self.classes.place(name)
        before = extensions.give(self.root, name, sent.id, until, by=by, now=now)
        files.make_folder(place)
        at, after, why = now.isoformat(timespec="seconds"), f"{until or ''}"[:16], sent.text.strip()
        change = mark_changes.Change(at, by, sent.id, "extension", before, after, why or "desk")
        mark_changes.append(place, [change])
        due = settings.moment(until) if until else settings.due(name)
        whom = ", ".join(filter(None, (self._who(sent.id), sent.id)))
        when = due and f"{dates.written(due.astimezone(settings.zone))} ({settings.time_zone})"
        said = f"Due {when} for {whom}. Regrade to update late penalties."
        return self._said(request, said, regrade=name)

    def _decide(self, request: Request, sent: Sent) -> Answer:
        name, granted = self._known(sent.homework), sent.what == "granted"
        now, by, why = datetime.now(self._settings().zone), request.state.marker, sent.text.strip()
        requests.decide(self.classes.place(name), sent.number, sent.what, by=by, why=why, at=now)
        more = " No mark has changed: fix the check and regrade, or change the mark." * granted
        said = f"Request {sent.number} is {sent.what}.{more}"
        return self._said(request, said, regrade=name * granted)

    def _name(self, request: Request, sent: Sent) -> Answer:
        place = self.classes.place(self._known(sent.homework))
        words = sent.id, sent.text, sent.where
        done = names.name(self.root, place, *words, hand_marks=self._url)
        self.classes.look_again()
        many = counted(len(done.students), "report")
        return self._said(request, f"{many} of this folder say it now, and so will later ones.")

    def _unname(self, request: Request, sent: Sent) -> Answer:
        place = self.classes.place(self._known(sent.homework))
        names.unname(self.root, place, sent.id, hand_marks=self._url)
        self.classes.look_again()
        return self._said(request, "The sentence is gone from all reports.")

    def _remove(self, request: Request, sent: Sent) -> Answer:  # noqa: ARG002
        if sent.path not in home.GIVEN_BACK:
            raise HTTPException(404, "There is no such file.")
        self._given_back(sent.homework, sent.path).unlink()
        return JSONResponse({"go": f"/back?homework={sent.homework}"})

    def _run(self, request: Request, sent: Sent) -> Answer:
        name, book = self._known(sent.homework), self._book
        place, path = str(self.classes.place(name)), str(intake.absolute(sent.path))
        asked = (sent.question,) if sent.question else ()
        mails = ("export", place, "--mail-from", sent.text.strip())
        verbs: Mapping[str, tuple[str, tuple[str, ...]]] = {
            "grade": ("Grade", ("grade", name, path, "--out", place)),
            "report": ("Write reports and tables of", ("report", place, *book)),
            "compare": ("Compare marks of", ("regrade", place, "--diff", *book)),
            "similar": ("Compare submissions of", ("similar", place)),
            "fill": ("Prepare answers of", ("mark", place, "--fill", *book)),
            "explain": (f"Explain {sent.id} in", ("explain", place, sent.id, *asked)),
            "mails": ("Emails for", (*mails, *["--provisional"] * sent.provisional, *book)),
            "export": (f"Preview for {sent.platform.title()} of", self._export(sent, place)),
        }
        if sent.what not in verbs:
            raise HTTPException(404)
        title, words = verbs[sent.what]
        then, form, expected = None, "", max(0, sent.number) if sent.what == "grade" else 0
        if sent.what == "compare":
            keep = ("regrade", place, *book)
            then = Command(f"Keep these marks of {name}", keep, homework=name)
        elif sent.what == "export":
            then = Command(f"Write the file of {name}", (*words[:-1], "--yes"), homework=name)
            fields = ("homework", "platform", "path", "submissions", "without", "provisional")
            form = urlencode({one: getattr(sent, one) or "" for one in fields})
        command = Command(f"{title} {name}", words, "", 0.0, expected, name, sent.id, then, form)
        if sent.what == "export" and home.stale(self.classes, name):
            title, words = verbs["report"]
            command = Command(f"{title} {name}", words, homework=name, then=command)
        return self._start(request, command)

    def _export(self, sent: Sent, place: str) -> tuple[str, ...]:
        if sent.what != "export":
            return ()
        if sent.platform not in ("canvas", "moodle"):
            raise UserError("choose the platform: Canvas or Moodle")
        if not sent.path.strip():
            raise UserError("give the CSV that the platform exported")
        path, submissions = map(intake.absolute, (sent.path, sent.submissions))
        words = ["export", place, f"--{sent.platform}", str(path), *self._book]
        words += ["--submissions", str(submissions)] if sent.submissions.strip() else []
        for one in sent.without.replace(",", " ").split():
            words += ["--without", one]
        return (*words, *["--provisional"] * sent.provisional, "--preview")

    def _stop(self, request: Request, sent: Sent) -> Answer:  # noqa: ARG002
        self._get(sent.number)
        self.jobs.stop(sent.number)
        return JSONResponse({"go": f"/jobs/{sent.number}"})

    def _again(self, request: Request, sent: Sent) -> Answer:
        return self._start(request, self._get(sent.number).command)

    def _then(self, request: Request, sent: Sent) -> Answer:
        job = self._get(sent.number)
        if job.running or job.command.then is None:
            raise UserError("there is nothing to continue")
        words = job.command.then.words
        if words[0] == "regrade" and sent.text.strip():
            words += ("--why", sent.text.strip())
        return self._start(request, msgspec.structs.replace(job.command.then, words=words))

    # Shared parts

    def _start(self, request: Request, command: Command) -> Answer:
        now = msgspec.structs.replace(command, by=request.state.marker, at=time.time())
        number = self.jobs.start(now)
        if command.words[0] == "mark":
            self._fills[number] = command.homework
        return JSONResponse({"go": f"/jobs/{number}"})

    def _open(self, name: str) -> str:
        """Open a homework's questions, and anew after a fill; return why that fails, or ""."""
        for job, filled in [*self._fills.items()]:
            if not self.jobs.get(job).running:
                self._marking.forget(filled)
                self._fills.pop(job, None)
        if self._marking.is_open(name):
            return ""
        return self._marking.open(name, self.classes.place(name), self.classes.roster())

    def _opening(self, pages: ASGIApp) -> ASGIApp:
        """Return the marking page, whose links may come before a homework's questions are open."""

        async def application(scope: Scope, receive: Receive, send: Send) -> None:
            name = scope["path"].removeprefix(f"{MARKING}/").split("/")[0]
            if name in homework.names(self.root) and (
                why := await run_in_threadpool(self._open, name)
            ):
                raise UserError(why)
            await pages(scope, receive, send)

        return application

    def _get(self, number: int) -> Job:
        try:
            return self.jobs.get(number)
        except KeyError as error:
            raise HTTPException(404, "There is no such job.") from error

    def _known(self, name: str) -> str:
        if name not in homework.names(self.root):
            raise UserError(f"{name or 'nothing'}: this course has no such homework; choose one")
        return name

    def _given_back(self, name: str, file: str) -> Path:
        place = self.classes.place(self._known(name))
        if file not in home.written(place):
            raise HTTPException(404, "There is no such file.")
        return place / file

    def _settings(self) -> course.Course:
        return course.read(self.root)

    def _who(self, id: str) -> str:
        """Return somebody's name; "" if roster.csv has none."""
        return self.classes.roster().name_of(id)

    def _searched(self, line: journal.Line) -> str:
        return " ".join([*vars(line).values(), self._who(line.student), dates.written(line.when)])

    def _lines(self) -> list[journal.Line]:
        zone, known = self._settings().zone, self.classes.roster()
        return journal.lines(self.classes.folders(), known, zone, self._gradebook)

    def _said(self, request: Request, said: str, regrade: str = "") -> Answer:
        return self._html("said", request, said=said, regrade=regrade)

    def _refused(self, request: Request, error: Exception) -> Answer:
        status, text = 409, str(error)
        if isinstance(error, HTTPException):
            status, text = error.status_code, error.detail
        said = f"{text[:1].upper()}{text[1:].rstrip('.')}."
        if request.method == "GET":
            with contextlib.suppress(UserError):  # course.toml itself may be at fault
                page = self._page(request, "refused", said=said)
                page.status_code = status
                return page
        return PlainTextResponse(said, status)

    def _html(self, template: str, request: Request, /, **words: Any) -> HTMLResponse:
        page = self._environment.get_template(f"{template}.html.jinja")
        return HTMLResponse(page.render(marker=request.state.marker, **words))

    def _page(self, request: Request, template: str, *, part: str = "", **words: Any) -> Answer:
        """Return a page, or only `part` of it if the address ends in `rows` or `part`."""
        path = request.url.path.strip("/").split("/")
        if part and path[-1] in ("rows", "part"):
            return self._html(part, request, **words)
        settings, here = self._settings(), {"person": "people", "jobs": "-"}.get(path[0], path[0])
        words = {"jobs": self.jobs.recent(words.get("name", "")), **words}
        words |= {"course": settings.title, "term": settings.term, "here": f"/{here}"}
        made = self._html(template, request, roster_size=len(self.classes.roster()), **words)
        if template in ("class", "notebook"):
            made.headers.update(_STYLED)
        return made


def _text(path: Path) -> str:
    if not path.is_file():
        raise HTTPException(404, "There is no such page yet.")
    return path.read_text(encoding="utf-8")


def _download(name: str, data: bytes, kind: str) -> Answer:
    disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Answer(data, media_type=kind, headers=disposition)
