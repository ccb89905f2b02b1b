"""Grade the instructor's own notebook before a class: what it loses here, everybody may lose."""

from autograder.course import known_answers
from autograder.grading.grader import Grader, Task
from autograder.marking.mark import number
from autograder.store import files

FOLDER = ".instructor"


def losses(task: Task, grader: Grader) -> str:
    """Return what the instructor's notebook loses on this machine, in one line; "" for nothing.

    It runs again only when something has changed that could change its marks.

    Args:
        task: What to grade with.
        grader: Opened from the task.
    """
    submission = known_answers.instructor(task.root, grader.homework)
    folder = task.out / FOLDER / submission.id.student
    files.make_folder(folder.parent)
    grade = grader.grade_ours(submission, folder)
    lost = [
        f"{mark.question} {number(mark.earned or 0.0)} of {number(mark.points)}"
        for mark in grade.marks
        if not mark.by_hand and (mark.earned or 0.0) < mark.points
    ]
    if not lost:
        return ""
    return (
        f"the instructor's notebook does not earn everything on this machine ({', '.join(lost)}), "
        f"so students may lose the same undeservedly; {folder / files.REPORT} shows why"
    )
