"""A homework's folder -> one `Clause` for each rule of the contract and case it was tried on.

Known answers, right and wrong, are graded by the path that students' submissions take. A rule that
nothing was tried on may not count as kept.
"""
