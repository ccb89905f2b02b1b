"""The folder of each submission, out/<student>/: its files are whole, or not there.

Comes in: facts and marks. Goes out: the same, read back. The only reader and writer of these files.
"""
