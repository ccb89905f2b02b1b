"""Staff files of hw6_grokking: they never reach a student."""
