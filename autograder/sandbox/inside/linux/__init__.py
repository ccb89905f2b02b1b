"""Linux's own mechanisms to confine a process, called through the C library.

Each module covers one mechanism and knows nothing about submissions. `layers.py` decides which to
use, and `trial.py` tests whether they work.
"""
