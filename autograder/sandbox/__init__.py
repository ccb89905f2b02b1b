"""A program -> facts: it runs behind the trust line, and only values come back.

Input: a `Program` and its questions. Output: a `SubmissionLog`. These processes never contain
references, marks or verdicts.
"""
