"""A homework's folder -> one `Clause` for each rule of the contract and each case tried.

Known answers, right and wrong, are graded in the same way as students' submissions. A rule without
any case must not count as kept.
"""
