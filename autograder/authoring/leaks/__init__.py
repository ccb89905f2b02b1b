"""Secrets of a homework + files or texts for students -> what of the secrets can be read in them.

Secrets are solutions, hidden inputs, expected values, staff/ and the course's own. A file that
cannot be looked into counts as a leak.
"""
