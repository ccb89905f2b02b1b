"""The verbs of people who write homework: new, import, release, check, try.

nbgrader, which only they need, is imported when a verb runs, so that grading starts without it.
"""

import contextlib
import itertools
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.markup import escape
from rich.table import Table

from autograder.cli.shared import (
    CourseOption,
    Names,
    complain,
    end_with,
    names_or_all,
    note,
    note_extensions,
    note_secret,
    released,
    say,
    stdout,
)
from autograder.course import course, homework
from autograder.course.people import roster
from autograder.marking.mark import number
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.store import files

verbs = typer.Typer()
DRAWS, STARTS = 200, 50
Parts = Annotated[
    list[str] | None,
    typer.Option(
        "--part",
        metavar="PART",
        help="With --large: drawn, smallest_mistakes, styles, limits or bands; default: all.",
        show_default=False,
    ),
]
Draws = Annotated[
    int,
    typer.Option(
        min=1, help="With --large: the number of draws of hidden inputs for each right answer."
    ),
]
Starts = Annotated[
    int, typer.Option(min=1, help="With --large: the number of starts for trained questions.")
]
To = Annotated[
    Path | None,
    typer.Option("--to", help="Copy the students' files to this folder outside the course."),
]
Site = Annotated[
    Path | None, typer.Option("--site", help="Like --to, and add web pages for students.")
]


@verbs.command(name="release")
def release_command(
    names: Names = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail if anything is stale.")
    ] = False,
    execute: Annotated[
        bool,
        typer.Option(
            "--execute",
            help="Also execute the solutions; if only text has changed, their outputs stay.",
        ),
    ] = False,
    take: Annotated[
        Literal["ipynb", "py"] | None,
        typer.Option(help="The form to keep if both NAME.ipynb and NAME.py have changed."),
    ] = None,
    to: To = None,
    site: Site = None,
    course_folder: CourseOption = Path(),
) -> None:
    """Make release/ (and, with --execute, solutions/) from source/; --to and --site publish it.

    homeworks.md there lists the due dates from course.toml. A site works without a server: open
    index.html, or upload it.
    """
    from autograder.authoring import release
    from autograder.authoring.contract import release_gate

    if check and (execute or take or to or site):
        raise UserError("--check writes nothing; leave out --execute, --take, --to and --site")
    if site:
        from autograder.authoring.site.write import require_extra

        require_extra()  # before minutes of work
    root = course.find(course_folder)
    stale = list[str]()
    for name in names_or_all(root, names):
        if check:
            homework.load(root, name)
            both = release.stale_release(root, name), release.stale_solution(root, name)
            stale += filter(None, both)
            continue
        with _leaks_told():
            made = release_gate.released(root, name, take=take)
        if made.refreshed.note:
            note(made.refreshed.note)
        elif made.refreshed.changed and not (root / "source" / name / f"{name}.py").is_file():
            note(
                f"source/{name}/{name}.ipynb was updated with cells or ids from the kit; "
                "reload it if it is open"
            )
        if left := release.left_behind(root, name):
            note(
                f"source/{name}: {', '.join(left)} {'does' if len(left) == 1 else 'do'} not "
                "go to students; only data/ and figures/ do"
            )
        say(f"wrote {made.folder.relative_to(root)}")
        if made.lost:
            note(f"the instructor's own notebook {made.lost}; see `autograder check {name}`")
        if execute:
            begun = time.monotonic()
            written = release.write_solution(root, name).relative_to(root)
            say(f"wrote {written}, {time.monotonic() - begun:.0f} s")
    for line in stale:
        complain(f"{line}; run `autograder release --execute`")
    if stale:
        raise SystemExit(2)
    if to or site:
        publish_command(names, to, site, course_folder)


@contextlib.contextmanager
def _leaks_told() -> Iterator[None]:
    from autograder.authoring.contract import release_gate

    try:
        yield
    except release_gate.GivesAway as error:
        for leak in error.leaks:
            complain(leak)
        raise


def _keep_made(
    root: Path, name: str, before: dict[Path, int] | None = None, *, solutions: bool = False
) -> None:
    from autograder.authoring import release, watch

    with _leaks_told():
        notes = [watch.keep_released(root, name, before)]
    if solutions and release.stale_solution(root, name):
        begun = time.monotonic()
        release.write_solution(root, name)
        notes.append(f"wrote solutions/{name}, {time.monotonic() - begun:.0f} s")
    for text in filter(None, notes):
        note(text)


new = typer.Typer(help="Create a new course or homework.", no_args_is_help=True)
verbs.add_typer(new, name="new")


@new.command(name="course")
def new_course_command(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A new folder.")],
    title: Annotated[str, typer.Option(help="The course's title for students.")] = "A course",
) -> None:
    """Create a course without homeworks, with its own secret."""
    from autograder.authoring import new

    for path in new.new_course(folder, title):
        say(f"wrote {path}")
    say(f"next: cd {folder} && autograder new homework hw1")


@new.command(name="homework")
def new_homework_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Letters, digits and _.")],
    course_folder: CourseOption = Path(),
) -> None:
    """Create a homework with two functions and a written answer, ready for `check`."""
    from autograder.authoring import new

    root = course.find(course_folder)
    for path in new.new_homework(root, name):
        say(f"wrote {path.relative_to(root)}")
    for folder in ("release", "solutions"):
        say(f"wrote {folder}/{name}")
    say(
        f"next: autograder check {name}; then edit source/{name}/{name}.py and staff/, and check again"
    )


@new.command(name="mistake")
def new_mistake_command(
    name: Annotated[str, typer.Argument(metavar="HOMEWORK", help="A homework's name in source/.")],
    question: Annotated[
        str,
        typer.Argument(metavar="QUESTION", help="The question on which the answer loses points."),
    ],
    source: Annotated[
        Path,
        typer.Option(
            "--from", metavar="SUBMISSION", help="D/STUDENT from `grade --out D`, or a notebook."
        ),
    ],
    sentence: Annotated[
        str,
        typer.Option(
            metavar="TEXT", help="A sentence on its mistake; default: its group's sentence."
        ),
    ] = "",
    where: Annotated[
        str, typer.Option(metavar="TEXT", help="Where to look; default: the group's hint.")
    ] = "",
    course_folder: CourseOption = Path(),
) -> None:
    """Draft a known mistake from an answer: the smallest edit of the solution with its result."""
    from autograder.authoring.mistakes import draft

    root = course.find(course_folder)
    made = draft.draft(root, name, question, source, sentence=sentence, where=where)
    say(f"wrote {made.path.relative_to(root)}: {made.name}, which loses {', '.join(made.fails)}")
    for old, other in made.edits:
        say(f"    {one_line(old.strip())} -> {one_line(other.strip())}")
    if not made.edits:
        note(
            "no edit of the solution gives the same result, so this is the student's code: read it"
        )
    if made.group:
        say(f"{made.group} is no longer in {homework.NAMED}: the known mistake has its sentence")
    say(f"next: autograder check {name}")


@verbs.command(name="import")
def import_command(
    notebooks: Annotated[
        list[Path],
        typer.Argument(
            metavar="NOTEBOOK...",
            help="Source notebooks of nbgrader or otter, or a folder of them.",
        ),
    ],
    name: Annotated[str, typer.Option(help="The name of the homework, if there is only one.")] = "",
    course_folder: CourseOption = Path(),
) -> None:
    """Turn notebooks of nbgrader or otter into homeworks; each question's own test grades it."""
    from autograder.authoring.imports import imported

    root = course.find(course_folder)
    complaints = list[str]()
    for one in imported.import_notebooks(root, notebooks, name):
        if isinstance(one, imported.Left):
            if one.is_fault:
                complaints.append(one.said)
            else:
                note(one.said)
            continue
        for folder in ("source", "release"):
            say(f"wrote {folder}/{one.name}")
        for text in one.notes:
            note(text)
        say(f"next: autograder check {one.name}")
    end_with(complaints)


@verbs.command()
def check(
    names: Names = None,
    full: Annotated[
        bool,
        typer.Option(
            "--full",
            help="Also try every small change to the solutions, and mistakes written differently; "
            "takes minutes.",
        ),
    ] = False,
    watched: Annotated[
        bool,
        typer.Option(
            "--watch", help="Make the release after every save, and report the first broken rule."
        ),
    ] = False,
    large: Annotated[
        bool,
        typer.Option(
            "--large",
            help="Instead of the rules, test on a large scale that right answers pass and "
            "mistakes fail; takes minutes to hours.",
        ),
    ] = False,
    parts: Parts = None,
    draws: Draws = DRAWS,
    starts: Starts = STARTS,
    course_folder: CourseOption = Path(),
) -> None:
    """Prove that a homework is sound, and print the proof as a table."""
    from autograder.authoring import watch
    from autograder.authoring.contract import mutation, rules

    if large:
        if full or watched:
            raise UserError("--large cannot be combined with --full or --watch")
        for name in names_or_all(course.find(course_folder), names):
            prove_command(name, parts, draws, starts, course_folder)
        return

    root = course.find(course_folder)
    if watched:
        if full or not names or len(names) != 1:
            raise UserError("--watch takes one homework, and not --full")
        with contextlib.suppress(KeyboardInterrupt):
            watch.watch(root, names[0], say, note)
        return
    failed = False
    for name in names_or_all(root, names):
        _keep_made(root, name, solutions=True)
        tried, broken = 0, list[str]()
        table = Table("rule", "case", "kept", "detail", title=name, show_lines=False)
        far = stdout.status(name)
        clauses = rules.clauses(root, name)
        answers = rules.answers(root, name)
        if full:
            deeper = mutation.clauses(root, name, tell=far.update)
            clauses = itertools.chain(clauses, deeper)
        with far if stdout.is_terminal else contextlib.nullcontext():
            for clause in clauses:
                tried += 1
                answers -= {clause.case}
                said = (
                    f"{tried} rules tried, {len(answers)} known answers to go, last: {clause.rule}"
                )
                far.update(escape(f"{name}: {said} ({clause.case})"))
                broken += [f"{clause.rule} ({clause.case}): {clause.detail}"] * (not clause.holds)
                row = (clause.rule, clause.case, "yes" if clause.holds else "NO", clause.detail)
                if stdout.is_terminal:
                    table.add_row(*row)
                else:
                    say(" | ".join((name, *row)))
        if stdout.is_terminal:
            stdout.print(table)
        kept = f"{name}: {tried - len(broken):,} of {tried:,}"
        said = f"{kept} rules hold; begin with: {broken[0]}" if broken else f"{kept} rules hold."
        say(said)
        failed |= bool(broken)
    if failed:
        complain("a rule is broken; each line with NO has the reason")
        raise SystemExit(2)


@verbs.command(name="prove", hidden=True)
def prove_command(
    name: Annotated[str, typer.Argument(metavar="HW", help="A homework's name in source/.")],
    parts: Annotated[list[str] | None, typer.Argument(metavar="PART")] = None,
    draws: Draws = DRAWS,
    starts: Starts = STARTS,
    course_folder: CourseOption = Path(),
) -> None:
    """Try in large numbers that right answers pass and mistakes fail; takes minutes to hours."""
    from autograder.authoring.calibrate import prove

    root, started = course.find(course_folder), time.monotonic()
    tried, short, number_of = 0, list[str](), 0
    for table in prove.prove(root, name, parts or (), draws=draws, starts=starts):
        say(table.text())
        tried += table.tried
        short += [table.title] if table.short else []
        number_of += table.tried > 0
    seconds = time.monotonic() - started
    said = f"{name}: {number_of} tables, {tried:,} things tried, {len(short)} tables fell short"
    say(f"{said}, {seconds:.0f} s")
    if short:
        complain(f"fell short: {'; '.join(short)}; the lines with `short:` have the details")
        raise SystemExit(2)


@verbs.command(name="try")
def try_command(
    name: Annotated[str, typer.Argument(metavar="HW", help="A homework's name in source/.")],
    what: Annotated[
        str,
        typer.Argument(
            metavar="ANSWER", help="instructor, unfilled, wrong/NAME, right/NAME, or a notebook."
        ),
    ] = "instructor",
    watched: Annotated[
        bool,
        typer.Option(
            "--watch",
            help="Repeat after every save of the answer or of the homework, which is released "
            "first.",
        ),
    ] = False,
    course_folder: CourseOption = Path(),
) -> None:
    """Grade one answer like a student's, and write the report that a student would get."""
    from autograder.authoring import watch

    root = course.find(course_folder)
    _keep_made(root, name)
    released(root, name)
    note_secret(root)
    if not watched:
        if complaint := _try(root, name, what):
            end_with([complaint])
        return
    with contextlib.suppress(KeyboardInterrupt):
        for before in watch.saves(root, name, Path(what)):
            try:
                _keep_made(root, name, before)
                complaint = _try(root, name, what)
            except UserError as error:  # the next save may fix it
                complaint = str(error)
            if complaint:
                complain(complaint)


def _try(root: Path, name: str, what: str) -> str:
    from autograder.authoring import preview

    graded = preview.grade(root, name, what)
    for one in graded.grade.marks if graded.grade else ():
        earned = "?" if one.earned is None else number(one.earned)
        line = f"{one.question} {earned}/{number(one.points)}: {one_line(' '.join(one.message.split()))}"
        say(line)
        if one.misconception:
            say(f"    fits {one.misconception.name}")
    say(f"wrote {graded.folder / files.REPORT}")
    return graded.complaint


@verbs.command(name="publish", hidden=True)
def publish_command(
    names: Names = None, to: To = None, site: Site = None, course_folder: CourseOption = Path()
) -> None:
    """Copy the students' files, and nothing else, to a folder outside this course."""
    from autograder.authoring.site import publish
    from autograder.authoring.site.write import write

    if (to is None) == (site is None):
        raise UserError("give either --to FOLDER or --site FOLDER")
    root = course.find(course_folder)
    settings = course.read(root)
    chosen = names_or_all(root, names)
    for name in chosen:
        homework.load(root, name)
    note_extensions(settings, roster(root))
    written = (
        publish.publish(root, settings, chosen, to)
        if to
        else write(root, settings, chosen, site or Path())
    )
    for path in written:
        say(f"wrote {path}")
    if left := publish.left_over(root, chosen, to or site or Path(), site=bool(site)):
        note(
            f"{to or site}: these files are not in release/: {', '.join(map(str, left))}; "
            "delete what students should not have"
        )
    if undated := [name for name in chosen if name not in settings.homework]:
        note(f"course.toml has no due date for {', '.join(undated)}")
