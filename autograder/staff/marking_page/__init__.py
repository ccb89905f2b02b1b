"""One written question and the whole class -> a page on which people mark it.

Input: a gradebook that `autograder mark --fill` filled, and stored results. Output: marks and
comments in nbgrader's tables, and the items behind them in ours. Student code never runs here or in
a browser, and a mark from formgrader is never overwritten without consent.
"""
