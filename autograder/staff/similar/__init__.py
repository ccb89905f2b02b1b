"""Graded submissions of a homework -> a page of pairs that share things few others have.

Input: results from the store, and a course's own answers. Output: similar.html, for staff. It
changes no mark, gives no verdict, and runs no student code.
"""
