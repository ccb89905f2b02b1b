"""The cells that every notebook has from the kit, as texts: `autograder release` puts them there.

In comes nothing and out goes nothing: these modules run in students' notebooks, and here only in
tests. They import nothing of the kit's but `autograder.records.values`, which is a cell, too.
"""
