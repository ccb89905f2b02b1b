"""Many submissions: each is graded once, in any order, on any machine, and its files say so."""
