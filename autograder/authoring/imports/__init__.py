"""Turn notebooks of nbgrader or otter into homeworks that can be graded at once."""
