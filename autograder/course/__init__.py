"""What an instructor wrote: course.toml, a homework's folder, its hidden inputs and known answers.

Comes in: a folder of the course. Goes out: the records of model.py. Nothing here runs code of a student.
"""
