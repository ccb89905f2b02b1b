"""Plain nbgrader commands work on this course: `nbgrader generate_assignment --force hw2_transformer`."""

c = get_config()  # noqa: F821  (nbgrader gives it)

c.CourseDirectory.course_id = "attention"
# Marks given by hand are in gradebook.db beside this file, or where this says:
# c.CourseDirectory.db_url = "postgresql+psycopg://USER@HOST/DATABASE"
# staff/ holds references and known-wrong answers; `+=` is a TypeError on this trait.
c.CourseDirectory.ignore.append("staff")
c.ClearSolutions.code_stub = {"python": "# YOUR CODE HERE\nraise NotImplementedError()"}
# `nbgrader autograde` grades in the sandbox: what students wrote never runs in its own kernel.
c.Autograde.sanitize_preprocessors = ["autograder.gradebook.autograde.GradeInSandbox"]
c.Autograde.autograde_preprocessors = [
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]
# A lab's table beside the reference's figures is for staff.
c.GenerateAssignment.preprocessors.insert(0, "autograder.gradebook.feedback.LeaveOutStaff")
# Feedback is the page that `autograder report` writes, with the marks and comments of people.
# Rubrics are in autograded/ for those who mark, and are left out of it.
c.GenerateFeedback.exporter_class = "autograder.gradebook.feedback.StudentPage"
c.GenerateFeedback.preprocessors.insert(0, "autograder.gradebook.feedback.LeaveOutRubrics")
