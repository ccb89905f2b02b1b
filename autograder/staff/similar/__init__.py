"""Graded submissions of a homework -> a page of pairs that share what few others have.

Comes in: what the store has, and a course's own answers. Goes out: similar.html, for staff. It
changes no mark, gives no verdict, and runs nothing of what students wrote.
"""
