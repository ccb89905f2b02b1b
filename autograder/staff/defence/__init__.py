"""Graded submissions -> individual questions about one's own answer, with computed keys; marked by machine.

Comes in: what the store has, the homework, the course's secret. Goes out: a sheet for each student,
and keys for staff. A key is what the student's own code does, found by running it in the sandbox
and found again in a fresh process. No hidden input, reference or other person's code is on a sheet;
no key ever goes into the sandbox.
"""
