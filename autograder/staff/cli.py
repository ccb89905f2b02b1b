"""The wing's verbs: mark and pdf are here, the others in their own packages."""

from collections.abc import Iterable, Mapping
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
from autograder.course.people import People, roster
from autograder.grading import preflight
from autograder.marking.mark import counted, number
from autograder.platforms.nbgrader import cli as nbgrader
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.sandbox import supervisor
from autograder.sandbox.inside.layers import LAYERS
from autograder.staff import regrade_requests_cli
from autograder.staff.defence import cli as defence
from autograder.staff.desk import cli as desk
from autograder.staff.explain import cli as explain
from autograder.staff.paper import pdf
from autograder.staff.paper.sheet import PrintedSheet
from autograder.staff.similar import cli as similar
from autograder.staff.term import cli as term
from autograder.store import files
from autograder.submission import discover

if TYPE_CHECKING:
    from autograder.staff.marking_page.marking_session import Room
    from autograder.staff.marking_page.marks.double_marking import Agreement
    from autograder.staff.marking_page.marks.records import Progress
    from autograder.staff.marking_page.marks.suggestions import Standing

verbs = typer.Typer()
for room in (desk, explain, regrade_requests_cli, similar, defence, term):
    verbs.add_typer(room.verbs)
FEW = 20
"""With fewer answers than this, a kappa means next to nothing."""


@verbs.command(name="mark")
def mark_command(
    folder: Annotated[
        Path, typer.Argument(metavar="D", help="The folder that `grade --out D` wrote.")
    ],
    question: Annotated[
        str, typer.Option("--question", metavar="ID", help="Only this question; default: all.")
    ] = "",
    with_names: Annotated[
        bool, typer.Option("--names", help="Show students' names from roster.csv.")
    ] = False,
    marker: desk.MarkerOption = "marker",
    share: Annotated[
        str, typer.Option("--share", metavar="2/3", help="Only this part of the class.")
    ] = "1/1",
    second: Annotated[
        bool,
        typer.Option("--second", help="Mark a tenth of the answers, at least 25, again and blind."),
    ] = False,
    agreement: Annotated[
        bool,
        typer.Option(
            "--agreement",
            help="Print everybody's progress and the agreement between markers, and exit.",
        ),
    ] = False,
    suggestions: Annotated[
        Path | None,
        typer.Option(
            "--suggestions",
            metavar="FILE",
            help="Store suggestions for written answers beside people's marks, and exit; they are "
            "not marks. FILE is a CSV or JSON of items with quotes, and --marker names its "
            "source.",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            min=0,
            max=2**31 - 1,
            help="With --suggestions: the seed for drawing answers that people mark without "
            "seeing suggestions.",
        ),
    ] = None,
    fill: Annotated[
        bool,
        typer.Option(
            "--fill",
            help="Only put marks and answers into nbgrader's gradebook, to mark in "
            "formgrader, and exit.",
        ),
    ] = False,
    port: desk.PortOption = 8765,
    host: desk.HostOption = "",
    url: GradebookOption = None,
    course_folder: CourseOption = Path(),
) -> None:
    """Open a page on this machine to mark written answers, one question at a time."""
    root = course.find(course_folder)
    try:
        from autograder.platforms.nbgrader import settings
        from autograder.staff.marking_page import answer_html, marking_session, start
        from autograder.staff.marking_page.marks import connection
        from autograder.staff.marking_page.marks.double_marking import agreement as agreement_of
        from autograder.staff.marking_page.marks.suggestions import refuse_person, standings
        from autograder.staff.marking_page.server import Pages
    except ModuleNotFoundError as error:
        raise UserError(
            f"{error.name} missing: the marking page needs the extra `mark` "
            "(pip install 'attention-homework-kit[mark]')"
        ) from error
    if not folder.is_dir():
        raise UserError(
            f"{folder}: there is no such folder; give the folder that `autograder grade` wrote"
        )
    part = start.share(share)
    if seed is not None and not suggestions:
        raise UserError("--seed draws answers for --suggestions FILE; give both")
    only_asks = agreement or bool(suggestions)
    complaints = [] if only_asks else nbgrader.fill(folder, url, course_folder)
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

    if suggestions:
        asked = {id: room for (_, id), room in rooms().items()}
        _suggest(asked, roster(root), suggestions, marker, seed)
        return
    if agreement:
        for (name, id), room in sorted(rooms().items()):
            say(agreement_words(name, id, room.marks.progress(), agreement_of(room.marks)))
            for one in standings(room.marks):
                say(standing_words(one))
        return
    refuse_person(engine, marker)
    with start.listening(port) as place, reader:
        found = rooms()
        say("The marking page is open until you press Ctrl+C, for everybody who has this link:")
        start.serve(Pages(found).application(), folder, place, host=host, marker=marker, say=say)


def agreement_words(homework: str, question: str, progress: "Progress", agreed: "Agreement") -> str:
    """Return everybody's progress with a question, and the agreement of its markers."""
    each = "".join(f", {name} {count}" for name, count in progress.markers.items())
    lines = [f"{homework} {question}: {progress.done} of {progress.all} marked{each}"]
    if not agreed.answers:
        return f"{lines[0]}; no answer has been marked twice yet (--second)"
    chance = "all points are the same" if agreed.kappa is None else f"kappa {agreed.kappa:.2f}"
    few = "; too few for more than a hint" * (agreed.answers < FEW)
    lines.append(f"  marked twice: {agreed.answers}; the same points: {agreed.same}; {chance}{few}")
    for name, (gap, count) in agreed.severity.items():
        word = "more than" if gap > 0 else "less than"
        how = f"{number(abs(gap))} points {word}" if gap else "as much as"
        lines.append(f"  {name} gave {how} the other marker, on average over {count}")
    return "\n".join(lines)


def _suggest(
    rooms: "Mapping[str, Room]",
    people: People,
    path: Path,
    marker: str,
    seed: int | None,
) -> None:
    from autograder.staff.marking_page.marks import suggestions

    if marker.casefold() in suggestions.NOT_A_NAME:
        raise UserError(
            "give the source of the suggestions a name that no person has: --marker NAME"
        )
    asked = {
        id: suggestions.Asked(
            room.marks, {people.id_of(whose): id for id, whose in room.students.items()}, room.text
        )
        for id, room in rooms.items()
    }

    def id_of(called: str) -> str:
        return people.id_of(people.folder(called))

    found = suggestions.checked(suggestions.read(path), asked, id_of)
    suggestions.store(asked, found, marker, seed)
    for id, several in found.items():
        say(
            f"{id}: {counted(len(several), 'suggestion')} from {one_line(marker)}, which "
            "are not marks"
        )
        for one in suggestions.standings(asked[id].marks):
            if one.marker == marker:
                say(standing_words(one))


def standing_words(one: "Standing") -> str:
    """Return how far a source of suggestions agrees with people, and whether that suffices."""
    name = one_line(one.marker)
    if not one.answers:
        return (
            f"  {name} suggests for {one.suggested}; people have not marked any of the drawn "
            "answers yet"
        )
    mine, theirs = ("not known" if k is None else f"{k:.2f}" for k in (one.kappa, one.people))
    said = "may be shown" if one.shown else "stay hidden"
    few = "" if min(one.answers, one.twice) >= FEW else f", and {FEW} of each are needed"
    gap = one.severity
    how = f"{number(abs(gap))} points {'more' if gap > 0 else 'less'} than" if gap else "as much as"
    lines = [
        f"  {name} suggests for {one.suggested}; drawn and marked by people: {one.answers}; the same "
        f"points: {one.same}; kappa {mine}",
        f"    people with each other: kappa {theirs} over {one.twice}{few}; the suggestions {said}",
        f"    {name} gives {how} people, on average",
    ]
    lines += [f"    {share:.0%} agree on: {one_line(words)}" for words, share in one.items.items()]
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
            help="The PDF to write, or for a folder of submissions, the folder for their "
            "PDFs. Default: beside the input.",
        ),
    ] = None,
    blank: Annotated[
        bool, typer.Option("--blank", help="The same pages without answers, as a template.")
    ] = False,
    together: Annotated[
        bool, typer.Option("--together", help="For a folder: one PDF of everything, with an index.")
    ] = False,
    with_names: Annotated[
        bool, typer.Option("--names", help="Also print names from roster.csv.")
    ] = False,
    name: Annotated[
        str | None,
        typer.Option(
            "--homework", metavar="HW", help="Default: the homework that the notebook matches."
        ),
    ] = None,
    course_folder: CourseOption = Path(),
) -> None:
    """Typeset written answers; each question has the same page number in every PDF."""
    root = course.find(course_folder)
    sheets: Iterable[tuple[str, PrintedSheet]]
    complaints: list[str] = []
    path = Path(source)
    many = not blank and (path.is_dir() or path.suffix.lower() == ".zip")
    if together and not many:
        raise UserError("--together joins the PDFs of a folder or zip into one; give such a folder")
    if blank:
        if path.exists():
            raise UserError(f"--blank needs a homework's name, but {source} is a file or folder")
        sheets = [("", pdf.blank(homework.load(root, source)))]
    else:
        names, others = names_or_all(root, [name] if name else None), homework.names(root)
        homeworks = [homework.load(root, known) for known in names]
        people = roster(root)
        if with_names and not people:
            raise UserError("--names needs a roster.csv in the course, which contains the names")
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
