"""Paths -> submissions: notebooks, scripts and logs, from folders, archives and platform exports.

Input: files whose names and contents students chose. Output: `Submission`, or one clear sentence.
Nothing here runs them.
"""
