"""The wing's verbs: mark and pdf are here, and those of each of its rooms."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autograder.cli.shared import (
    CourseOption,
    GradebookOption,
    complain,
    end_with,
    names_or_all,
    note,
    say,
)
from autograder.course import course, homework
from autograder.course.people import roster
from autograder.grading import preflight
from autograder.marking.mark import number
from autograder.platforms.nbgrader import cli as nbgrader
from autograder.records.errors import UserError
from autograder.sandbox import supervisor
from autograder.sandbox.inside.layers import LAYERS
from autograder.staff import regrade_requests_cli
from autograder.staff.defence import cli as defence
from autograder.staff.explain import cli as explain
from autograder.staff.paper import pdf
from autograder.staff.paper.sheet import PrintedSheet
from autograder.staff.similar import cli as similar
from autograder.staff.term import cli as term
from autograder.store import files
from autograder.submission import discover

if TYPE_CHECKING:
    from autograder.staff.marking_page.marks.double_marking import Agreement
    from autograder.staff.marking_page.marks.records import Progress

verbs = typer.Typer()
for room in (explain, regrade_requests_cli, similar, defence, term):
    verbs.add_typer(room.verbs)
FEW = 20
"""Answers below which a kappa says little."""


@verbs.command(name="mark")
def mark_command(
    folder: Annotated[Path, typer.Argument(metavar="D", help="What `grade --out D` wrote.")],
    question: Annotated[
        str, typer.Option("--question", metavar="ID", help="Only this one; default: all.")
    ] = "",
    with_names: Annotated[
        bool, typer.Option("--names", help="Show whose answer it is, with names of roster.csv.")
    ] = False,
    marker: Annotated[
        str,
        typer.Option(
            "--marker",
            metavar="NAME",
            help="The name of the person at the page.",
            show_default=True,
        ),
    ] = "marker",
    share: Annotated[
        str, typer.Option("--share", metavar="2/3", help="Only this part of the class.")
    ] = "1/1",
    second: Annotated[
        bool,
        typer.Option("--second", help="Mark a tenth of what others have marked once more, blind."),
    ] = False,
    agreement: Annotated[
        bool,
        typer.Option("--agreement", help="Print who is how far, and how markers agree, and end."),
    ] = False,
    fill: Annotated[
        bool,
        typer.Option(
            "--fill",
            help="Only put marks and answers into nbgrader's gradebook, to mark in formgrader, and end.",
        ),
    ] = False,
    port: Annotated[int, typer.Option("--port", help="Of this machine.")] = 8765,
    host: Annotated[
        str,
        typer.Option(
            "--host",
            metavar="NAME",
            help="The name under which your own proxy with TLS serves the page to a team.",
            show_default=False,
        ),
    ] = "",
    url: GradebookOption = None,
    course_folder: CourseOption = Path(),
) -> None:
    """Open a page on this machine on which written answers are marked, a question at a time."""
    root = course.find(course_folder)
    try:
        from autograder.platforms.nbgrader import settings
        from autograder.staff.marking_page import answer_html, marking_session, start
        from autograder.staff.marking_page.marks import connection
    except ModuleNotFoundError as error:
        raise UserError(
            f"{error.name} missing: the marking page needs the extra `mark` "
            "(pip install 'attention-homework-kit[mark]')"
        ) from error
    if not folder.is_dir():
        raise UserError(f"{folder}: there is no such folder; give what `autograder grade` wrote")
    part = start.share(share)
    complaints = [] if agreement else nbgrader.fill(folder, url, course_folder)
    if fill:
        end_with(complaints)
        return
    for complaint in complaints:
        complain(complaint)
    engine = connection.connect(url or settings.gradebook_url(root))
    reader = answer_html.Reader(folder, [*course.private(root), folder])

    def rooms() -> dict[tuple[str, str], marking_session.Room]:
        return start.rooms(
            engine,
            folder,
            root,
            reader,
            wanted=question,
            people=roster(root),
            named=with_names,
            part=part,
            second=marker if second else "",
        )

    if agreement:
        for (name, id), (progress, agreed) in start.agreements(rooms()).items():
            say(agreement_words(name, id, progress, agreed))
        return
    with start.listening(port) as place, reader:
        found = rooms()
        say("The marking page is open until you press Ctrl+C, for everybody who has this link:")
        start.serve(found, folder, place, host=host, marker=marker, say=lambda link: say(link))


def agreement_words(homework: str, question: str, progress: "Progress", agreed: "Agreement") -> str:
    """Return who is how far with a question, and how far its markers agree."""
    each = "".join(f", {name} {count}" for name, count in progress.markers.items())
    lines = [f"{homework} {question}: {progress.done} of {progress.all} marked{each}"]
    if not agreed.answers:
        return f"{lines[0]}; no answer is marked twice yet (--second)"
    chance = "all points are the same" if agreed.kappa is None else f"kappa {agreed.kappa:.2f}"
    few = "; too few for more than a hint" * (agreed.answers < FEW)
    lines.append(f"  marked twice: {agreed.answers}; the same points: {agreed.same}; {chance}{few}")
    for name, (gap, count) in agreed.severity.items():
        word = "more than" if gap > 0 else "less than"
        how = f"{number(abs(gap))} points {word}" if gap else "as much as"
        lines.append(f"  {name} gave {how} the other marker, on average over {count}")
    return "\n".join(lines)


@verbs.command(name="pdf")
def pdf_command(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="A notebook, a folder or zip of submissions, or, with --blank, a homework's name.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="A PDF; of a folder, where they go. Default: beside it.",
            show_default=False,
        ),
    ] = None,
    blank: Annotated[
        bool, typer.Option("--blank", help="The same pages without answers: a template.")
    ] = False,
    together: Annotated[
        bool, typer.Option("--together", help="Of a folder: one PDF of all, with an index.")
    ] = False,
    with_names: Annotated[
        bool, typer.Option("--names", help="Print the names of roster.csv, too.")
    ] = False,
    name: Annotated[
        str | None,
        typer.Option("--homework", metavar="HW", help="Default: the one that the notebook fits."),
    ] = None,
    course_folder: CourseOption = Path(),
) -> None:
    """Typeset written answers, each question on the same page for everybody."""
    root = course.find(course_folder)
    sheets: Iterable[tuple[str, PrintedSheet]]
    complaints: list[str] = []
    path = Path(source)
    many = not blank and (path.is_dir() or path.suffix.lower() == ".zip")
    if together and not many:
        raise UserError("--together puts the PDFs of a folder or zip into one; give such a folder")
    if blank:
        if path.exists():
            raise UserError(f"--blank takes a homework's name, and {source} is a file or folder")
        sheets = [("", pdf.blank(homework.load(root, source)))]
    else:
        names, others = names_or_all(root, [name] if name else None), homework.names(root)
        homeworks = [homework.load(root, known) for known in names]
        people = roster(root)
        if with_names and not people:
            raise UserError("--names needs roster.csv in the course, for the names that it has")
        if many and name:
            chosen = homeworks[0]
            found, _ = discover.find(
                [path], homework=name, collected=chosen.collected, others=others, roster=people
            )
            preflight.refuse_others(root, found, chosen)
        sheets = (
            pdf.sheets(
                path,
                homeworks,
                people,
                complaints,
                recognised=bool(name),
                others=others,
                named=with_names,
            )
            if many
            else [("", pdf.sheet(path, homeworks, recognised=bool(name)))]
        )
    default = Path(f"{source}-blank.pdf") if blank else path.with_suffix(".pdf")
    target = out or (Path(f"{path.with_suffix('')}-pdf") if many and not together else default)
    if not many or together:
        pdf.complain_of(target)
    hidden = [*course.private(root), *([] if blank else [path])]
    printed: list[tuple[str, bytes]] = []
    title = ""
    with pdf.typesetting(hidden) as sandbox:
        for layer, why in supervisor.gaps(sandbox.missing).items():
            note(f"not here: {LAYERS[layer]} ({why})")
        for student, sheet in sheets:
            try:
                one = pdf.print_sheet(sheet, sandbox)
            except UserError as error:
                complaints.append(str(error))
                continue
            if together:
                printed.append((sheet.student, one))
                title = sheet.title
                continue
            place = target / f"{student}.pdf" if many else target
            if many:
                files.make_folder(target)
            pdf.write(place, one)
            say(f"wrote {place}")
        if printed:
            pdf.write(target, pdf.together(title, printed, sandbox))
            say(f"wrote {target}: {len(printed)} submissions")
    end_with(complaints)
