"""The error that a person can fix: its text says what is wrong, where, and how to fix it."""


class UserError(Exception):
    """Unusable input from a person; the text names the problem, the place and the fix."""
