"""The command line: arguments in, calls to the other packages out, one file for each audience.

The only place that prints. It decides nothing: no mark, no match, no file format.

Exit status: 0 for finished work, whatever the score; 2 if not all of it could be done; 1 for our own
failure; 130 and 143 when Ctrl-C or SIGTERM stopped it.
"""
