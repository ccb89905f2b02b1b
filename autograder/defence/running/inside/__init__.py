"""UNTRUSTED: a student's code and calls of it -> what each call gave, and the lines it passed.

It runs beside student code, as an adapter of the homework does, and has no key and no mark.
"""
