"""A student's answers -> a page only for staff, for five minutes at a desk.

The page has keys and a classmate's answer, so it never goes into a student's folder. All code runs
in the sandbox, and a classmate's answer in a separate process.
"""
