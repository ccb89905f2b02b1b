"""Facts -> marks. Nothing here ever ran or imported student code.

Comes in: a `SubmissionLog`. Goes out: a `Grade`, the same for the same log at any time.
"""
