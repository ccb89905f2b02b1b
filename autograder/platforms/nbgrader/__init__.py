"""Marks and written answers -> nbgrader's gradebook, formgrader and feedback.

Input: results from the store. Output: nbgrader's rows and notebooks, and people's marks.
"""
