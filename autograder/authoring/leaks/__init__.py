"""Secrets of a homework + files or texts for students -> the secrets that they reveal.

Secrets are solutions, hidden inputs, expected values, staff/ and the course's own. A file that
cannot be searched counts as a leak.
"""
