"""The marks of one written question in a gradebook, and all that people do to them.

Comes in: a nbgrader gradebook, and what people want to be. Goes out: marks, items and comments
as they are now. Each change is one transaction in which the writer has the database alone; a page
sends what is to be (an item is on), never what is to be turned over, so that the same request sent
twice, as after a crash, counts once. Nothing here knows a browser or a student's file.
"""
