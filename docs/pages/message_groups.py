"""The sections of docs/reference/troubleshooting.md, and the modules whose messages each has."""

from tests.helpers import ROOT

HEAD = """\
# Troubleshooting

Search this page for a message that `autograder` printed. An ellipsis replaces a value, such as a file, a question or a number. Most messages tell you what to do. If not, read the line below the message.

- **A line that begins with `autograder:`** tells you what is wrong, where, and how to fix it. The exit status is 2 if the command could not do all of its work. If one submission fails, `grade` still grades all others; other commands may have written nothing.
- **A line that begins with `note:`** reports something that did not stop the command. If there is something to do, the line itself tells you, or the sentence below it on this page.
- **Exit status 1** means that the kit itself failed. Either it stopped before any marks, or the lines name the submissions that it could not grade; all others have marks. If you see a traceback, it is a bug in the kit, so please report it.
- **Messages about a student's answers** are not on this page. They are in `report.html`.

`python -m docs.pages.messages_page` writes this page, and a test compares it with the code.
"""

RETURNED = {
    "authoring/lab.py": ("complaints",),
    "authoring/release.py": ("stale_release", "stale_solution"),
    "authoring/imports/foreign.py": ("_for_staff", "_unknown"),
    "authoring/imports/imported.py": (
        "_with_header",
        "_with_plain_ids",
        "_with_cents",
        "_with_hidden_names",
        "_written",
        "_solved",
        "_notes",
    ),
    "course/cells.py": ("mistake",),
    "course/spec_complaints.py": (
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
    "grading/selection.py": ("beside_the_roster", "_without_time"),
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
        "These messages are about `course.toml`, `roster.csv`, `secret.txt` and `late_days.csv`. A name in square brackets is a table of `course.toml`.",
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
        "Each message names the file, and the line, cell or question in it. To see all messages about a homework, run `autograder check NAME`.",
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
            "authoring/mistakes",
            "authoring/calibrate",
            "authoring/__init__.py",
            "course/__init__.py",
            "course/homework.py",
            "course/spec_complaints.py",
            "course/solutions.py",
            "course/cells.py",
            "course/inputs.py",
            "course/known_answers.py",
        ),
    ),
    "Rubrics": (
        "Before each message, you see the name of the file and the line.",
        ("course/rubrics.py",),
    ),
    "Importing notebooks of nbgrader and otter": (
        "`autograder import` prints these messages. Fix the original notebook, and import it again.",
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
        "Each message begins with the path of the submission. If a submission cannot be graded, `grades.csv` gives the reason. All other submissions are graded.",
        (
            "submission/__init__.py",
            "submission/discover.py",
            "submission/choice.py",
            "submission/archives.py",
            "submission/opening.py",
            "submission/reading.py",
            "submission/scripts.py",
            "program",
        ),
    ),
    "Damaged logs and marks": (
        "Each message begins with the name of a file that was edited, cut off or made by a different program. If the file is a student's `submission_log.json`, ask the student for the notebook. If the file is in a folder of results, grade again.",
        ("records",),
    ),
    "Submissions: exports of platforms, and times": (
        "Give `grade` the export exactly as you downloaded it. These messages appear if somebody unpacked the export by hand, renamed it, or saved a file of it in a spreadsheet.",
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
        "The kit reads students' repositories with git, and runs nothing from them.",
        ("platforms/clones.py", "platforms/git.py"),
    ),
    "Grading": (
        "If a run was stopped, run the same command again. If the grader failed on a submission, look for `failure.txt` in the submission's folder of results.",
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
        "The sandbox has several layers. `autograder doctor` lists them, and tells you why a layer does not work.",
        ("sandbox",),
    ),
    "Grading on many machines": (
        "`grade --scheduler ADDRESS` prints these messages.",
        ("grading/cluster.py",),
    ),
    "Regrading, tables, reports and requests": (
        "`regrade`, `report`, `explain` and `term` print these messages.",
        (
            "grading/regrade.py",
            "staff/form_times.py",
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
        "`export` and `term` print these messages. If one appears before the table of changes, nothing was written.",
        (
            "platforms/__init__.py",
            "platforms/cli.py",
            "platforms/fill.py",
            "platforms/csv_table.py",
            "platforms/canvas.py",
            "platforms/moodle.py",
            "platforms/feedback_files.py",
            "platforms/mails.py",
        ),
    ),
    "nbgrader's gradebook and the marking page": (
        "`mark` prints these messages.",
        ("staff/cli.py", *_but("nbgrader", "exchange", "submitted"), "staff/marking_page"),
    ),
    "The desk": ("`desk` shows these messages.", ("staff/desk",)),
    "PDFs of written answers": ("`pdf` prints these messages.", ("staff/paper",)),
    "Gradescope": (
        "You see these messages from `gradescope pack`, `gradescope try` and `grade --watch`, and in the log of the container.",
        ("cli/unattended.py", *_but("gradescope", "export")),
    ),
    "Similar submissions, and quizzes on one's own code": (
        "`similar` and `defend` print these messages.",
        ("staff/similar", "staff/defence", "staff/golf.py"),
    ),
}
"""Heading -> a sentence on it, and the modules."""
