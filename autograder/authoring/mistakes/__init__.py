"""A student's wrong answer -> a known mistake of the homework, which `check` then also tries.

Input: stored facts and the cells of one submission. Output: a table of staff/mistakes.toml, or a
file of staff/wrong/. Student code runs only in the sandbox, and staff read the draft.
"""
