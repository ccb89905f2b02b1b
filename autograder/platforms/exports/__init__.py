"""Marks -> the files that a learning platform takes back: its own CSV, filled, and a zip of feedback.

Comes in: the CSV that the platform exported, and marks. Goes out: the same CSV with marks in one
column, and feedback files under the names that the platform knows. Nothing here asks a server.
"""
