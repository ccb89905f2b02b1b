"""The loop: many submissions, each graded once, in any order, on any machine; and again from their logs.

Comes in: submissions. Goes out: a folder of results for each. What one of them does changes no other.
"""
