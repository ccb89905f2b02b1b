"""Notebooks of nbgrader or otter -> homeworks that grade at once."""
