"""An instructor's input: course.toml, a homework's folder, its hidden inputs and known answers.

Input: a course's folder. Output: the records of a homework and a course. No student code runs here.
"""
