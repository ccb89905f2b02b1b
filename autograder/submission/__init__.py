"""Paths -> submissions that were read: notebooks, scripts and logs, from folders, archives and exports of platforms.

Comes in: files that students chose the names and contents of. Goes out: `Submission`, or one clear sentence. Nothing here runs them.
"""
