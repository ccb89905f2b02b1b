"""The homework contract, clause by clause, over one folder of source/."""

import contextlib
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.authoring import hidden_names, lab, release
from autograder.authoring.contract import (
    agreement,
    branches,
    reproducible_inputs,
    sides,
    used,
)
from autograder.authoring.contract.careless import (
    KEPT,
    OBJECTS,
    OFF,
    SPOILED,
    Way,
    careless,
)
from autograder.authoring.contract.heard import Heard, Line
from autograder.authoring.contract.sampling import ALL, Share
from autograder.authoring.leaks.search import Leak, Secrets
from autograder.course import course as courses
from autograder.course import homework, inputs, known_answers, packages, rubrics, solutions
from autograder.course.cells import cells_of, defined_names
from autograder.course.course import Course
from autograder.course.homework import HomeworkError
from autograder.marking.judge import Judge
from autograder.marking.mark import mark
from autograder.records import codec
from autograder.records.facts import Outcome, Submission, SubmissionId, SubmissionLog
from autograder.records.homework import Homework
from autograder.records.marks import Grade
from autograder.records.questions import Inputs, Question
from autograder.reports import report
from autograder.sandbox.execute import Executed, execute
from autograder.sandbox.mistake_bank import Variants, bank
from autograder.sandbox.supervisor import Sandbox

SECRET = reproducible_inputs.SECRET
SOLUTIONS = "6 solutions are fresh"
COURSE = Course(title="The contract", term="", secret=SECRET)


@dataclass(frozen=True)
class Clause:
    """One line of the proof: a rule, the case it was tried on, and whether it holds."""

    rule: str
    case: str
    holds: bool
    detail: str


def clauses(
    course: Path, name: str, *, share: Share = ALL, sandbox: Sandbox | None = None
) -> Iterator[Clause]:
    """Try every rule of the contract on one homework.

    Args:
        course: The course's folder.
        name: The homework's.
        share: Of the known answers. Training, which takes long, is tried with one wrong
            and one right answer of a share.
        sandbox: One that was launched already, and that nothing has used.

    Raises:
        HomeworkError: rule 1 is broken, so nothing else can be tried.
    """
    chosen = homework.load(course, name)
    inputs.complain_of_cases(chosen)
    for read in (known_answers.wrong, known_answers.right):
        read(course, chosen)  # a slip in them is told before anything runs
    with reproducible_inputs.elsewhere(course, name) as there:
        yield from _before_it_runs(course, chosen)
        yield drawn_again(chosen, there)
    yield from _cases(course, chosen)
    yield from _asserted(chosen)
    yield from _built_on(course, chosen)
    with contextlib.ExitStack() as stack:
        sandbox = sandbox or stack.enter_context(Sandbox())
        sandbox.expect(chosen)
        log, grade = run(known_answers.instructor(course, chosen), chosen, sandbox)
        lost = _lost(grade)
        unsteady = _unsteady(log, log)
        agree = _names_agree(chosen, log)
        yield agree
        if not agree.holds:  # no other rule can be kept then
            return
        why = f"; {unsteady}" * bool(unsteady)
        detail = f"{_first(grade)}{why}{_hidden_names(course, name)}; the other rules are tried once it earns everything"
        yield Clause(
            "2 instructor earns all", "instructor", not lost, detail if lost else _score(grade)
        )
        if lost:
            return
        yield from _spoiled(chosen, log)
        heard, spoke = Heard(chosen), set[Line]()
        yield from _graded(course, chosen, sandbox, share, log, heard, spoke)
        yield from _careless(course, chosen, sandbox)
        yield from _beside(course, chosen, sandbox, heard, spoke)
        if share == ALL:
            yield from _heard(course, chosen, sandbox, heard, spoke)


def _before_it_runs(course: Path, chosen: Homework) -> Iterator[Clause]:
    """Try the rules that are about files and settings alone."""
    name = chosen.name
    points = sum(question.points for question in chosen.questions if not question.extra)
    ids = f"{len(chosen.questions)} questions, {points:g} points"
    yield Clause("1 ids", "all", True, ids)
    settings = courses.read(course)
    yield files_are_read(course / "source" / name / "staff")
    cells = homework.read_cells(course / "source" / name / f"{name}.ipynb")
    unused = "; ".join(used.tests_that_never_run(chosen, cells))
    yield Clause("1 hidden tests run", "all", not unused, unused or "or there is none")
    yield _rules(chosen, settings.rules)
    wrong = "; ".join(unavailable(course, name, settings.packages))
    yield Clause("1 packages are there", "all", not wrong, wrong or "all are")
    stale = release.stale_release(course, name)
    yield Clause("6 release is fresh", "release", stale is None, stale or "byte for byte")
    stale = release.stale_solution(course, name)
    detail = (
        f"{stale}; run `autograder release {name} --execute`"
        if stale
        else "cell sources and digest"
    )
    yield Clause(SOLUTIONS, "solutions", stale is None, detail)
    if stale is None:
        yield from rejected_solutions(course / "solutions" / name / f"{name}.ipynb")
    if name in lab.names(course):
        said = lab.complaints(course, name)
        yield Clause("6 lab's table is fresh", "lab", not said, "; ".join(said) or "as measured")
    yield from _rubrics(course / "source" / name / "staff", chosen)


def unavailable(course: Path, name: str, declared: Sequence[str]) -> Iterator[str]:
    """Say what a homework imports that students, or Gradescope, would not have."""
    if lacking := ", ".join(packages.absent(declared)):
        yield f"course.toml names {lacking}, which pip has to install here"
    modules = homework.imported(course, name)
    beside = [one for one in modules if (course / "source" / name / f"{one}.py").is_file()]
    for one in beside:
        yield (
            f"{modules[one]} imports {one}, and {one}.py beside it does not go to students: write what it "
            "defines into a cell that they are given"
        )
    if missing := ", ".join(packages.undeclared(modules.keys() - {*beside}, declared)):
        yield (
            f"the notebook or staff/ imports {missing}: name it in `packages` of course.toml, so that "
            "students and Gradescope install it"
        )


def rejected_solutions(solution: Path) -> Iterator[Clause]:
    """Say of each visible check that rejects the solution, as it was executed, what it prints."""
    for cell in homework.read_cells(solution):
        text = "".join(
            "".join(output.get("text", "")) for output in cell.outputs
        )  # lines, or one text
        found = re.search(
            rf"^\[{re.escape(cell.grade_id or '')}\] (?!passed)(.*)", text, re.MULTILINE
        )
        if cell.role == "check" and found:
            detail = f"your visible check rejects your own solution: {found[1]}"
            yield Clause("8 visible and hidden agree", str(cell.grade_id), False, detail)


def files_are_read(staff: Path) -> Clause:
    """Say which files in the folders of known answers and rubrics have another suffix: nobody reads them."""
    ignored = [
        f"staff/{kind}/{path.name} (its name has to end with {suffix})"
        for kind, suffix in (("wrong", ".py"), ("right", ".py"), ("rubrics", ".md"))
        for path in sorted((staff / kind).glob("[!._]*"))
        if path.suffix != suffix
    ]
    detail = f"nobody reads {', '.join(ignored)}" if ignored else "all are"
    return Clause("1 files are read", "staff", not ignored, detail)


def _rules(chosen: Homework, rules: courses.Rules) -> Clause:
    """Say whether a homework keeps to the rules that course.toml has for all."""
    counting = [question for question in chosen.questions if not question.extra]
    points = sum(question.points for question in counting)
    by_hand = sum(question.points for question in counting if question.by_hand)
    said = []
    if rules.points is not None and points != rules.points:
        said.append(f"it is worth {points:g} points, and course.toml wants {rules.points:g}")
    if rules.by_hand_at_most is not None and by_hand > rules.by_hand_at_most:
        most = f"{rules.by_hand_at_most:g}"
        said.append(f"people give {by_hand:g} points, and course.toml wants {most} at most")
    return Clause("1 rules of the course", "all", not said, "; ".join(said) or "kept")


def _rubrics(staff: Path, chosen: Homework) -> Iterator[Clause]:
    """Say of each question that people mark whether its rubric is complete and fits its points."""
    rule = "10 rubrics parse"
    for question in chosen.questions:
        if not question.by_hand:
            continue
        path = staff / "rubrics" / f"{question.id}.md"
        try:
            rubric = rubrics.read(path)
        except HomeworkError as error:
            yield Clause(rule, question.id, False, str(error))
            continue
        wrong = rubrics.complaint(rubric, question.points)
        waiting = ", ".join(rubrics.unwritten(rubric))
        detail = f"{len(rubric.items)} items, {rubric.points:g} points"
        if wrong:
            detail = f"source/{chosen.name}/staff/rubrics/{path.name}: {wrong}"
        elif waiting:
            detail = f"{detail}; to make it strong, write: {waiting}"
        yield Clause(rule, question.id, not wrong, detail)


def _unsteady(log: SubmissionLog, again: SubmissionLog) -> str:
    """Return which of the instructor's answers are not the same each time; "" for none."""
    both = zip(log.outcomes, again.outcomes, strict=False)
    differ = [one.question for one, other in both if timeless(log, one) != timeless(log, other)]
    differ += [one.question for one in log.outcomes if one.again]
    ids = ", ".join(dict.fromkeys(differ))
    gives = "give" if "," in ids else "gives"
    return f"{ids} {gives} other values each time: seed {'them' if ',' in ids else 'it'}" * bool(
        ids
    )


def _first(grade: Grade) -> str:
    """Return which questions the instructor loses, and what the first of them is told; else ""."""
    lost = [one for one in grade.marks if one.question in _lost(grade)]
    names = ", ".join(one.question for one in lost)
    if not lost:
        return ""
    said = codec.one_line(lost[0].message)
    adapter = "; is its adapter right?" * ("none of your own lines failed" in said)
    return f"loses {names}; {lost[0].question}: {said}{adapter}"


def _hidden_names(course: Path, name: str) -> str:
    """Return which tests use names that only hidden tests bind, after a semicolon; "" for none."""
    said = hidden_names.remark(homework.read_cells(course / "source" / name / f"{name}.ipynb"))
    return f"; {said}" if said else ""


def drawn_again(chosen: Homework, there: Future[reproducible_inputs.Digests]) -> Clause:
    """Say whether another process draws the same hidden inputs."""
    other = ", ".join(reproducible_inputs.others(chosen, there))
    detail = f"{other}: another process draws other inputs; draw from the generator that is given"
    return Clause("9 inputs are drawn again", "all", not other, detail if other else "the same")


def _names_agree(chosen: Homework, log: SubmissionLog) -> Clause:
    """Say whether what adapters give is called as in the references."""
    wrong = []
    for outcome in log.outcomes:
        question = chosen.question(outcome.question)
        if question.check is None or outcome.value is None or question.ask is None:
            continue
        if question.check.reads not in ("numbers", "steps", "alone"):  # these have no names
            continue
        case = inputs.draw(question, submission=log.submission, secret=SECRET)[outcome.number]
        expected = question.check.expected(case)
        named = expected if isinstance(expected, Mapping) else ()
        if lacking := sorted(set(named) - set(outcome.value)):
            given = ", ".join(map(repr, outcome.value)) or "nothing"
            wrong.append(
                f"{question.id}: the reference gives {lacking[0]!r}, and "
                f"{question.ask.adapter or 'a question without an adapter'} gives {given}"
            )
    detail = "; ".join(dict.fromkeys(wrong))
    return Clause("1 names agree", "all", not wrong, detail or "reference and adapter")


def _cases(course: Path, chosen: Homework) -> Iterator[Clause]:
    """Say whether the cases of each question show what they have to show, in every draw."""
    cells = homework.read_cells(course / "source" / chosen.name / f"{chosen.name}.ipynb")
    silent = ", ".join(agreement.undeclared(chosen, cells))
    detail = f"the text of {silent} speaks of gradients: say gradients=True or False in spec.py"
    yield Clause("9 gradients are declared", "all", not silent, detail if silent else "all are")
    once = ", ".join(agreement.without_a_repeat(chosen, _draw))
    detail = f"{once}: no two cases of one shape with other values"
    yield Clause("9 a shape comes twice", "all", not once, detail if once else "in every draw")
    missed = [
        f"{id}: {what}" for id, what in agreement.missed_branches(course, chosen, _draw, cells)
    ]
    detail = "; ".join(missed) or f"in each of {branches.DRAWS} draws"
    yield Clause("9 every branch is reached", "all", not missed, detail)


def _asserted(chosen: Homework) -> Iterator[Clause]:
    """Say of each question whose own test cell or solution decides what would make it strong."""
    detail = (
        "its own test cell runs beside the student's code: give it a check with a reference and "
        "hidden inputs to make it strong"
    )
    yield from (Clause("10 asserted", q.id, True, detail) for q in chosen.questions if q.asserted)
    for question in chosen.questions:
        reference = getattr(question.check, "reference", None)
        if solutions.is_solution(reference):
            detail = (
                "the solution is its own reference, so nothing proves it right: give the check a function "
                "of its own, written another way, to make it strong"
            )
            yield Clause("10 reference", question.id, True, detail)


def _draw(question: Question, number: int) -> Sequence[Inputs]:
    submission = SubmissionId("draw", "notebook", str(number))
    return inputs.draw(question, submission=submission, secret=SECRET)


def _careless(course: Path, chosen: Homework, sandbox: Sandbox) -> Iterator[Clause]:
    """Say whether the instructor's answers lose when they are careless in one way after another."""
    asked = compared(chosen)
    asked = replace(asked, questions=tuple(q for q in asked.questions if not q.asserted))
    instructor = known_answers.instructor(course, chosen)
    if not any(question.ask for question in asked.questions):
        return
    for way in agreement.ways(asked):
        answer = careless(instructor, asked, way)
        _, grade = run(answer, asked, sandbox)
        drawn = {
            q.id: inputs.draw(q, submission=answer.id, secret=SECRET)
            for q in asked.questions
            if q.ask
        }
        kept = ", ".join(agreement.kept(asked, grade, way, drawn))
        more = "; draw inputs that differ more" * (way is KEPT)
        detail = f"{kept}: an answer that {way.says} earns everything{more}"
        yield Clause("9 careless answers lose", way.says, not kept, detail if kept else "all lose")


def _spoiled(chosen: Homework, log: SubmissionLog) -> Iterator[Clause]:
    """Say whether each check refuses the instructor's own values with NaN and the like in them."""
    broken = False
    for question in chosen.questions:
        if said := ", ".join(agreement.spoiled_taken(question, log, SECRET)):
            broken = True
            yield Clause("12 spoiled values lose", question.id, False, f"its check {said}")
    if not broken:
        yield Clause("12 spoiled values lose", "checks", True, "all lose")


def _built_on(course: Path, chosen: Homework) -> Iterator[Clause]:
    """Say of each known mistake whether the text of every question that it costs names what is built on."""
    unsaid: dict[tuple[str, str], str] = {}
    for answer in known_answers.wrong(course, chosen):
        for question, name in agreement.built_on_unsaid(chosen, answer):
            unsaid.setdefault((question, name), answer.place)
    for (question, name), mistake in unsaid.items():
        detail = (
            f"{mistake} changes `{name}` and costs {question} without a word: name "
            f"`{name}` in the text of {question}, and its question in `if_right` or `needs`, or "
            "evaluate it with a function of your own"
        )
        yield Clause("13 a mistake costs its own", question, False, detail)
    if not unsaid:
        yield Clause(
            "13 a mistake costs its own", "all", True, "or the text names what is built on"
        )


def _beside(
    course: Path, chosen: Homework, sandbox: Sandbox, heard: Heard, spoke: set[Line]
) -> Iterator[Clause]:
    """Try careless answers on both sides, and look at what both sides give an answer."""
    instructor = known_answers.instructor(course, chosen)
    asked = replace(chosen, questions=tuple(q for q in chosen.questions if not q.asserted))
    ours = sides.own(asked, instructor.cells)
    alone, trying = sides.trying(heard, asked, instructor, spoke)
    state, _ = executed(trying, alone, sandbox)
    for said in state.log.repairs:  # what did not run was not tried
        yield Clause("9 careless answers lose", "visible checks", False, said.text)
    spoke |= heard.spoke(state.steps())
    seen = sides.seen(state.steps())
    with Variants(sides.observing(chosen), instructor) as variants:
        hidden = sides.Hidden(variants, secret=SECRET)
        taken = sides.taken(asked, ours, seen, hidden, instructor.cells)
        for rule, ways in (
            ("12 spoiled values lose", SPOILED),
            ("9 careless answers lose", OBJECTS),
            ("8 visible and hidden agree", OFF),
        ):
            yield from _taken(rule, ways, asked, seen, taken)
        for question in asked.questions:
            if (names := ours.get(question.id)) and not question.trains:
                draws = hidden.given(question, names)
                for other in map(asked.question, question.needs):  # which it counts only beside
                    more = (
                        hidden.given(other, names)
                        if set(names) & set(ours.get(other.id, ()))
                        else ()
                    )
                    draws = [
                        sides.together(*both) for both in zip(draws, more, strict=False)
                    ] or draws
                yield _milder(question, seen, draws)


def _taken(
    rule: str,
    ways: Sequence[Way],
    asked: Homework,
    seen: sides.Seen,
    taken: Collection[sides.Answer],
) -> Iterator[Clause]:
    """Say which questions take an answer that is careless in one of some ways, and should not."""
    broken = False
    for question in asked.questions:
        said = []
        for way in ways:
            own = {
                name: found
                for (id, name, how), found in seen.said.items()
                if (id, how) == (question.id, way.name)
            }
            for name in [name for id, name, how in taken if (id, how) == (question.id, way.name)]:
                beside = f", and the visible check does not ({own[name]})" if way in OFF else ""
                said.append(f"the grader takes a `{name}` that {way.says}{beside}")
            if way in SPOILED and sides.spoils(way, question):
                said += [
                    f"the visible check prints passed for a `{name}` that {way.says}"
                    for name, found in own.items()
                    if found == "passed"
                ]
        if said:
            broken = True
            yield Clause(rule, question.id, False, "; ".join(said))
    if not broken:
        yield Clause(rule, "careless answers", True, f"each of {len(ways)} ways loses")


def _milder(question: Question, seen: sides.Seen, draws: Sequence[sides.Given]) -> Clause:
    """Say whether hidden inputs are as extreme as visible ones, argument by argument."""
    less = [
        f"`{place}` has {what}"
        for place, what in sides.milder(seen.given.get(question.id, {}), draws)
        if place not in question.milder and place.split("[")[0] not in question.milder
    ]
    detail = f"{question.id}: in the visible check {', '.join(dict.fromkeys(less))}"
    detail += "; draw such a case, or name the argument in `milder` of spec.py, with the reason"
    rule = "11 hidden inputs are as extreme"
    return Clause(rule, question.id, not less, detail if less else "in each draw")


def _heard(
    course: Path, chosen: Homework, sandbox: Sandbox, heard: Heard, spoke: set[Line]
) -> Iterator[Clause]:
    """Say of each complaint of the visible checks whether some known answer brings it about."""
    alone = replace(heard.homework, questions=())
    for answer in (
        *known_answers.unlisted(course, chosen),
        *known_answers.disguised(course, chosen),
    ):
        about = {line for line in heard.lines if answer.fails & set(line.questions)}
        if about - spoke:
            state, _ = executed(heard.submission(answer.submission), alone, sandbox)
            spoke |= heard.spoke(state.steps())
    silent = [line for line in heard.lines if line not in spoke]
    for line in silent:
        detail = (
            f"no known answer triggers line {line.number} of the cell {line.cell!r}, {line.text}: add "
            "one to staff/mistakes.toml or staff/tests/unlisted.toml, or take the line away"
        )
        yield Clause("11 each complaint is triggered", ", ".join(line.questions), False, detail)
    if not silent:
        detail = f"{len(heard.lines)} lines"
        yield Clause("11 each complaint is triggered", "all", True, detail)


def _graded(
    course: Path,
    chosen: Homework,
    sandbox: Sandbox,
    share: Share,
    log: SubmissionLog,
    heard: Heard,
    spoke: set[Line],
) -> Iterator[Clause]:
    instructor = known_answers.instructor(course, chosen)
    again, _ = run(instructor, chosen, sandbox)
    secrets = _secrets(course, chosen, log)
    folder = course / "release" / chosen.name
    files = {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    yield _leak_clause("release", secrets.leaks_in_files(files))
    same = timeless(log) == timeless(again)
    differs = _unsteady(log, again) or "the logs differ"
    yield Clause("7 graded twice", "instructor", same, "the same log" if same else differs)
    empty = known_answers.unfilled(chosen)
    told = replace(chosen, cells=heard.homework.cells)
    state, grade = executed(heard.submission(empty), told, sandbox, all_cells=True)
    log = state.log
    spoke |= heard.spoke(state.steps())
    said = _feedback(empty, log, grade, chosen, secrets)
    yield unfilled(chosen, log, grade)
    with bank(course, chosen) as mistakes:
        wrong = known_answers.wrong(course, chosen)
        trained = {answer.name for answer in share.one_of(wrong)}
        for answer in share.of(wrong):
            asked = touched(chosen, answer, trains=answer.name in trained)
            if not answer.fails & {question.id for question in asked.questions}:
                continue  # it loses what is trained alone, and is left to the whole count
            told = replace(asked, cells=heard.homework.cells)
            state, grade = executed(heard.submission(answer.submission), told, sandbox)
            log = state.log
            spoke |= heard.spoke(state.steps())
            yield _agree(answer.name, state, grade, chosen)
            grade = mark(asked, log, COURSE, bank=mistakes)
            yield _wrong(answer, log, grade, asked)
            yield _noticed(answer, state, grade, chosen)
            said += _feedback(answer.submission, log, grade, chosen, secrets)
    yield _leak_clause("feedback", said)
    right = known_answers.right(course, chosen)
    trained = {answer.name for answer in share.one_of(right)}
    for answer in share.of(right):
        asked = touched(chosen, answer, trains=answer.name in trained)
        state, grade = executed(answer.submission, asked, sandbox)
        yield _agree(answer.name, state, grade, chosen)
        lost = _lost(grade)
        yield Clause(
            "5 right in other ways",
            answer.name,
            not lost,
            f"{answer.place} {_first(grade)}" if lost else answer.written.says,
        )


def unfilled(chosen: Homework, log: SubmissionLog, grade: Grade) -> Clause:
    """Whether the release runs as it is given, earns nothing, and each question says why.

    Args:
        chosen: The homework.
        log: Of its release.
        grade: What that earns.
    """
    earned = frozenset(
        mark.question for mark in grade.marks if mark.earned is None or mark.earned > 0
    )
    asserted = {question.id for question in chosen.questions if question.asserted}
    # What is not trained names what it needs, which is not written itself.
    waiting = log.not_trained
    silent = frozenset(
        m.question
        for m in grade.marks
        if not m.message.startswith("Not written") and m.question not in asserted | waiting
    )
    # Beside such tests, what is provided may call answers that are not written yet.
    errors = () if asserted else log.errors
    good = not (earned or silent or errors)
    detail = "; ".join(
        [f"earns {_names(earned)}"] * bool(earned)
        + [f"no word on {_names(silent)}"] * bool(silent)
        + [f"{error.cell} fails: {error.name}: {error.message}" for error in errors]
    )
    return Clause(
        "3 release runs, earns 0", "release", good, detail or "runs to its last cell, 0 points"
    )


def compared(chosen: Homework) -> Homework:
    """Leave out what is trained, which takes long: its weights are nobody's secret."""
    kept = tuple(q for q in chosen.questions if not (q.check and q.check.trains))
    return replace(chosen, questions=kept)


def touched(
    chosen: Homework, answer: known_answers.KnownAnswer, *, trains: bool = True
) -> Homework:
    """Leave out what is trained where an answer changes nothing of it: the instructor's was tried.

    Args:
        chosen: All questions.
        answer: What replaces some of the instructor's functions.
        trains: Ask the trained questions that it changes.
    """
    names = defined_names(answer.define)
    asked = {
        question.id
        for question in chosen.questions
        if not (question.check and question.check.trains)
        or (trains and question.ask and names & set(question.ask.objects))
    }
    for question in reversed(chosen.questions):  # the message of a question depends on earlier ones
        if question.id in asked:
            asked |= {*question.needs, *question.if_right}
    kept = tuple(question for question in chosen.questions if question.id in asked)
    return replace(chosen, questions=kept)


def _agree(case: str, state: Executed, grade: Grade, chosen: Homework) -> Clause:
    """Say whether the hidden checks refuse all that the visible ones refuse."""
    only = agreement.disagreement(state.steps(), chosen, grade)
    detail = f"the visible check of {only} refuses what the hidden one accepts"
    return Clause("8 visible and hidden agree", case, not only, detail if only else "they do")


def _leak_clause(case: str, found: Sequence[Leak]) -> Clause:
    first = f"{found[0].place}: {found[0].what}" if found else "no solution, no staff, no value"
    return Clause("3 nothing leaks", case, not found, first)


def _wrong(
    answer: known_answers.KnownAnswer, log: SubmissionLog, grade: Grade, asked: Homework
) -> Clause:
    """Say whether a known mistake loses its own questions, and is taken for itself and no other."""
    lost = _lost(grade)
    fails = answer.fails & {question.id for question in asked.questions}
    taken_for = frozenset(mark.misconception.name for mark in grade.marks if mark.misconception)
    detail = f"{answer.place} loses {_names(lost) or 'nothing'}"
    if lost != fails:
        detail += f", should lose {_names(fails)}"
        unexpected = [m for m in grade.marks if m.question in lost - fails]
        for one in unexpected[:1]:
            detail += f"; {one.question}: {codec.one_line(one.message)}"
    if taken_for != {answer.name}:
        detail += f", is taken for {_names(taken_for) or 'no known mistake'}"
    if endless := {one.question for one in log.outcomes if one.status == "timed_out"}:
        seconds = asked.limits.question_seconds
        detail += (
            f"; {_names(frozenset(endless))} did not end within {seconds:g} s, and what gives "
            "nothing cannot be recognised: mend that first"
        )
    crashed = used.crashed(answer, log, asked)
    detail += "".join(f"; {said}" for said in crashed)
    good = lost == fails and taken_for == {answer.name} and not crashed
    return Clause("4 wrong loses its own", answer.name, good, detail)


def _noticed(
    answer: known_answers.KnownAnswer, state: Executed, grade: Grade, chosen: Homework
) -> Clause:
    """Say whether the visible checks refuse a known mistake, but where it declares why they cannot.

    What only hidden inputs show is named with the reason: UNSEEN = {"question": "why"}.
    """
    seen = agreement.visible(state.steps(), chosen)
    declared = frozenset(answer.written.unseen)
    silent = agreement.silent(seen, _lost(grade), chosen) - declared
    detail = "they refuse it" + f", but for {_names(declared)}" * bool(declared)
    if silent:
        first = min(silent)
        how = (
            f'`unseen.{first} = "why"`'
            if ".toml" in answer.place
            else f'`UNSEEN = {{"{first}": "why"}}`'
        )
        detail = (
            f"the visible check of {_names(silent)} passes {answer.place}; show an input "
            f"that tells, or give the mistake {how}"
        )
    return Clause("4 visible checks notice", answer.name, not silent, detail)


def run(
    submission: Submission, chosen: Homework, sandbox: Sandbox, *, all_cells: bool = False
) -> tuple[SubmissionLog, Grade]:
    """Grade one submission and return its log and its marks; HomeworkError where a check raises."""
    state, grade = executed(submission, chosen, sandbox, all_cells=all_cells)
    return state.log, grade


def executed(
    submission: Submission, chosen: Homework, sandbox: Sandbox, *, all_cells: bool = False
) -> tuple[Executed, Grade]:
    """Run a submission to its end, and return its marks; HomeworkError where a check raises."""
    judging = Judge(chosen, secret=SECRET)
    *_, state = execute(
        submission,
        chosen,
        sandbox=sandbox,
        secret=SECRET,
        settled=judging.passed,
        all_cells=all_cells,
    )
    grade = mark(chosen, state.log, COURSE, judge=judging)
    for one in grade.marks:
        if one.fault:
            where = f"source/{chosen.name}/staff: the check of {one.question!r}"
            raise HomeworkError(f"{where} failed: {one.fault.splitlines()[0]}")
    return state, grade


def _lost(grade: Grade) -> frozenset[str]:
    """Return the machine-marked questions that did not earn everything."""
    return frozenset(
        mark.question
        for mark in grade.marks
        if mark.earned is not None and mark.earned < mark.points
    )


def _names(questions: frozenset[str]) -> str:
    return ", ".join(sorted(questions))


def _score(grade: Grade) -> str:
    return f"{grade.score:g} of {grade.possible:g} points, {grade.waiting:g} by hand"


def timeless(log: SubmissionLog, *only: Outcome) -> str:
    """Return a log as text, or some outcomes, without the times that differ between two runs."""
    outcomes = tuple(replace(outcome, seconds=0.0) for outcome in only or log.outcomes)
    return codec.encode_log(replace(log, outcomes=outcomes, time=0.0, seconds=0.0))


def leaks(
    course: Path, name: str, files: Mapping[Path, bytes], *, sandbox: Sandbox | None = None
) -> tuple[list[Leak], str]:
    """Return what a release would give away.

    Also what the instructor's own answers lose in it, "" for nothing.

    Args:
        course: The course's folder.
        name: The homework's.
        files: Those of the release, by path.
        sandbox: One that was launched already, and that nothing has used.
    """
    given = files[Path(f"{name}.ipynb")]
    cells = cells_of(json.loads(given))
    chosen = replace(homework.load(course, name), cells=cells)
    inputs.complain_of_cases(chosen)
    with contextlib.ExitStack() as stack:
        sandbox = sandbox or stack.enter_context(Sandbox())
        sandbox.expect(chosen)
        log, grade = run(known_answers.instructor(course, chosen), compared(chosen), sandbox)
    return _secrets(course, chosen, log).leaks_in_files(files), _first(grade)


def _secrets(course: Path, chosen: Homework, log: SubmissionLog) -> Secrets:
    """Return what no student may see: solutions, staff/, and what the instructor's answers gave."""
    hidden = {
        question.id: inputs.draw(question, submission=log.submission, secret=SECRET)
        for question in chosen.questions
        if question.ask
    }
    return Secrets.of(course, chosen, [log], hidden)


def _feedback(
    answer: Submission, log: SubmissionLog, grade: Grade, chosen: Homework, secrets: Secrets
) -> list[Leak]:
    """Return what the report of a known submission gives away."""
    # A known submission bears the name of its file, which a student's does not.
    someone = replace(log, submission=replace(log.submission, student="someone"))
    page = report.html(grade, someone, title=chosen.title, course="", explain=True)
    own = "\n".join(cell.source for cell in answer.cells)
    return secrets.leaks_in_text(answer.id.student, page, feedback=True, own=own)
