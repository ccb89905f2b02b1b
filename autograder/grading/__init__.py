"""The grading loop: many submissions, in any order, on any machine; and again from their logs.

Input: submissions. Output: a folder of results for each. No submission affects another.
"""
