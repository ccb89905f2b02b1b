"""A submission's cells -> the program to run, and the written answers.

Comes in: a `Submission` and the release. Goes out: a `Program`, each of whose steps has a place in the release or is the student's own.
"""
