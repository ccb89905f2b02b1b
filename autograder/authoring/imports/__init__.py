"""Notebooks of nbgrader's or otter's -> homeworks that grade at once."""
