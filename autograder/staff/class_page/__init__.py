"""Facts and marks of all submissions in a folder -> class.html, for staff or to be shown to all.

Comes in: what `store` keeps. Goes out: one page without a script. Nothing here changes a mark, and
the page for all has no id, no name and no group of fewer than five.
"""
