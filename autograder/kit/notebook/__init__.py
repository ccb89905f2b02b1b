"""The cells that notebooks get from the kit, as texts: `autograder release` puts them there.

Nothing comes in and nothing goes out: these modules run in students' notebooks, and here only in
tests. They import nothing of the kit's but `autograder.records.values`, which is a cell, too.
"""
