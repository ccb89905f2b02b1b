"""Marks of several homeworks -> a term's total for each person, a table and a page.

Input: each person's results in each homework, and the rules of course.toml. Output: the total,
term.csv, and a page for each student. Nothing here judges an answer.
"""
