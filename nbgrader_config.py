"""Plain nbgrader commands work on this course: `nbgrader generate_assignment --force hw2_transformer`."""

from autograder.platforms.nbgrader.settings import use_kit

c = get_config()  # noqa: F821  (nbgrader gives it)

c.CourseDirectory.course_id = "attention"
# Marks given by hand are in gradebook.db beside this file, or where this says:
# c.CourseDirectory.db_url = "postgresql+psycopg://USER@HOST/DATABASE"
use_kit(c)
