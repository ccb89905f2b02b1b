"""Facts and marks of all submissions in a folder -> class.html, for staff or for everybody.

Input: results from `store`. Output: one page without scripts. Nothing here changes a mark, and the
page for everybody has no ids, names or groups of fewer than five.
"""
