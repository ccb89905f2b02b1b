"""The marks of one written question in a gradebook, and all changes that people make to them.

Input: an nbgrader gradebook, and the state that people want. Output: the current marks, items and
comments. Each change is one transaction with exclusive access to the database. A page sends the new
state (an item is on), never a toggle, so a request that is repeated, as after a crash, counts once.
Nothing here knows about browsers or students' files.
"""
