"""The sections of docs/reference/troubleshooting.md, and the modules whose messages each has."""

from tests.helpers import ROOT

HEAD = """\
# Troubleshooting

Every message that `autograder` prints when something cannot be used, or when staff should know of something. An ellipsis is a value: a file, a question, a number. Where the message does not name the remedy, it is below it. `python -m docs.pages.messages_page` writes this page; a test compares it with the code.

- A line that begins with `autograder:` is a complaint: it names what, where and how to mend it. The exit status is 2 where a verb could not do its work, 0 where it did the rest of it.
- A line that begins with `note:` changes nothing: marks are as they should be.
- A status of 1 means that the grader itself failed. No marks are written then; the line names the part that does not work. With a traceback it is a mistake in the kit: please report it.
- Nothing here is about a student's answers: messages on these are in `report.html`.
"""

RETURNED = {
    "authoring/lab.py": ("complaints",),
    "authoring/release.py": ("stale_release", "stale_solution"),
    "authoring/imports/foreign.py": ("_for_staff", "_unknown"),
    "authoring/imports/imported.py": (
        "_with_header",
        "_with_plain_ids",
        "_written",
        "_solved",
        "_notes",
    ),
    "course/cells.py": ("mistake",),
    "course/complaints.py": (
        "of_spec",
        "_of_filled_in",
        "_of_ignored",
        "of_check_arguments",
        "_of_arguments",
        "of_cells",
        "of_rubrics",
        "of_objects",
    ),
    "course/course.py": ("prepare_secret", "_explained"),
    "course/homework.py": ("_with_points",),
    "course/inputs.py": ("complain_of_cases", "_odd", "_misfit"),
    "course/rubrics.py": ("complaint",),
    "platforms/fill.py": ("plan",),
    "platforms/canvas.py": ("_refused",),
    "platforms/clones.py": ("_of_clone",),
    "platforms/gradescope/export.py": ("_left_out",),
    "platforms/nbgrader/exchange.py": ("receipt",),
    "platforms/nbgrader/submitted.py": ("_lacks",),
    "platforms/nbgrader/database.py": ("_complain_of_others", "_reason", "fill"),
    "platforms/gradescope/metadata.py": ("read",),
    "platforms/gradescope/simulate.py": ("__init__",),
    "grading/cluster.py": ("__init__", "_look", "_take", "_try_out"),
    "grading/grader.py": ("faults",),
    "grading/unmarked.py": ("unreadable",),
    "grading/preflight.py": ("losses",),
    "grading/selection.py": ("absent", "_without_time"),
    "grading/regrade.py": ("regrade",),
    "staff/paper/pdf.py": ("_reply",),
    "sandbox/canary.py": ("examine", "_evaluate"),
    "sandbox/inside/layers.py": ("settle", "_why_not"),
    "sandbox/inside/trial.py": ("_checks", "_rights", "_visible"),
    "sandbox/inside/worker.py": ("_warm_up",),
    "sandbox/supervisor.py": ("_bubblewrap", "_start", "_fork", "_other_package"),
    "submission/archives.py": ("_members",),
    "submission/discover.py": ("_distinct",),
    "submission/ids.py": ("_named",),
    "course/timestamps.py": ("moment", "unknown"),
}
"""Functions that only make the words of messages, by module."""

NOTES = ("grading/selection.py", "reports/collected.py")
"""Modules whose returned texts and `notes` a verb prints as notes."""


def _but(platform: str, *others: str) -> list[str]:
    """Return the modules of a platform but for those that read what was submitted."""
    folder = ROOT / "autograder" / "platforms" / platform
    names = sorted(path.name for path in folder.glob("*.py") if path.stem not in others)
    return [f"platforms/{platform}/{name}" for name in names]


GROUPS = {
    "A course and its settings": (
        "Of `course.toml`, `roster.csv`, `secret.txt` and `late_days.csv`. The key in square brackets is the table of `course.toml`.",
        (
            "__init__.py",
            "__main__.py",
            "cli/main.py",
            "cli/shared.py",
            "course/course.py",
            "course/late_days.py",
            "course/packages.py",
            "course/people.py",
        ),
    ),
    "Writing a homework": (
        "Each names the file, and the line, the cell or the question in it. `autograder check NAME` tries them all.",
        (
            "authoring/cli.py",
            "authoring/new.py",
            "authoring/text_source.py",
            "authoring/both_forms.py",
            "authoring/kit_cells.py",
            "authoring/markers.py",
            "authoring/release.py",
            "authoring/shown_checks.py",
            "authoring/site",
            "authoring/preview.py",
            "authoring/watch.py",
            "authoring/lab.py",
            "authoring/leaks",
            "authoring/contract",
            "authoring/calibrate",
            "authoring/__init__.py",
            "course/__init__.py",
            "course/homework.py",
            "course/complaints.py",
            "course/solutions.py",
            "course/cells.py",
            "course/inputs.py",
            "course/known_answers.py",
        ),
    ),
    "Rubrics": ("Each comes behind the file and its line.", ("course/rubrics.py",)),
    "Importing notebooks of nbgrader and otter": (
        "Of `autograder import`. Mend the notebook where it was made, and import it again.",
        (
            "authoring/imports/__init__.py",
            "authoring/imports/foreign.py",
            "authoring/imports/imported.py",
            "authoring/hidden_names.py",
            "authoring/imports/draft.py",
            "authoring/imports/otter.py",
            "authoring/imports/otter_answers.py",
            "authoring/imports/otter_tests.py",
            "authoring/imports/staff_files.py",
        ),
    ),
    "Submissions: files, folders and zips": (
        "The line begins with the path. Every other submission is graded; a submission of which nothing can be graded is in `grades.csv` with its reason.",
        (
            "submission/__init__.py",
            "submission/discover.py",
            "submission/archives.py",
            "submission/opening.py",
            "submission/reading.py",
            "submission/scripts.py",
            "program",
        ),
    ),
    "Damaged logs and marks": (
        "Each comes behind the name of a file that was edited, cut off or made by something else. Ask for the notebook if it is a student's `submission_log.json`; grade again if it is in a folder of results.",
        ("records",),
    ),
    "Submissions: exports of platforms, and times": (
        "Give an export as it was downloaded: unpacked by hand, renamed or saved by a spreadsheet it lacks what these look for.",
        (
            "submission/platform.py",
            "platforms/gradescope/export.py",
            "platforms/nbgrader/exchange.py",
            "platforms/nbgrader/submitted.py",
            "submission/ids.py",
            "course/timestamps.py",
            "submission/receipts.py",
        ),
    ),
    "Submissions: clones of repositories": (
        "Nothing of a repository is run.",
        ("platforms/clones.py", "platforms/git.py"),
    ),
    "Grading": (
        "A run that was stopped goes on with the same command. A submission whose grader failed has a `failure.txt` in its folder of results.",
        (
            "cli/grading.py",
            "cli/progress.py",
            "grading/__init__.py",
            "grading/inbox.py",
            "grading/selection.py",
            "grading/grader.py",
            "grading/pool.py",
            "grading/preflight.py",
            "grading/scheduler.py",
            "grading/unmarked.py",
            "grading/watching.py",
            "grading/wire.py",
            "store",
        ),
    ),
    "The sandbox": (
        "`autograder doctor` prints each layer and why it does not work here.",
        ("sandbox",),
    ),
    "Grading on many machines": (
        "Of `grade --scheduler ADDRESS`.",
        ("grading/cluster.py",),
    ),
    "Regrading, tables, reports and requests": (
        "Of `regrade`, `report`, `explain`, `explain --requests` and `term`.",
        (
            "grading/regrade.py",
            "staff/regrade_requests.py",
            "cli/report.py",
            "cli/__init__.py",
            "cli/plugins.py",
            "staff/__init__.py",
            "staff/regrade_requests_cli.py",
            "staff/class_page",
            "staff/explain",
            "reports",
            "staff/term",
            "marking",
            "kit",
        ),
    ),
    "Exports to Canvas and Moodle": (
        "Of `export` and `term`. Nothing is written where one of these appears before the table of changes.",
        (
            "platforms/__init__.py",
            "platforms/cli.py",
            "platforms/fill.py",
            "platforms/csv_table.py",
            "platforms/canvas.py",
            "platforms/moodle.py",
            "platforms/feedback_files.py",
        ),
    ),
    "nbgrader's gradebook and the marking page": (
        "Of `mark`.",
        ("staff/cli.py", *_but("nbgrader", "exchange", "submitted"), "staff/marking_page"),
    ),
    "PDFs of written answers": ("Of `pdf`.", ("staff/paper",)),
    "Gradescope": (
        "Of `gradescope pack` and `gradescope try`, of the container's log, and of `grade --watch`.",
        ("cli/unattended.py", *_but("gradescope", "export")),
    ),
    "Similar submissions, and questions on one's own": (
        "Of `similar` and `defend`.",
        ("staff/similar", "staff/defence"),
    ),
}
"""Heading -> a sentence on it, and the modules."""
