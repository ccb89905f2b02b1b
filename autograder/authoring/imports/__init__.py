"""Comes in: nothing, or a notebook of nbgrader's. Goes out: a course or a homework that grades at once."""
