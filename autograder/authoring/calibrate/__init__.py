"""A homework -> tables on the reliability of its marks: like `check`, with far more tries.

Input: the homework's questions and known answers. Output: one `Table` per part, with any
shortfalls.
"""
