"""One written question, the whole class -> a page on which people mark it.

Comes in: a gradebook that `autograder mark --fill` filled, and what the store has. Goes out: marks
and comments in nbgrader's tables, and in ours what they follow from. What a student wrote never
runs here or in a browser, and a mark that was given in formgrader is never overwritten unasked.
"""
