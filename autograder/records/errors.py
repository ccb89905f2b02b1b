"""An error that a person can fix: its text names the problem, the place and the fix."""


class UserError(Exception):
    """Unusable input from a person; the text names the problem, the place and the fix."""
