"""Marks of several homeworks -> a term's total for each person, a table and a page.

Comes in: what each person has in each homework, and the rules of course.toml. Goes out: the total,
term.csv, and a page that a student reads. Nothing here judges an answer.
"""
