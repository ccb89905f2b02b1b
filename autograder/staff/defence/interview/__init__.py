"""A student's answers -> a page for staff alone, for five minutes at a desk.

The page has keys and an answer of a classmate, so it never goes into a student's folder. All code
runs in the sandbox, a classmate's answer in a process of its own.
"""
