"""Graded submissions -> questions about each student's own answers, with computed keys.

Input: stored results, the homework and the course's secret. Output: a sheet for each student, and
keys for staff. A key comes from running the student's own code in the sandbox, and a fresh process
must confirm it. No sheet has hidden inputs, references or other people's code, and no key ever goes
into the sandbox. The machine marks the answers.
"""
