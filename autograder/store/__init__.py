"""The folder of each submission, out/<student>/, whose files are either complete or absent.

Input: facts and marks. Output: the same, read back. No other package reads or writes these files.
"""
