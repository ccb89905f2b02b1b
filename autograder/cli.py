"""The verbs. The only module that prints.

What only authors need (nbgrader) is imported by their verbs, so that grading
starts without it.

Exit status: 0 the work was done, whatever the score; 2 unusable input or
arguments; 1 our own failure; 130 and 143 stopped by Ctrl-C or SIGTERM.
"""

import collections
import contextlib
import fnmatch
import functools
import itertools
import signal
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType, ModuleType
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from autograder import course, homework, regrade
from autograder.bulk import grader, pool, results
from autograder.codec import one_line
from autograder.facts import find, sandbox, variants
from autograder.facts.execute import programs
from autograder.facts.layers import LAYERS
from autograder.facts.sandbox import Sandbox
from autograder.model import Homework, UserError
from autograder.progress import Progress
from autograder.views import grades, pdf
from autograder.views.report import number, points

app = typer.Typer(
    help="Grade transformer homework, and write it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
_out, _err = Console(highlight=False), Console(stderr=True, highlight=False, soft_wrap=True)

CourseOption = Annotated[
    Path,
    typer.Option(
        "--course", help="A folder of the course; default: the current one.", show_default=False
    ),
]
Names = Annotated[
    list[str] | None, typer.Argument(help="Homework names; default: all.", show_default=False)
]


def main(sandbox: Sandbox | None = None) -> None:
    """Run the command line; a UserError is one line and exit status 2.

    Args:
        sandbox: One that was launched already, for a verb that can use it.
    """
    try:
        app(obj=sandbox)
    except UserError as error:
        _complain(str(error))
        raise SystemExit(2) from None


def _complain(text: str) -> None:
    _err.print(f"autograder: {one_line(text)}", markup=False)


def _chosen(root: Path, names: list[str] | None) -> list[str]:
    chosen = names or homework.names(root)
    if not chosen:
        raise UserError("this course has no homework in source/")
    return chosen


@app.command()
def grade(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="HW", help="The homework's name.")],
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH...", help="Notebooks, logs, folders or zips of them, exports as they are."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Where the results go; for staff only.")],
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", min=1, help="How many at a time; default: all processors."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Only the first so many that are found.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this hand-in; * and ? stand for any letters."),
    ] = None,
    all_cells: Annotated[
        bool, typer.Option("--all-cells", help="Run the cells that only illustrate, too.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Grade again what is done.")] = False,
    require: Annotated[
        list[str] | None,
        typer.Option(metavar="LAYER", help="Do not grade without it; `doctor` lists them."),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Grade on the machines of this Dask cluster."),
    ] = None,
    insecure_cluster: Annotated[
        bool,
        typer.Option(
            "--insecure-cluster", help="Also on machines where student code has a network."
        ),
    ] = False,
    course_folder: CourseOption = Path(),
) -> None:
    """Grade submissions into OUT/<name>/; what is done already is skipped."""
    if scheduler and jobs:
        raise UserError("-j counts graders on this machine; --scheduler uses those of its workers")
    if insecure_cluster and not scheduler:
        raise UserError("--insecure-cluster says something only with --scheduler ADDRESS")
    sandbox.require(require or (), {})  # are these layers?
    root = course.find(course_folder)
    chosen = _released(root, name)
    settings = course.read(root)
    _note_public(settings)
    found, complaints = find.find(paths, homework=name, roster=course.roster(root))
    found = _picked(found, only or (), limit)
    for item in found:
        if item.note:
            _err.print(f"note: {item.student}: {item.note}", markup=False)
    results.make_folder(out)  # so that whether it can be read is tried, too
    task = grader.Task(
        root,
        name,
        settings,
        out.resolve(),
        hidden=tuple(path.resolve() for path in paths),
        all_cells=all_cells,
        force=force,
    )
    failed = False
    results.refuse_others(out, name)
    with (
        results.claimed(out),
        _stopped_in_order() as stopped,
        Progress(_out, chosen.title, len(found)) as progress,
    ):
        noted: set[str] = set()

        def started(missing: Mapping[str, str]) -> None:
            sandbox.require(require or (), missing)
            for layer, why in sandbox.gaps(missing).items():
                if layer not in noted:
                    _err.print(f"note: not here: {LAYERS[layer]} ({why})", markup=False)
                noted.add(layer)

        bytes_read = chosen.limits.notebook_bytes
        graded: Generator[grader.Graded, None, None]
        if scheduler:
            cluster = _cluster()
            graded = cluster.grade(
                task,
                found,
                homework=chosen,
                address=scheduler,
                require=require or (),
                insecure=insecure_cluster,
                note=lambda text: _err.print(f"note: {text}", markup=False),
            )
        elif len(found) == 1:
            graded = _graded_here(task, found, started, context.obj)
        else:
            graded = pool.grade(
                task, found, jobs=jobs or pool.processors(), limit=bytes_read, started=started
            )
        try:
            with contextlib.closing(graded):  # before another run may write here
                for result in graded:
                    failed |= result.failed
                    if result.complaint:
                        complaints.append(result.complaint)
                    progress.add(result)
                    if stopped:
                        raise KeyboardInterrupt(stopped[0])
        except KeyboardInterrupt as stop:
            _complain(f"stopped: {progress.counts()}; the same command goes on with the rest")
            raise SystemExit(128 + (stop.args or (signal.SIGINT,))[0]) from None
    if any(out.glob("*/report.html")):
        _out.print(f"Reports: {out}/<name>/report.html", markup=False, soft_wrap=True)
    for complaint in complaints:
        _complain(complaint)
    if complaints:
        raise SystemExit(1 if failed else 2)


def _released(root: Path, name: str) -> Homework:
    """Return a homework that students were given."""
    chosen = homework.load(root, name)
    if not chosen.cells:
        raise UserError(f"release/{name} is missing; run `autograder release {name}` first")
    return chosen


def _note_public(settings: course.Course) -> None:
    if settings.secret == course.PUBLIC_SECRET:
        _err.print(
            "note: the secret in course.toml is the public one for trying out; "
            f"set your own there or in {course.SECRET_VARIABLE} before you give marks"
        )


@contextlib.contextmanager
def _stopped_in_order() -> Iterator[list[int]]:
    """Have Ctrl-C, and SIGTERM, which a batch system sends when time is over, end the run in order.

    Yields the signals that came. One that comes while Python clears an object away is only noted:
    what is raised there goes no further.
    """
    came: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        came.append(number)
        while frame:
            if frame.f_code.co_name == "__del__":
                return
            frame = frame.f_back
        raise KeyboardInterrupt(number)

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, stop) for number in numbers]
    try:
        yield came
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def _cluster() -> ModuleType:
    try:
        from autograder.bulk import cluster
    except ImportError as error:
        raise UserError(
            "--scheduler needs the extra `cluster` (pip install 'attention-homework-kit[cluster]')"
        ) from error
    return cluster


def _picked(
    found: Sequence[find.Found], only: Sequence[str], limit: int | None
) -> list[find.Found]:
    """Return the submissions that are asked for."""
    for name in only:
        if not any(fnmatch.fnmatchcase(item.student, name) for item in found):
            raise UserError(f"--only {name}: no hand-in is called so")
    picked = [
        item
        for item in found
        if not only or any(fnmatch.fnmatchcase(item.student, name) for name in only)
    ]
    return picked[:limit]


def _graded_here(
    task: grader.Task,
    found: Sequence[find.Found],
    started: Callable[[Mapping[str, str]], None],
    launched: Sandbox | None,
) -> Generator[grader.Graded, None, None]:
    """Grade in this process: for one submission no other needs to start."""
    with grader.Grader.open(task, launched) as one:
        started(one.sandbox.missing)
        yield from one.grade_all(found, task.out)
        if one.bank:
            _note_broken(one.bank)


def _note_broken(*banks: variants.Bank) -> None:
    for why in {bank.broken for bank in banks} - {""}:
        _err.print(f"note: no known mistake could be named ({why})", markup=False)


@app.command(name="report")
def report_command(
    folder: Annotated[Path, typer.Argument(metavar="D", help="What `grade --out D` wrote.")],
    hand_marks: Annotated[
        str | None,
        typer.Option(
            "--gradebook",
            metavar="URL",
            help="Also count what people gave in this gradebook; gradebook.db or a URL.",
        ),
    ] = None,
    course_folder: CourseOption = Path(),
) -> None:
    """Write D/grades.csv, with the names of roster.csv if there is one, and D/mistakes.csv."""
    root = course.find(course_folder)
    folders = sorted(path.parent for path in folder.glob("*/results.json"))
    if not folders:
        raise UserError(f"{folder} holds no results; give the folder that `autograder grade` wrote")
    marks = {path.name: results.read_marks(path) for path in folders}
    waiting = [path for path in folders if results.unfinished(path)]
    for path in waiting:
        marks[path.name] = {}
    for path in set(folders) - set(waiting):
        if penalty := results.read_penalty(path):
            marks[path.name][regrade.LATE] = -penalty
    if hand_marks:
        _add_hand_marks(marks, folder, hand_marks)
    found = {path.name: results.read_diagnosis(path) for path in folders}
    results.write(folder / "grades.csv", grades.table(marks, course.roster(root)))
    results.write(folder / "mistakes.csv", grades.mistakes(found))
    fits = ((question, m.name) for questions in found.values() for question, m in questions.items())
    for (question, name), number_of in collections.Counter(fits).most_common():
        _out.print(f"{question}: {number_of} fit the mistake {name}", markup=False, soft_wrap=True)
    for name in ("grades.csv", "mistakes.csv"):
        _out.print(f"wrote {folder}/{name}", markup=False, soft_wrap=True)
    for path in waiting:
        _complain(f"{path}: grading had not finished, so it has no score; run `autograder grade`")
    if waiting:
        raise SystemExit(2)


def _add_hand_marks(marks: dict[str, dict[str, float | None]], folder: Path, url: str) -> None:
    """Put what people gave in a gradebook in the place of the machine's marks."""
    from autograder.views import gradebook

    with gradebook.connect(url, make=False) as book:
        by_people = gradebook.given(book, folder)
    for student, given in by_people.items():
        marks[student] |= given.points
    if absent := len(marks.keys() - by_people.keys()):
        _err.print(
            f"note: without marks of people: {absent} of {len(marks)} hand-ins, which are not in this "
            "gradebook or cannot be read; `autograder gradebook` puts them there or says why not"
        )
    if waiting := sum(len(given.waiting) for given in by_people.values()):
        count = "1 mark still waits" if waiting == 1 else f"{waiting} marks still wait"
        _err.print(f"note: {count} for a person in the gradebook")


@app.command(name="gradebook")
def gradebook_command(
    folder: Annotated[Path, typer.Argument(metavar="D", help="What `grade --out D` wrote.")],
    url: Annotated[
        str | None,
        typer.Option(
            "--db",
            metavar="URL",
            help="The gradebook, a file or any URL of SQLAlchemy; default: the one that "
            "formgrader opens, gradebook.db in the course.",
            show_default=False,
        ),
    ] = None,
    course_folder: CourseOption = Path(),
) -> None:
    """Put marks and written answers into nbgrader's gradebook, to mark by hand in formgrader."""
    from autograder.views import gradebook

    root = course.find(course_folder)
    place = gradebook.directory(root)
    done: list[gradebook.Recorded] = []
    complaints: list[str] = []
    with gradebook.connect(url or place.db_url, place.course_id) as book:
        for item in gradebook.fill(
            folder,
            functools.cache(functools.partial(homework.load, root)),
            course.read(root),
            book=book,
            place=place,
            roster=course.roster(root),
        ):
            if isinstance(item, str):
                complaints.append(item)
                continue
            done.append(item)
            if item.again:
                line = f"{item.student}: look again, it changed: {', '.join(item.again)}"
                _out.print(line, markup=False, soft_wrap=True)
        for name in sorted({item.homework for item in done}):
            if left := gradebook.left(book, folder, name):
                line = f"note: not in {folder}, and in the gradebook as before: {', '.join(left)}"
                _err.print(line, markup=False)
    waiting = sum(len(item.waiting) for item in done)
    _out.print(
        f"{len(done)} hand-in{'s' * (len(done) != 1)} in the gradebook, "
        f"{waiting} answer{'s' * (waiting != 1)} to mark by hand",
        markup=False,
        soft_wrap=True,
    )
    for complaint in complaints:
        _complain(complaint)
    if complaints:
        raise SystemExit(2)


@app.command(name="regrade")
def regrade_command(
    folder: Annotated[Path, typer.Argument(metavar="D", help="What `grade --out D` wrote.")],
    diff: Annotated[
        bool, typer.Option("--diff", help="Only say who would gain or lose; write nothing.")
    ] = False,
    allow_lower: Annotated[
        bool, typer.Option("--allow-lower", help="Write marks that are lower, too.")
    ] = False,
    course_folder: CourseOption = Path(),
) -> None:
    """Judge the logs in D again, without running student code."""
    root = course.find(course_folder)
    settings = course.read(root)
    load = functools.cache(functools.partial(homework.load, root))
    items: list[regrade.Regraded] = []
    complaints: list[str] = []
    with contextlib.ExitStack() as stack:
        bank = functools.cache(lambda name: stack.enter_context(variants.bank(root, load(name))))
        for item in regrade.regrade(folder, load, settings, bank):
            if isinstance(item, str):
                complaints.append(item)
                continue
            items.append(item)
            for change in item.changes:
                marks = f"{number(change.before)} -> {number(change.after)}"
                line = f"{item.log.submission.student} {change.question}: {marks}: {change.why}"
                _out.print(one_line(line.split("\n")[0]), markup=False, soft_wrap=True)
            for question in item.stale:
                line = f"{item.log.submission.student} {question}: run again (other hidden inputs)"
                _out.print(line, markup=False, soft_wrap=True)
        _note_broken(*(bank(name) for name in {item.log.homework for item in items}))
    gains = [item.difference for item in items if item.difference > 0]
    losses = [-item.difference for item in items if item.difference < 0]
    _out.print(
        f"{len(items)} hand-in{'s' * (len(items) != 1)}: {len(gains)} gain {points(sum(gains))}, "
        f"{len(losses)} lose {points(sum(losses))}, {sum(bool(i.stale) for i in items)} to run again",
        soft_wrap=True,
    )
    lower = sum(change.after < change.before for item in items for change in item.changes)
    if diff:
        _out.print("Nothing was written.")
    elif lower and not allow_lower:
        complaints.append(
            f"{lower} marks would be lower, so nothing was written; --allow-lower writes them"
        )
    else:
        for item in items:
            regrade.write(item, load(item.log.homework), settings)
    for complaint in complaints:
        _complain(complaint)
    if complaints:
        raise SystemExit(2)


@app.command(name="release")
def release_command(
    names: Names = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail when something is stale.")
    ] = False,
    execute: Annotated[
        bool, typer.Option("--execute", help="Also execute the solutions, with outputs.")
    ] = False,
    course_folder: CourseOption = Path(),
) -> None:
    """Make release/ (and, with --execute, solutions/) from source/."""
    from autograder.authoring import contract, release

    root = course.find(course_folder)
    stale = []
    for name in _chosen(root, names):
        homework.load(root, name)
        if check:
            stale += [
                s
                for s in (release.stale_release(root, name), release.stale_solution(root, name))
                if s
            ]
            continue
        release.refresh_tools(root, name)
        leaks = contract.leaks(root, name)
        for leak in leaks:
            _complain(f"{leak.place}: {leak.what}")
        if leaks:
            raise UserError(f"the release of {name} would give this away; nothing was written")
        _out.print(f"wrote {release.write_release(root, name).relative_to(root)}", markup=False)
        if execute:
            begun = time.monotonic()
            written = release.write_solution(root, name).relative_to(root)
            _out.print(f"wrote {written}, {time.monotonic() - begun:.0f} s", markup=False)
    for line in stale:
        _complain(f"{line}; run `make solutions`")
    if stale:
        raise SystemExit(2)


@app.command()
def check(
    names: Names = None,
    mutants: Annotated[
        bool,
        typer.Option("--mutants", help="Also change the solutions in every small way; minutes."),
    ] = False,
    course_folder: CourseOption = Path(),
) -> None:
    """Prove that a homework is sound, and print the proof as a table."""
    from autograder.authoring import contract

    root = course.find(course_folder)
    failed = False
    for name in _chosen(root, names):
        table = Table(title=name, show_lines=False)
        for column in ("rule", "case", "holds", "detail"):
            table.add_column(column)
        clauses = contract.clauses(root, name)
        if mutants:
            clauses = itertools.chain(clauses, contract.mutants(root, name))
        for clause in clauses:
            failed |= not clause.holds
            row = (clause.rule, clause.case, "yes" if clause.holds else "NO", clause.detail)
            if _out.is_terminal:
                table.add_row(*row)
            else:
                _out.print(" | ".join((name, *row)), markup=False, soft_wrap=True)
        if _out.is_terminal:
            _out.print(table)
    if failed:
        _complain("the contract does not hold; the lines that say NO tell why")
        raise SystemExit(2)


@app.command()
def publish(
    name: Annotated[str, typer.Argument(metavar="HW", help="The homework's name.")],
    to: Annotated[Path, typer.Option("--to", help="A folder outside this course.")],
    course_folder: CourseOption = Path(),
) -> None:
    """Copy what students get, and nothing else, to a folder outside this course."""
    from autograder.authoring import release

    root = course.find(course_folder)
    homework.load(root, name)
    for path in release.publish(root, name, to):
        _out.print(f"wrote {path}", markup=False, soft_wrap=True)


@app.command(name="pdf")
def pdf_command(
    notebook: Annotated[
        str, typer.Argument(metavar="NOTEBOOK", help="A notebook; with --blank a homework's name.")
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Default: beside the notebook.", show_default=False),
    ] = None,
    blank: Annotated[
        bool, typer.Option("--blank", help="The same pages without answers: a template.")
    ] = False,
    name: Annotated[
        str | None,
        typer.Option("--homework", metavar="HW", help="Default: the one that the notebook fits."),
    ] = None,
    course_folder: CourseOption = Path(),
) -> None:
    """Typeset the written answers of a notebook, each question on the same page for everybody."""
    root = course.find(course_folder)
    if blank:
        sheet = pdf.blank(homework.load(root, notebook))
        target = out or Path(f"{notebook}-blank.pdf")
    else:
        homeworks = [
            homework.load(root, known) for known in _chosen(root, [name] if name else None)
        ]
        sheet = pdf.sheet(Path(notebook), homeworks, recognised=bool(name))
        target = out or Path(notebook).with_suffix(".pdf")
    pdf.complain_of(target)
    hidden = [*course.private(root), *([] if blank else [Path(notebook)])]
    with pdf.studio(hidden) as studio:
        printed = pdf.print_sheet(sheet, studio)
        for layer, why in studio.gaps.items():
            _err.print(f"note: not here: {LAYERS[layer]} ({why})", markup=False)
    if printed.note:
        _err.print(f"note: this is no PDF/UA-1, only a tagged PDF ({printed.note})", markup=False)
    pdf.write(target, printed.pdf)
    _out.print(f"wrote {target}", markup=False, soft_wrap=True)


@app.command(name="pack")
def pack_command(
    name: Annotated[str, typer.Argument(metavar="HW", help="The homework's name.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="ZIP", help="Default: HW-gradescope.zip.")
    ] = None,
    course_folder: CourseOption = Path(),
) -> None:
    """Write the zip that Gradescope takes, and say how to set the assignment up."""
    from autograder.container import pack

    root = course.find(course_folder)
    chosen = _released(root, name)
    settings = course.read(root)
    _note_public(settings)
    target = out or Path(f"{name}-gradescope.zip")
    packed = pack.pack(root, chosen, settings, target)
    _out.print(packed.page, markup=False, soft_wrap=True)
    _out.print(
        f"wrote {target}: {packed.size / 1e6:.1f} MB; the image takes {packed.image / 1e9:.1f} GB "
        f"more than its base. This page is in it, as {pack.PAGE}.",
        markup=False,
        soft_wrap=True,
    )


@app.command(name="simulate")
def simulate_command(
    archive: Annotated[Path, typer.Argument(metavar="ZIP", help="What `pack` wrote.")],
    hand_in: Annotated[
        Path, typer.Argument(metavar="SUBMISSION", help="A file, or a folder of what is handed in.")
    ],
    metadata: Annotated[
        Path | None, typer.Option(help="A submission_metadata.json; default: none.")
    ] = None,
    image: Annotated[
        Path | None,
        typer.Option(
            help="Where the image is built, and found again the next time; default: nowhere lasting."
        ),
    ] = None,
    whole: Annotated[
        bool, typer.Option("--whole", help="The image's folder is a Linux of its own; needs root.")
    ] = False,
    seconds: Annotated[float, typer.Option(min=1, help="The platform's limit.")] = 600.0,
) -> None:
    """Do with a zip and a hand-in what Gradescope does, and show what a student would see."""
    from autograder.container import simulate

    for path in filter(None, (archive, hand_in, metadata)):
        if not path.exists():
            raise UserError(f"{path}: there is no such file or folder")
    said = metadata.read_text(encoding="utf-8", errors="replace") if metadata else None
    with simulate.platform(image, whole=whole) as platform:
        if built := platform.build_once(archive):
            _err.print(built.rstrip(), markup=False, soft_wrap=True)
        shown = platform.submit(hand_in, said, seconds=seconds)
    if shown.said:
        _err.print(f"the scripts said: {shown.said.rstrip()}", markup=False, soft_wrap=True)
    for line in shown.lines():
        _out.print(line, markup=False, soft_wrap=True)
    if shown.complaint:
        raise UserError(shown.complaint)


@app.command()
def doctor(course_folder: CourseOption = Path()) -> None:
    """Say what is installed, and which layers of the sandbox hold here."""
    root = course.find(course_folder)
    for name, version in programs().items():
        _out.print(f"{name} {version}", markup=False)
    with Sandbox(hidden=course.private(root)) as sandbox:
        table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
        for column in ("layer", "holds", "what it is, and why not"):
            table.add_column(column)
        for name, meaning in LAYERS.items():
            why = sandbox.missing.get(name)
            row = (name, "no" if why else "yes", f"{meaning}. Not here: {why}" if why else meaning)
            if _out.is_terminal:
                table.add_row(*map(escape, row))
            else:
                _out.print(" | ".join(row), markup=False, soft_wrap=True)
        if _out.is_terminal:
            _out.print(table)
