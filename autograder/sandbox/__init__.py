"""A program -> facts: it runs behind the trust line, its questions are evaluated there, and values come back.

Comes in: a `Program` and its questions. Goes out: a `SubmissionLog`. No reference, no mark and no verdict is ever in these processes.
"""
