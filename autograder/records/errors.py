"""The error that a person can mend: its text says what, where and how."""


class UserError(Exception):
    """Something a person gave us cannot be used; the text tells what, where and how to mend it."""
