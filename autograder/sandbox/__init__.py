"""A program -> facts: it runs behind the boundary, and only values come back.

Input: a `Program` and its questions. Output: a `SubmissionLog`. These processes never contain
references, marks or verdicts.
"""
