"""Marks and written answers -> nbgrader's gradebook, formgrader and feedback.

Comes in: what the store has. Goes out: rows and notebooks of nbgrader, and marks that people gave.
"""
