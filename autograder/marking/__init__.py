"""Facts -> marks. Nothing here ever ran or imported student code.

Input: a `SubmissionLog`. Output: a `Grade`, always the same for the same log.
"""
