"""The attention homework kit: homeworks as folders, and an autograder for untrusted notebooks.

A submission passes through submission, program, sandbox, marking, store and reports, in this order;
`grading/grader.py` calls them.
"""

__version__ = "2.0.0"
