"""Words of a command line -> calls of the other packages, one file for each audience.

The only place that prints. Nothing is decided here: no mark, no match, no form of a file.

Exit status: 0 the work was done, whatever the score; 2 unusable input or arguments; 1 our own
failure; 130 and 143 stopped by Ctrl-C or SIGTERM.
"""
