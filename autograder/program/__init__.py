"""A submission's cells -> the program to run, and the written answers.

Input: a `Submission` and the release. Output: a `Program`; each step either has a place in the
release or is the student's own.
"""
