"""Call what Linux alone has to shut a process in, through its C library.

Each module is about one mechanism and knows nothing of submissions. They are called by `layers.py`,
which decides what is used, and by `trial.py`, which tries whether it holds.
"""
